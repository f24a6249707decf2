import { z } from 'zod'
import { ENVIRONMENTS } from '../../domain/realm.ts'

/** Requests and answers of endpoints 3 and 12 of Document 2. Errors come from service-decisions.md. */

const LONGEST = 255
const TEXT_EXPECTED = 'must be text'
const TOO_LONG = `must have at most ${LONGEST} characters`
const URL_EXPECTED = 'must begin with http:// or https:// and have more behind it'
const WORD_EXPECTED = 'must be letters, digits, underscores, hyphens and white space'

const text = z.string({ error: TEXT_EXPECTED }).max(LONGEST, TOO_LONG)
const textOrNull = z.string({ error: 'must be text or null' }).max(LONGEST, TOO_LONG)
const word = text.regex(/^[\p{L}\d_\-\s]+$/u, WORD_EXPECTED)

const URL_MEANING =
  "The app's own address, which gets the notifications; the gateway sets its own address at the service. null: ends this"

/** Endpoint 3: the body. */
export const chargeMetadataSchema = z
  .strictObject({
    notification_url: textOrNull.nullable().optional().describe(URL_MEANING),
    custom_id: text.optional().describe('Passed on to the service'),
  })
  .meta({ id: 'ChargeMetadata' })

/** Endpoint 12: the body. It is stricter. */
export const subscriptionMetadataSchema = z
  .strictObject({
    notification_url: textOrNull
      .regex(/^https?:\/\/./, URL_EXPECTED)
      .nullable()
      .optional()
      .describe(URL_MEANING),
    custom_id: word.optional().describe('Passed on to the service'),
  })
  .refine((body) => Object.keys(Object(body)).length > 0, 'must have notification_url or custom_id')
  .meta({ id: 'SubscriptionMetadata' })

export type ChargeMetadata = z.output<typeof chargeMetadataSchema>

export const metadataQuerySchema = z.strictObject({
  environment: z
    .enum(ENVIRONMENTS, { error: `must be one of ${ENVIRONMENTS.join(', ')}, given once` })
    .optional()
    .describe(
      "Environment of the charge. Default: the client's. Required for the operator and for clients of environment any.",
    ),
})

/** The answer of both. */
export const doneSchema = z.strictObject({ code: z.literal(200) }).meta({ id: 'ChargesDone' })

/** Errors below `/charges`, except for those of the token endpoint (RFC 6749). */
export const chargesErrorSchema = z
  .strictObject({
    code: z.int().min(1_000_000).max(9_999_999),
    error: z.string().regex(/^[a-z]+(_[a-z]+)*$/),
    error_description: z
      .union([z.string(), z.strictObject({ property: z.string(), message: z.string() })])
      .describe('A sentence, or the first property that is not valid'),
  })
  .meta({ id: 'ChargesError' })
