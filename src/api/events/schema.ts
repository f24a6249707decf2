import { z } from 'zod'
import { DELIVERY_CHOICES, type DeliveryCounts } from '../../domain/delivery.ts'
import { EVENT_ORDERS, LISTENER_NAMES } from '../../domain/event.ts'
import { HASHED_FIELDS } from '../../domain/event-hash.ts'
import { VISIBLE_SOURCES } from '../../domain/event-record.ts'
import { ENVIRONMENTS } from '../../domain/realm.ts'
import { SEARCH_LIMITS } from '../../domain/search/search-query.ts'
import { reasonSchema } from '../audit/recording.ts'
import { deliverySchema, FAILING_OR_WAITING, triedDeliverySchema } from '../deliveries/schema.ts'
import { cursor, instant, limit, listOf, oneOf, text, wait } from '../http/query.ts'
import {
  environment,
  eventIdSchema,
  fingerprint,
  hintSchema,
  institution,
  numbered,
  pageOf,
  subjectIdentifiers,
  time,
} from '../http/schema-parts.ts'

const listener = z.enum(LISTENER_NAMES).nullable().describe('null: the gateway created the event itself')
const authentication = z
  .enum(['mutual-tls', 'path-token', 'service', 'none'])
  .describe(
    'How the caller was authenticated; service: the gateway asked the service for it; none: the gateway created the event itself',
  )
const callback = numbered('clb')
  .nullable()
  .describe('The callback that contained it; null: the gateway created the event itself')
const contentType = z.string().nullable()

/** An event without its data. */
export const eventSummarySchema = z.strictObject({
  id: eventIdSchema.describe('Identical in every delivery, attempt and replay: deduplicate by it'),
  kind: z.string(),
  institution,
  environment,
  subject: z.string().nullable().describe('The business id of the event'),
  status: z.string().nullable(),
  receivedAt: time,
  listener,
  authentication,
  source: z
    .enum(VISIBLE_SOURCES)
    .describe(
      'callback: received in a callback; resolved: an entry of a charge token that the gateway asked the service for; reconciled: asked for because its callback had not come; gateway: its own report',
    ),
  unresolved: z
    .boolean()
    .describe('true: a charge token whose entries the service has not given in time; events of its entries may follow'),
  mark: z
    .enum(['unparsed', 'unsplit'])
    .nullable()
    .describe(
      'unparsed: the callback is not JSON in UTF-8, UTF-16 or the charset of its content type; unsplit: it has too many facts, or is nested too deeply',
    ),
  part: z
    .string()
    .regex(/^[0-9]+\/[0-9]+$/)
    .nullable()
    .describe('Number of the fact in its callback, such as 2/3; null: the only one'),
  duplicates: z.int().min(0).describe('How often the same fact was received again'),
  lastSeenAt: time.nullable().describe('When the fact was last received again'),
  callback,
  payloadRemovedAt: time
    .nullable()
    .describe('When retention or a redaction removed the data, which is null since then; null: the data is stored'),
})

export const eventSchema = z
  .strictObject({
    ...eventSummarySchema.shape,
    contentType,
    data: z
      .unknown()
      .describe(
        'The fact as received, turned into UTF-8 from another charset: JSON as JSON, other text as a string. A resolved one: the entry as the service gave it',
      ),
    dataBase64: z
      .string()
      .meta({ contentEncoding: 'base64' })
      .optional()
      .describe(
        'Instead of data, which is null then, for bytes that are not UTF-8, UTF-16 or text in the charset of the content type',
      ),
    masked: z
      .literal(true)
      .optional()
      .describe(
        'Only for a token without events.read: personal data is ***, in the payload, the subject, the status and the evidence',
      ),
  })
  .meta({ id: 'Event', description: 'One fact of a callback, or one that the gateway reports about itself.' })

const peerSchema = z
  .strictObject({
    fingerprint,
    serial: z.string(),
    subject: z.string(),
    issuer: z.string(),
    notAfter: time,
    pem: z.string(),
    identifiers: subjectIdentifiers,
  })
  .meta({ id: 'Peer', description: 'The peer certificate of the caller.' })

export const evidenceSchema = z
  .strictObject({
    callback,
    route: z.string().describe('Kind of the route that received the callback'),
    institution,
    environment,
    listener,
    authentication,
    receivedAt: time,
    remoteAddress: z.string().nullable(),
    target: z.string().nullable().describe('Request target; a token in it is cut out'),
    tlsVersion: z.string().nullable(),
    cipher: z.string().nullable(),
    contentType,
    headers: z.array(z.tuple([z.string(), z.string()])),
    bytes: z.int().min(0),
    bodyRemovedAt: time
      .nullable()
      .describe('When data was removed from the body: all of it, or redacted facts; null: the body is complete'),
    peer: peerSchema.nullable(),
  })
  .meta({ id: 'Evidence', description: 'Who sent the callback of an event, and how.' })

const hashesSchema = z
  .strictObject({
    payload: fingerprint.describe(
      'Hash of the bytes that a delivery of the event carries; kept after they are removed',
    ),
    event: fingerprint.describe("Hash of the previous event's hash and of everything stored for this event"),
  })
  .meta({
    id: 'EventHashes',
    description: 'SHA-256 in lower-case hexadecimal. `portaria events show --evidence` verifies them.',
  })

export const eventDetailSchema = z
  .strictObject({
    ...eventSchema.shape,
    evidence: evidenceSchema,
    hashes: hashesSchema.nullable().describe('null in a masked event: masked values could be guessed from them'),
    deliveries: z.array(deliverySchema),
  })
  .meta({ id: 'EventDetail', description: 'An event with its evidence and its deliveries.' })

