import { z } from 'zod'
import { QUARANTINE_REASONS } from '../../domain/accounts.ts'
import { ENVIRONMENTS, LISTENER_NAMES } from '../../domain/event.ts'
import { QUARANTINE_STATES } from '../../domain/quarantine.ts'
import { eventSchema, evidenceSchema } from '../events/schema.ts'
import { idBehind, limit, listOf, oneOf } from '../http/query.ts'
import { environment, eventIdSchema, numbered, pageOf, time } from '../http/schema-parts.ts'

const { subject, status, mark, part, contentType, data, dataBase64, payloadRemovedAt } = eventSchema.shape

export const quarantinedSchema = z
  .strictObject({
    id: numbered('qtn'),
    state: z.enum(QUARANTINE_STATES),
    reason: z
      .enum(QUARANTINE_REASONS)
      .describe('account_foreign: it names an account that is not allowed; account_missing: it names none'),
    kind: z.string(),
    environment,
    subject,
    status,
    receivedAt: time,
    listener: z.enum(LISTENER_NAMES),
    authentication: z.enum(['mutual-tls', 'path-token']).describe('How the caller was authenticated'),
    mark,
    part,
    seen: z.int().min(1).describe('How often the same fact came'),
    lastSeenAt: time,
    callback: numbered('clb').describe('The callback that it came in first'),
    decidedAt: time.nullable(),
    decidedBy: z
      .string()
      .nullable()
      .describe('operator, the id of a client, retention (nobody decided in time), or redaction'),
    event: eventIdSchema.nullable().describe('What it became when it was released'),
    payloadRemovedAt,
  })
  .meta({ id: 'Quarantined', description: 'A fact that is kept and held back: it is no event until it is released.' })

export const quarantinedDetailSchema = z
  .strictObject({ ...quarantinedSchema.shape, contentType, data, dataBase64, evidence: evidenceSchema })
  .meta({ id: 'QuarantinedDetail', description: 'A fact that is held back, with its data and its evidence.' })

export const quarantinePageSchema = pageOf(
  'QuarantinePage',
  quarantinedSchema,
  numbered('qtn').nullable().describe('Pass it as after; null: there is nothing yet'),
)

export const releasedSchema = z
  .strictObject({
    ...quarantinedSchema.shape,
    duplicate: z
      .boolean()
      .describe('The same fact had become an event meanwhile: it is named here, and counts this as a duplicate'),
  })
  .meta({ id: 'Released', description: 'A fact that was held back, and the event that it is now.' })

export const quarantineQuerySchema = z.strictObject({
  after: idBehind('qtn'),
  limit,
  state: oneOf(QUARANTINE_STATES, 'Only what is in this state: quarantined is what nobody has decided about.'),
  kind: listOf('Only these kinds.', z.string()),
  environment: oneOf(ENVIRONMENTS, 'Only what was received in this environment.'),
  reason: oneOf(QUARANTINE_REASONS, 'Only what is held back for this reason.'),
})
