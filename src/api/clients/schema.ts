import { z } from 'zod'
import { CLIENT_ENVIRONMENTS, problemOfClientName } from '../../domain/client.ts'
import type { Scope, ScopeNames } from '../../domain/scopes.ts'
import { durationText, readDuration } from '../../platform/units.ts'
import { flag, limit } from '../http/query.ts'
import { beginningOf, checked, clientIdSchema, time } from '../http/schema-parts.ts'
import type { ClientSettings } from './registry.ts'

export const DEFAULT_GRACE = '24h'
const MAX_GRACE_MS = 30 * 86_400_000

/** The body of `POST /v1/clients`. */
export function clientSchema(names: ScopeNames) {
  const scope = z.enum([...names.all], { error: `one of ${names.all.join(', ')}` })
  return z
    .strictObject({
      name: checked(problemOfClientName).describe('Up to 63 letters, digits, dots and hyphens'),
      environment: z.enum(CLIENT_ENVIRONMENTS, { error: `one of ${CLIENT_ENVIRONMENTS.join(', ')}` }),
      scopes: z.array(scope).min(1, 'must name at least one scope').max(names.all.length, 'names a scope twice'),
    })
    .meta({ id: 'NewClient' })
}

/** The body of `POST /v1/clients/:id/rotate`. */
export const clientRotationSchema = z
  .strictObject({
    grace: checked(problemOfGrace)
      .optional()
      .describe(
        `How long the previous secret stays valid, such as 12h; at most ${durationText(MAX_GRACE_MS)}. Default: ${DEFAULT_GRACE}`,
      ),
  })
  .meta({ id: 'ClientRotation' })

export function problemOfGrace(text: string): string | null {
  const grace = readDuration(text)
  if ('problem' in grace) return grace.problem
  return grace.value <= MAX_GRACE_MS ? null : `must be at most ${durationText(MAX_GRACE_MS)}`
}

export function clientSettings(
  { name, environment, scopes }: z.output<ReturnType<typeof clientSchema>>,
  names: ScopeNames,
): ClientSettings {
  const known = [...new Set(scopes)].map(names.scopeOf).filter((scope): scope is Scope => scope !== null)
  return { name, environment, scopes: known }
}

/** In ms. */
export function graceOf({ grace = DEFAULT_GRACE }: z.output<typeof clientRotationSchema>): number {
  const reading = readDuration(grace)
  if ('problem' in reading) throw new TypeError(reading.problem)
  return reading.value
}

export const clientQuerySchema = z.strictObject({ revoked: flag('Also list revoked clients.'), limit })

export const clientViewSchema = z
  .strictObject({
    clientId: clientIdSchema,
    name: z.string(),
    environment: z.enum(CLIENT_ENVIRONMENTS),
    scopes: z.array(z.string()),
    createdAt: time,
    rotatedAt: time.nullable(),
    previousSecretUntil: time.nullable().describe('The previous secret is valid until then'),
    revokedAt: time.nullable(),
  })
  .meta({ id: 'Client', description: 'A program that uses this API.' })

export const issuedSchema = z
  .strictObject({
    ...clientViewSchema.shape,
    clientSecret: z.string(),
    warnings: z.array(z.string()).optional().describe('What its scopes lack, in words; left out: nothing'),
  })
  .meta({ id: 'IssuedClient', description: 'A client with its secret, which no other answer shows.' })

export const clientListSchema = beginningOf('ClientList', clientViewSchema)
