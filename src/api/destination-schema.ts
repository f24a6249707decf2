import { z } from 'zod'
import { problemOfAuthorities } from '../domain/authorities.ts'
import { DELIVERY_ORDERS, DESTINATION_DEFAULTS, type DestinationSettings, ON_EXHAUSTED } from '../domain/destination.ts'
import { PortariaError } from '../domain/errors.ts'
import { ENVIRONMENTS, KINDS_BY_NAME_ONLY } from '../domain/event.ts'
import { isExtraHeaderAllowed } from '../domain/extra-headers.ts'
import { isSecret } from '../domain/webhook-secret.ts'

export interface DestinationDefaults {
  readonly timeoutMs: number
  readonly concurrency: number
}

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/
const HEADER_VALUE = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/

/** The body of `POST /v1/destinations`. */
function destinationSchema(configuredKinds: readonly string[]) {
  const kinds = [...configuredKinds, ...KINDS_BY_NAME_ONLY]
  return z.strictObject({
    url: z.string().min(1),
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{0,62}$/i, 'letters, digits, dots and hyphens, at most 63')
      .optional(),
    kinds: z
      .array(z.enum(kinds, { error: `one of ${kinds.join(', ')}` }))
      .min(1)
      .optional(),
    environments: z.array(z.enum(ENVIRONMENTS)).min(1).optional(),
    secret: z
      .string()
      .refine(isSecret, 'whsec_ and the base64 of 24 to 64 bytes; leave it out to have one made')
      .optional(),
    timeoutMs: z.int().min(100).max(120_000).optional(),
    concurrency: z.int().min(1).max(64).optional(),
    rate: z.int().min(1).max(100_000).optional(),
    scheduleMs: z.array(z.int().min(0).max(2_592_000_000)).min(1).max(100).optional(),
    order: z.enum(DELIVERY_ORDERS).optional(),
    onExhausted: z.enum(ON_EXHAUSTED).optional(),
    authorities: z
      .string()
      .refine((pem) => problemOfAuthorities(pem) === null, {
        error: (issue) => problemOfAuthorities(String(issue.input)) ?? '',
      })
      .optional(),
    headers: z
      .record(
        z
          .string()
          .regex(HEADER_NAME, 'no HTTP header name')
          .refine(isExtraHeaderAllowed, 'this header is set by the gateway'),
        z.string().regex(HEADER_VALUE, 'no HTTP header value').max(4096),
      )
      .refine(hasNoNameTwice, {
        error: 'a header is there twice: names do not tell small and capital letters apart',
        // Beside other mistakes too, so it may get anything.
        when: () => true,
      })
      .optional(),
  })
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
    const details = parsed.error.issues.map((issue) => `/${issue.path.join('/')}: ${issue.message}`)
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

/** A destination without a name is called by its host. */
function nameOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return host.replace(/[^a-z0-9.-]/gi, '').slice(0, 63) || 'destination'
}
