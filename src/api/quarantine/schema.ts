import { z } from 'zod'
import { QUARANTINE_REASONS } from '../../domain/accounts.ts'
import { LISTENER_NAMES } from '../../domain/event.ts'
import { QUARANTINE_STATES, UNPARSED_REASONS, type UnparsedReason } from '../../domain/quarantine.ts'
import { ENVIRONMENTS } from '../../domain/realm.ts'
import { eventSchema, evidenceSchema } from '../events/schema.ts'
import { idBehind, instant, limit, listOf, oneOf, order, text } from '../http/query.ts'
import { environment, eventIdSchema, hintSchema, institution, numbered, pageOf, time } from '../http/schema-parts.ts'

const { subject, status, mark, part, contentType, data, dataBase64, payloadRemovedAt, masked } = eventSchema.shape

export const quarantinedSchema = z
  .strictObject({
    id: numbered('qtn'),
    state: z.enum(QUARANTINE_STATES),
    reason: z
      .enum(QUARANTINE_REASONS)
      .describe('account_foreign: the fact names an account that is not allowed; account_missing: it names none'),
    kind: z.string(),
    institution,
    environment,
    subject,
    status,
    receivedAt: time,
    listener: z.enum(LISTENER_NAMES),
    authentication: z.enum(['mutual-tls', 'path-token']).describe('How the caller was authenticated'),
    mark,
    part,
    seen: z.int().min(1).describe('How often the same fact was received'),
    lastSeenAt: time,
    callback: numbered('clb').describe('The first callback that contained the fact'),
    decidedAt: time.nullable(),
    decidedBy: z.string().nullable().describe("operator, a client's id, retention (no decision in time), or redaction"),
    event: eventIdSchema.nullable().describe('The event that the released fact became'),
    payloadRemovedAt,
    masked,
  })
  .meta({
    id: 'Quarantined',
    description: 'A fact held back for a decision: it becomes an event only when it is released.',
  })

export const quarantinedDetailSchema = z
  .strictObject({
    ...quarantinedSchema.shape,
    unparsedReason: z
      .literal(Object.keys(UNPARSED_REASONS) as UnparsedReason[])
      .nullable()
      .describe(
        `Why \`mark\` is unparsed. ${Object.entries(UNPARSED_REASONS)
          .map((reason) => reason.join(': '))
          .join('; ')}`,
      ),
    contentType,
    data,
    dataBase64,
    evidence: evidenceSchema,
  })
  .meta({ id: 'QuarantinedDetail', description: 'A quarantined fact with its data and its evidence.' })

export const quarantinePageSchema = pageOf(
  'QuarantinePage',
  quarantinedSchema,
  numbered('qtn').nullable().describe('Pass it as `after`; null: no quarantined facts exist yet'),
  { hint: hintSchema },
)

export const releasedSchema = z
  .strictObject({
    ...quarantinedSchema.shape,
    duplicate: z
      .boolean()
      .describe(
        'The same fact became an event in the meantime: `event` names it, and it counts this one as a duplicate',
      ),
  })
  .meta({ id: 'Released', description: 'A released fact and its event.' })

export const quarantineQuerySchema = z.strictObject({
  after: idBehind('qtn'),
  limit,
  state: oneOf(QUARANTINE_STATES, 'Only facts in this state; `quarantined` facts need a decision.'),
  kind: listOf('Only these kinds.', z.string()),
  institution: text('Only facts of this institution.'),
  environment: oneOf(ENVIRONMENTS, 'Only facts received in this environment.'),
  reason: oneOf(QUARANTINE_REASONS, 'Only facts quarantined for this reason.'),
  from: instant('Only facts received at or after this time.'),
  to: instant('Only facts received before this time.'),
  order,
})
