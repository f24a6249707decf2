import { z } from 'zod'
import {
  AUTHENTICATION_FILTERS,
  DELIVERY_FORMATS,
  DELIVERY_ORDERS,
  DESTINATION_DEFAULTS,
  type DestinationSettings,
  ON_EXHAUSTED,
} from '../../domain/destination.ts'
import type { DestinationChanges } from '../../domain/destination-changes.ts'
import {
  DESTINATION_LIMITS,
  EMPTY_SUBJECTS,
  problemOfAuthorities,
  problemOfDestinationName,
  problemOfHeaderName,
  problemOfHeaderNames,
  problemOfHeaderValue,
  problemOfSubject,
  problemOfSubjects,
} from '../../domain/destination-rules.ts'
import { KINDS_BY_NAME_ONLY } from '../../domain/event.ts'
import { ENVIRONMENTS } from '../../domain/realm.ts'
import { given } from '../../platform/given.ts'
import { checked } from '../http/schema-parts.ts'
import { secretSchema } from './rotation.ts'

export interface DestinationDefaults {
  readonly timeoutMs: number
  readonly concurrency: number
}

/** Of the configuration. */
export interface ConfiguredNames {
  /** Kinds of callbacks. */
  readonly kinds: readonly string[]
  /** Institutions with a name. */
  readonly institutions: readonly string[]
}

const NO_INSTITUTIONS = 'leave it out: the configuration names no institution'

const limits = DESTINATION_LIMITS

const url = z
  .string()
  .min(1, 'is empty: write it like https://example.com/path')
  .describe('https, or http where forwarding.allowedNetworks permits it')
const name = checked(problemOfDestinationName).describe(
  'Up to 63 letters, digits, dots and hyphens. Default: the host of the URL',
)
const exact = z.array(checked(problemOfSubject)).max(limits.exactSubjects)
const prefix = z.array(checked(problemOfSubject)).max(limits.subjectPrefixes)

/** Optional settings, both for creating and for changing. */
function settingFields({ kinds: configuredKinds, institutions }: ConfiguredNames) {
  const kinds = [...configuredKinds, ...KINDS_BY_NAME_ONLY]
  const problemOfInstitution = (name: string) => {
    if (institutions.includes(name)) return null
    return institutions.length === 0 ? NO_INSTITUTIONS : `one of ${institutions.join(', ')}`
  }
  return {
    kinds: z
      .array(z.enum(kinds, { error: `one of ${kinds.join(', ')}` }))
      .min(1)
      .describe('Default: every kind except probe and operator'),
    environments: z.array(z.enum(ENVIRONMENTS)).min(1).describe('Default: every environment'),
    institutions: z.array(checked(problemOfInstitution)).min(1).describe('Default: every institution'),
    authentication: z
      .enum(AUTHENTICATION_FILTERS)
      .describe('mutual-tls: no events of callbacks that came with a path token. Default: any'),
    format: z.enum(DELIVERY_FORMATS).describe('original: the received bytes; event: a JSON envelope around them'),
    timeoutMs: integer(limits.timeoutMs),
    concurrency: integer(limits.concurrency),
    rateLimit: integer(limits.rateLimit).describe(
      'Maximum deliveries per second; after a pause, the deliveries of one second may be sent at once. Default: unlimited',
    ),
    scheduleMs: z
      .array(integer(limits.scheduleWaitMs))
      .min(1)
      .max(limits.scheduleSteps)
      .describe('Wait before each attempt. Default: forwarding.schedule'),
    order: z.enum(DELIVERY_ORDERS).describe('subject: deliveries of one subject are sent one after the other'),
    onExhausted: z.enum(ON_EXHAUSTED).describe('With order subject: whether an exhausted delivery blocks its subject'),
    authorities: checked(problemOfAuthorities).describe(
      'PEM of the only certificate authorities trusted for the destination',
    ),
  }
}

/** The body of `POST /v1/destinations`. */
export function newDestinationSchema(configured: ConfiguredNames) {
  return z
    .strictObject({
      url,
      name: name.optional(),
      secret: secretSchema.optional(),
      subjects: z
        .strictObject({ exact: exact.default([]), prefix: prefix.default([]) })
        .refine((filter) => problemOfSubjects(filter) === null, EMPTY_SUBJECTS)
        .optional(),
      headers: z
        .record(checked(problemOfHeaderName), checked(problemOfHeaderValue))
        .refine(...areHeaderNamesGood)
        .describe('Extra request headers; their values are never shown')
        .optional(),
    })
    .extend(z.object(settingFields(configured)).partial().shape)
    .meta({ id: 'NewDestination' })
}

