import { z } from 'zod'
import { personNumberOf } from '../../domain/search/event-payer.ts'
import { deliverySchema } from '../deliveries/schema.ts'
import { eventQuerySchema, eventSummarySchema } from '../events/schema.ts'
import { environment, eventIdSchema, hintSchema, institution, pageOf, time } from '../http/schema-parts.ts'

export const subjectSchema = z
  .strictObject({
    kind: z.string(),
    institution,
    environment,
    subject: z.string().nullable().describe('The business id; null: an event without one, listed by itself'),
    status: z.string().nullable().describe('Of the newest event'),
    changedAt: time.describe('When the newest event was received'),
    amount: z.string().nullable().describe('In reais, such as 150.10; null: not at the known places'),
    payer: z.string().nullable().describe('Name of the payer; null: not at the known places'),
    payerDocument: z.string().nullable().describe('Digits of the CPF or CNPJ of the payer, or of who opens an account'),
    event: eventIdSchema.describe('The newest event'),
    events: z
      .array(eventSummarySchema.pick({ id: true, status: true, receivedAt: true, source: true, mark: true }))
      .describe('The newest events, at most 10, newest first'),
    hasOlder: z.boolean().describe('true: there are older events of the subject'),
    deliveries: z.array(deliverySchema).describe('Of these events, as far as the caller sees them, newest first'),
    masked: z.literal(true).optional().describe('Only for a token without events.read: personal data is ***'),
  })
  .meta({ id: 'Subject', description: 'A payment, charge or registration as it is now, with its newest events.' })

export const subjectPageSchema = pageOf(
  'SubjectPage',
  subjectSchema,
  z.string().describe('A cursor: pass it as `after`'),
  {
    hint: hintSchema,
  },
)

const person = z
  .string({ error: 'a CPF or CNPJ' })
  .transform((text, context): string => {
    const digits = personNumberOf(text)
    if (digits !== null) return digits
    context.addIssue({ code: 'custom', message: 'a CPF of 11 digits or a CNPJ of 14, with or without punctuation' })
    return z.NEVER
  })
  .optional()
  .meta({
    type: 'string',
    description: 'Only subjects with an event that has this CPF or CNPJ as a whole value. Not with `search`.',
    examples: ['123.456.789-09'],
  })

const { wait: _wait, order: _order, include: _include, ...selecting } = eventQuerySchema.shape

export const subjectQuerySchema = z.strictObject({ ...selecting, person })
