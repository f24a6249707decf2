import { z } from 'zod'
import { ENVIRONMENTS, LISTENER_NAMES } from '../../domain/event.ts'
import { deliverySchema, triedDeliverySchema } from '../deliveries/schema.ts'
import { cursor, instant, limit, listOf, oneOf, text, wait } from '../http/query.ts'
import { environment, eventIdSchema, fingerprint, numbered, pageOf, time } from '../http/schema-parts.ts'

const listener = z.enum(LISTENER_NAMES).nullable().describe('null: the gateway made the event itself')
const authentication = z
  .enum(['mutual-tls', 'path-token', 'none'])
  .describe('How the caller was authenticated; none: nobody called, the gateway made the event itself')
const callback = numbered('clb').nullable().describe('The callback that it came in; null: in none')
const contentType = z.string().nullable()

/** What is told of an event without its data. */
export const eventSummarySchema = z.strictObject({
  id: eventIdSchema.describe('The same at every destination, attempt and replay: deduplicate on it'),
  kind: z.string(),
  environment,
  subject: z.string().nullable().describe('The business id that it is about'),
  status: z.string().nullable(),
  receivedAt: time,
  listener,
  authentication,
  mark: z
    .enum(['unparsed', 'unsplit'])
    .nullable()
    .describe('unparsed: its callback could not be read; unsplit: it holds too many facts, or is too deep'),
  part: z
    .string()
    .regex(/^[0-9]+\/[0-9]+$/)
    .nullable()
    .describe('Which of the facts of its callback it is, such as 2/3; null: the only one'),
  duplicates: z.int().min(0).describe('How often the same fact came again'),
  lastSeenAt: time.nullable().describe('When it last came again'),
  callback,
  payloadRemovedAt: time
    .nullable()
    .describe('Since then its data is gone, by retention or by a redaction, and data is null; null: it is there'),
})

export const eventSchema = z
  .strictObject({
    ...eventSummarySchema.shape,
    contentType,
    data: z.unknown().describe('The fact as it was written: JSON as JSON, other text as a string'),
    dataBase64: z
      .string()
      .meta({ contentEncoding: 'base64' })
      .optional()
      .describe('In place of data, which is null then, where it is no text'),
  })
  .meta({ id: 'Event', description: 'One fact that the service called back, or that the gateway tells of itself.' })

const peerSchema = z
  .strictObject({
    fingerprint,
    serial: z.string(),
    subject: z.string(),
    issuer: z.string(),
    notAfter: time,
    pem: z.string(),
  })
  .meta({ id: 'Peer', description: 'The certificate that the caller showed.' })

export const evidenceSchema = z
  .strictObject({
    callback,
    route: z.string().describe('The kind whose route was called'),
    environment,
    listener,
    authentication,
    receivedAt: time,
    remoteAddress: z.string().nullable(),
    target: z.string().nullable().describe('As it was asked for; a token in it is cut'),
    tlsVersion: z.string().nullable(),
    cipher: z.string().nullable(),
    contentType,
    headers: z.array(z.tuple([z.string(), z.string()])),
    bytes: z.int().min(0),
    bodyRemovedAt: time
      .nullable()
      .describe('Since then the body is not what came any more: gone, or blank where a fact was redacted; null: it is'),
    peer: peerSchema.nullable(),
  })
  .meta({ id: 'Evidence', description: 'Who sent the callback that an event came in, and how.' })

const hashesSchema = z
  .strictObject({
    payload: fingerprint.describe(
      'Of exactly the bytes that a delivery of the event carries, also once they are removed',
    ),
    event: fingerprint.describe('Of the hash of the event before it and everything that was stored of this one'),
  })
  .meta({
    id: 'EventHashes',
    description: 'SHA-256, in lower-case hexadecimal. portaria events show --evidence proves them.',
  })

export const eventDetailSchema = z
  .strictObject({
    ...eventSchema.shape,
    evidence: evidenceSchema,
    hashes: hashesSchema,
    deliveries: z.array(deliverySchema),
  })
  .meta({ id: 'EventDetail', description: 'An event with its evidence and its deliveries.' })

export const eventPageSchema = pageOf('EventPage', eventSchema, z.string().describe('A cursor: pass it as after'))

export const eventDeliveriesSchema = z
  .strictObject({ data: z.array(triedDeliverySchema) })
  .meta({ id: 'EventDeliveries' })

export const eventReplaySchema = z
  .strictObject({
    event: eventIdSchema,
    deliveries: z.array(numbered('dlv')).describe('Those that it made, and those that were there already'),
    waiting: z
      .array(numbered('dlv'))
      .describe('Those of them that waited to be sent already: they are left as they are'),
  })
  .meta({ id: 'ReplayedEvent' })

export const eventQuerySchema = z.strictObject({
  after: cursor,
  limit,
  kind: listOf('Only these kinds. probe and operator are given only where they are named.', z.string()),
  environment: oneOf(ENVIRONMENTS, 'Only events of this environment.'),
  subject: text('Only events about this business id.'),
  status: text('Only events with this status.'),
  receivedFrom: instant('Only events received then or later.'),
  receivedTo: instant('Only events received before.'),
  wait,
})

export const eventReplayQuerySchema = z.strictObject({
  destination: text(
    'Name or id of the destination. Left out: every destination that it was owed to; a client without operations.write must name one of its own.',
  ),
})

/** What keeps a stranger's page from being one of ours. */
export const ORIGINAL_HEADERS = {
  'content-disposition': alwaysIs('attachment', 'It is a file, never a page.'),
  'content-security-policy': alwaysIs("default-src 'none'; sandbox", 'It loads and runs nothing.'),
  'x-content-type-options': alwaysIs('nosniff', 'Nobody guesses another content type.'),
}

function alwaysIs(value: string, description: string) {
  return { description, required: true, schema: { const: value } }
}
