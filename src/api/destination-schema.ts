import { z } from 'zod'
import { problemOfAuthorities } from '../domain/authorities.ts'
import { DELIVERY_ORDERS, DESTINATION_DEFAULTS, type DestinationSettings, ON_EXHAUSTED } from '../domain/destination.ts'
import {
  DESTINATION_LIMITS,
  problemOfDestinationName,
  problemOfHeaderName,
  problemOfHeaderValue,
} from '../domain/destination-rules.ts'
import { PortariaError } from '../domain/errors.ts'
import { ENVIRONMENTS, KINDS_BY_NAME_ONLY } from '../domain/event.ts'
import { isSecret } from '../domain/webhook-secret.ts'

export interface DestinationDefaults {
  readonly timeoutMs: number
  readonly concurrency: number
}

const { timeoutMs, concurrency, rate, scheduleSteps, scheduleWaitMs } = DESTINATION_LIMITS

/** The body of `POST /v1/destinations`. */
function destinationSchema(configuredKinds: readonly string[]) {
  const kinds = [...configuredKinds, ...KINDS_BY_NAME_ONLY]
  return z.strictObject({
    url: z.string().min(1),
    name: checked(problemOfDestinationName).optional(),
    kinds: z
      .array(z.enum(kinds, { error: `one of ${kinds.join(', ')}` }))
      .min(1)
      .optional(),
    environments: z.array(z.enum(ENVIRONMENTS)).min(1).optional(),
    secret: z
      .string()
      .refine(isSecret, 'whsec_ and the base64 of 24 to 64 bytes; leave it out to have one made')
      .optional(),
    timeoutMs: integer(timeoutMs).optional(),
    concurrency: integer(concurrency).optional(),
    rate: integer(rate).optional(),
    scheduleMs: z.array(integer(scheduleWaitMs)).min(1).max(scheduleSteps).optional(),
    order: z.enum(DELIVERY_ORDERS).optional(),
    onExhausted: z.enum(ON_EXHAUSTED).optional(),
    authorities: z
      .string()
      .refine((pem) => problemOfAuthorities(pem) === null, {
        error: (issue) => problemOfAuthorities(String(issue.input)) ?? '',
      })
      .optional(),
    headers: z
      .record(checked(problemOfHeaderName), checked(problemOfHeaderValue))
      .refine(hasNoNameTwice, {
        error: 'a header is there twice: names do not tell small and capital letters apart',
        // Beside other mistakes too, so it may get anything.
        when: () => true,
      })
      .optional(),
  })
}

/** Text that `problemOf` finds nothing wrong with. */
function checked(problemOf: (text: string) => string | null) {
  return z.string().superRefine((text, context) => {
    const problem = problemOf(text)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  })
}

function integer({ min, max }: { min: number; max: number }) {
  const error = `must be a whole number from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

function hasNoNameTwice(headers: unknown): boolean {
  const names = Object.keys(Object(headers)).map((name) => name.toLowerCase())
  return new Set(names).size === names.length
}

/** Settings from a request's body. @throws PortariaError `request_invalid` with every violation */
export function parseDestination(
  body: unknown,
  options: { kinds: readonly string[]; defaults: DestinationDefaults; newSecret: () => string },
): DestinationSettings {
  const parsed = destinationSchema(options.kinds).safeParse(body)
  if (!parsed.success) {
    const details = parsed.error.issues.map((issue) => `/${issue.path.join('/')}: ${wordsOf(issue)}`)
    throw new PortariaError('request_invalid', `the destination is not valid: ${details.join('; ')}`, { details })
  }
  const { data } = parsed
  return {
    name: data.name ?? nameOf(data.url),
    url: data.url,
    kinds: data.kinds ?? null,
    environments: data.environments ?? null,
    secrets: [data.secret ?? options.newSecret()],
    timeoutMs: data.timeoutMs ?? options.defaults.timeoutMs,
    concurrency: data.concurrency ?? options.defaults.concurrency,
    rate: data.rate ?? DESTINATION_DEFAULTS.rate,
    schedule: data.scheduleMs ?? DESTINATION_DEFAULTS.schedule,
    order: data.order ?? DESTINATION_DEFAULTS.order,
    onExhausted: data.onExhausted ?? DESTINATION_DEFAULTS.onExhausted,
    authorities: data.authorities ?? DESTINATION_DEFAULTS.authorities,
    headers: Object.entries(data.headers ?? {}),
  }
}

function wordsOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
}

/** A destination without a name is called by its host. */
function nameOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  const name = host.replace(/[^a-z0-9.-]/gi, '').replace(/^[.-]+/, '')
  return name.slice(0, 63) || 'destination'
}