/** The body of `PATCH /v1/destinations/:id`, a JSON Merge Patch (RFC 7396): null restores the default. */
export function destinationPatchSchema(configured: ConfiguredNames) {
  const fields = settingFields(configured)
  return z
    .strictObject({
      url: url.optional(),
      name: name.optional(),
      kinds: fields.kinds.nullish(),
      environments: fields.environments.nullish(),
      institutions: fields.institutions.nullish(),
      subjects: z.strictObject({ exact: exact.nullish(), prefix: prefix.nullish() }).nullish(),
      authentication: fields.authentication.nullish(),
      format: fields.format.nullish(),
      timeoutMs: fields.timeoutMs.nullish(),
      concurrency: fields.concurrency.nullish(),
      rateLimit: fields.rateLimit.nullish(),
      scheduleMs: fields.scheduleMs.nullish(),
      order: fields.order.nullish(),
      onExhausted: fields.onExhausted.nullish(),
      authorities: fields.authorities.nullish(),
      headers: z
        .record(checked(problemOfHeaderName), checked(problemOfHeaderValue).nullable())
        .refine(...areHeaderNamesGood)
        .nullish(),
    })
    .meta({ id: 'DestinationChanges', description: 'JSON Merge Patch (RFC 7396).' })
}

function integer({ min, max }: { min: number; max: number }) {
  const error = `must be a whole number from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** Arguments of `refine`. The check also runs after other errors, so its input can be anything. */
const areHeaderNamesGood = [
  (headers: unknown) => problemOfHeaderNames(Object.keys(Object(headers))) === null,
  {
    error: (issue: { readonly input?: unknown }) => problemOfHeaderNames(Object.keys(Object(issue.input))) ?? '',
    when: () => true,
  },
] as const

/** What a request leaves out has its default. */
export function newSettings(
  data: z.output<ReturnType<typeof newDestinationSchema>> & { readonly secret: string },
  defaults: DestinationDefaults,
): DestinationSettings {
  const { secret, scheduleMs: schedule, headers = {}, ...settings } = data
  const { timeoutMs, concurrency } = defaults
  return {
    ...DESTINATION_DEFAULTS,
    name: nameOf(data.url),
    timeoutMs,
    concurrency,
    ...given({ ...settings, schedule }),
    url: data.url,
    secrets: [secret],
    headers: Object.entries(headers),
  }
}

export const PATCH_HINTS = { secret: 'is not changed here: rotate it with POST /v1/destinations/:id/rotate-secret' }

/** null restores a default. */
export function changesOf(
  data: z.output<ReturnType<typeof destinationPatchSchema>>,
  options: { defaults: DestinationDefaults },
): DestinationChanges {
  const { timeoutMs, concurrency } = options.defaults
  return given({
    url: data.url,
    name: data.name,
    kinds: orDefault(data.kinds, DESTINATION_DEFAULTS.kinds),
    environments: orDefault(data.environments, DESTINATION_DEFAULTS.environments),
    institutions: orDefault(data.institutions, DESTINATION_DEFAULTS.institutions),
    subjects:
      data.subjects &&
      given({ exact: orDefault(data.subjects.exact, []), prefix: orDefault(data.subjects.prefix, []) }),
    authentication: orDefault(data.authentication, DESTINATION_DEFAULTS.authentication),
    format: orDefault(data.format, DESTINATION_DEFAULTS.format),
    timeoutMs: orDefault(data.timeoutMs, timeoutMs),
    concurrency: orDefault(data.concurrency, concurrency),
    rateLimit: orDefault(data.rateLimit, DESTINATION_DEFAULTS.rateLimit),
    schedule: orDefault(data.scheduleMs, DESTINATION_DEFAULTS.schedule),
    order: orDefault(data.order, DESTINATION_DEFAULTS.order),
    onExhausted: orDefault(data.onExhausted, DESTINATION_DEFAULTS.onExhausted),
    authorities: orDefault(data.authorities, DESTINATION_DEFAULTS.authorities),
    headers: data.headers && Object.entries(data.headers),
  })
}

function orDefault<T>(value: T | null | undefined, fallback: T): T | undefined {
  return value === null ? fallback : value
}

/** The default name: the host of the URL. */
function nameOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  const name = host.replace(/[^a-z0-9.-]/gi, '').replace(/^[.-]+/, '')
  return name.slice(0, 63) || 'destination'
}
