import { z } from 'zod'
import { billet, card, notificationUrl, paymentBodyOf } from '../charges/schema.ts'
import { integerText } from '../http/query.ts'

/** Requests of Document 2, endpoints 5 to 14. */

const LONGEST_TEXT = 255
const planName = z.string().min(1).max(LONGEST_TEXT)

export const planBody = z.strictObject({
  name: planName,
  interval: z.int().min(1).max(24).describe('Months between charges'),
  repeats: z.int().min(2).max(120).nullable().default(null).describe('null: until the plan is deleted'),
})

export const planNameBody = z.strictObject({ name: planName })

export const plansQuery = z.strictObject({
  name: z.string().max(LONGEST_TEXT).optional().describe('A part of the name, in any case'),
  limit: integerText(/^0*[1-9]\d*$/, 'Informe um número inteiro a partir de 1.', { minimum: 1 }).optional(),
  offset: integerText(/^\d+$/, 'Informe um número inteiro a partir de 0.', { minimum: 0 }).optional(),
})

export const metadataBody = z
  .strictObject({
    notification_url: notificationUrl.nullable().optional().describe('null: no notifications are sent'),
    custom_id: z
      .string()
      .min(1)
      .max(LONGEST_TEXT)
      .regex(/^[\p{L}\d_\s-]+$/u, 'Use apenas letras, números, espaços, hífen e sublinhado.')
      .optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    error: 'Informe notification_url ou custom_id.',
  })

const LONGEST_TRIAL_DAYS = 365
const trialDays = z.int().min(0).max(LONGEST_TRIAL_DAYS).default(0).describe('Free days before the first charge')

export const payBody = paymentBodyOf(
  billet.extend({ trial_days: trialDays }),
  // A charge of a subscription is paid at once.
  card.extend({ trial_days: trialDays, installments: z.literal(1).default(1) }),
)

export type PayBody = z.output<typeof payBody>
