import { z } from 'zod'
import type { SecretRotation } from '../../domain/destination-changes.ts'
import { DESTINATION_LIMITS } from '../../domain/destination-rules.ts'
import { isSecret } from '../../domain/secrets/webhook-secret.ts'
import { durationText, readDuration } from '../../platform/units.ts'
import { checked } from '../http/schema-parts.ts'

const limits = DESTINATION_LIMITS.overlapMs
const DEFAULT_OVERLAP = '24h'

export const secretSchema = z
  .string()
  .refine(isSecret, 'whsec_ and the base64 of 24 to 64 bytes; leave it out to have one made')
  .describe('whsec_ and the base64 of 24 to 64 bytes (Standard Webhooks). Default: a new random secret')

/** The body of `POST /v1/destinations/:id/rotate-secret`. */
export const secretRotationSchema = z
  .strictObject({
    overlap: checked(problemOfOverlap)
      .optional()
      .describe(
        `How long both secrets sign, such as 12h; at most ${durationText(limits.max)}. Default: ${DEFAULT_OVERLAP}`,
      ),
    secret: secretSchema.optional(),
  })
  .meta({ id: 'SecretRotation' })

function problemOfOverlap(text: string): string | null {
  const { min, max } = limits
  const reading = readDuration(text)
  if ('problem' in reading) return reading.problem
  return reading.value >= min && reading.value <= max ? null : `must be at most ${durationText(max)}`
}

export function rotationOf(
  data: z.output<typeof secretRotationSchema>,
  options: { newSecret: () => string; now: () => number },
): SecretRotation {
  const overlap = readDuration(data.overlap ?? DEFAULT_OVERLAP)
  if ('problem' in overlap) throw new TypeError(overlap.problem)
  return { secret: data.secret ?? options.newSecret(), overlapUntil: options.now() + overlap.value }
}