export const proofSchema = z
  .strictObject({
    id: eventIdSchema,
    isSound: z.boolean().describe('false: the event is not what was stored'),
    fields: z
      .array(z.tuple([z.enum(HASHED_FIELDS), z.string().nullable()]))
      .describe('Names and values in the order in which they are hashed'),
    payload: z.string().meta({ contentEncoding: 'base64' }).nullable().describe('null: it was removed'),
    payloadRemovedAt: time.nullable(),
    previous: z.strictObject({
      position: z.int().min(0).describe('Of the previous event; 0: there is none'),
      hash: fingerprint,
    }),
    digest: fingerprint,
    hash: fingerprint,
    certificate: z.string().nullable().describe('The peer certificate of the caller, PEM'),
    how: z.string().describe('How to compute the hashes'),
  })
  .meta({ id: 'EventProof', description: 'What an auditor needs to compute the hash of an event again.' })

const count = z.int().min(0)

export const deliveryCountsSchema = z
  .strictObject({
    pending: count,
    failing: count.describe('Of the pending ones: those whose last attempt failed'),
    blocked: count,
    delivered: count,
    exhausted: count,
    canceled: count,
  } satisfies Record<keyof DeliveryCounts, typeof count>)
  .meta({ id: 'DeliveryCounts', description: 'How many deliveries of an event are in each state.' })

export const listedEventSchema = z
  .strictObject({
    ...eventSchema.shape,
    deliveries: deliveryCountsSchema
      .optional()
      .describe(
        'Only with `include=deliveries`. Clients without support.read and operations.read see those of their own destinations',
      ),
  })
  .meta({ id: 'ListedEvent', description: 'An event in a list.' })

export const eventPageSchema = pageOf(
  'EventPage',
  listedEventSchema,
  z.string().describe('A cursor: pass it as `after`'),
  {
    hint: hintSchema,
  },
)

export const eventDeliveriesSchema = z
  .strictObject({ data: z.array(triedDeliverySchema) })
  .meta({ id: 'EventDeliveries' })

export const eventReplaySchema = z
  .strictObject({
    event: eventIdSchema,
    deliveries: z.array(numbered('dlv')).describe('Created and already existing deliveries'),
    waiting: z.array(numbered('dlv')).describe('Deliveries that were already pending, and are unchanged'),
  })
  .meta({ id: 'ReplayedEvent' })

export const eventQuerySchema = z.strictObject({
  after: cursor,
  limit,
  kind: listOf('Only these kinds. Default: every kind except probe and operator.', z.string()),
  institution: text('Only events of this institution.'),
  environment: oneOf(ENVIRONMENTS, 'Only events of this environment.'),
  subject: text('Only events about this business id.'),
  status: text('Only events with this status.'),
  deliveryState: listOf(
    `Only events with a delivery in one of these states, as they are now: a later change adds no event behind a cursor. ${FAILING_OR_WAITING} Not with \`wait\`.`,
    z.enum(DELIVERY_CHOICES, { error: `one of ${DELIVERY_CHOICES.join(', ')}` }),
  ),
  destination: text(
    'Only events with a delivery to the destination of this name or id, in one of the states where `deliveryState` names some. Not with `wait`.',
  ),
  search: text(
    [
      'Only events whose payload, subject or id has all of these words, newest first: a txid, an endToEndId, a CPF or CNPJ with or without punctuation,',
      'a name without accents, an e-mail address, an amount (150.10, 150,10, R$ 150,10), an event or delivery id. Words of 4 characters or more match',
      `as prefixes. At most ${SEARCH_LIMITS.words} words and ${SEARCH_LIMITS.characters} characters. A background job indexes events, so a new one is found a moment later.`,
    ].join(' '),
  ),
  include: oneOf(['deliveries'], 'deliveries: each event with the number of its deliveries in each state.'),
  from: instant('Only events received at or after this time.'),
  to: instant('Only events received before this time.'),
  wait,
  order: oneOf(
    EVENT_ORDERS,
    'asc: oldest first (default). desc: newest first, without `wait`; default of `after`: the newest event.',
  ),
})

const BY_STREAM = {
  after: true,
  kind: true,
  institution: true,
  environment: true,
  subject: true,
  status: true,
  from: true,
  to: true,
} as const
export const eventStreamQuerySchema = eventQuerySchema.pick(BY_STREAM)

export const eventStreamSchema = z.string().meta({
  id: 'EventStream',
  description: [
    '`event: event` has an event as in the list in `data`. `event: gap`: retention removed events before they were read, once; `data` has the reason,',
    'and the stream continues after them. A message without data only has the `id` of a later position.',
  ].join(' '),
})

export const unmaskRequestSchema = z
  .strictObject({ reason: reasonSchema.describe('Why, in words, for the log of actions. No personal data.') })
  .meta({ id: 'UnmaskRequest' })

export const eventReplayQuerySchema = z.strictObject({
  destination: text(
    'Name or id of the destination. Default: every destination that has a delivery of the event. With events.replay alone a client must name one of its own.',
  ),
})

/** Keep a browser from running a stored HTML page with the API's origin. */
export const ORIGINAL_HEADERS = {
  'content-disposition': alwaysIs('attachment', 'Browsers save the body as a file.'),
  'content-security-policy': alwaysIs("default-src 'none'; sandbox", 'The body cannot load or run anything.'),
  'x-content-type-options': alwaysIs('nosniff', 'Browsers do not guess another content type.'),
}

function alwaysIs(value: string, description: string) {
  return { description, required: true, schema: { const: value } }
}
