import { clientOf } from '../../domain/client.ts'
import type { EventMask } from '../../domain/masking/event-mask.ts'
import { numberedId, parseNumberedId } from '../../domain/public-id.ts'
import type { Decision, QuarantinedFact, ReleasedFact } from '../../domain/quarantine.ts'
import { namedParts } from '../../domain/realm.ts'
import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { seesMasked } from '../auth/store-scope.ts'
import { dropUndefined } from '../http/answer.ts'
import { type Call, endpoint, segmentOf } from '../http/endpoint.ts'
import { rangeOf } from '../http/query.ts'
import { quarantineHint } from './lookup.ts'
import { maskedFact, maskedFacts, maskedQuarantinedText } from './masked-view.ts'
import {
  quarantinedDetailSchema,
  quarantinedSchema,
  quarantinePageSchema,
  quarantineQuerySchema,
  releasedSchema,
} from './schema.ts'
import { findQuarantined, quarantinedText, quarantinedView } from './serializer.ts'

export interface QuarantineEndpointsOptions {
  readonly store: Store
  /** For clients without `events.read`. */
  readonly mask: EventMask
  readonly now: () => number
  readonly onReleased: (released: ReleasedFact) => void
  readonly log: Log
}

const common = { tag: 'Quarantine', errors: 'problem' } as const
const one = { ...common, segments: { id: 'Id of the quarantined fact, such as qtn_1.' } }
const decided = { 409: { description: 'The fact was already released or discarded.' } }

export function quarantineEndpoints(options: QuarantineEndpointsOptions) {
  return {
    listQuarantine: listQuarantine(options),
    showQuarantined: showQuarantined(options),
    releaseQuarantined: releaseQuarantined(options),
    discardQuarantined: discardQuarantined(options),
  }
}

const MASKED = 'Without events.read personal data is masked.'

function listQuarantine({ store, mask }: QuarantineEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'get',
    path: '/v1/quarantine',
    access: ['operations.read'],
    summary: 'List quarantined facts',
    description: `Oldest first, or newest first with \`order=desc\`. ${MASKED} A masked page ends after 4 MiB of payloads.`,
    query: quarantineQuerySchema,
    answers: { 200: { description: 'A page of quarantined facts.', schema: quarantinePageSchema } },
    async run(call) {
      const { limit, kind: kinds, from, to, after, order, ...others } = call.query
      const range = rangeOf({ after, order })
      const filter = { ...dropUndefined({ kinds, receivedFrom: from, receivedTo: to, ...others }), ...range }
      const facts = await store.listQuarantine(filter, limit + 1)
      const asked = facts.slice(0, limit)
      const data = seesMasked(call) ? await maskedFacts(asked, store, mask) : asked.map(quarantinedView)
      // An empty page keeps the reader's position.
      const last = asked[data.length - 1]?.id ?? after
      const next = last === undefined ? null : numberedId('qtn', last)
      const hint = data.length > 0 ? null : await quarantineHint(store, filter)
      const more = facts.length > data.length
      return { json: { data, next, more, ...(hint !== null && { hint }) } }
    },
  })
}

function showQuarantined({ store, mask }: QuarantineEndpointsOptions) {
  return endpoint({
    ...one,
    method: 'get',
    path: '/v1/quarantine/:id',
    access: ['operations.read'],
    summary: 'Show a quarantined fact with its evidence',
    description: MASKED,
    answers: { 200: { description: 'The fact.', schema: quarantinedDetailSchema } },
    async run(call) {
      const found = await findQuarantined(store, segmentOf(call, 'id'))
      return { jsonText: seesMasked(call) ? maskedQuarantinedText(found, mask) : quarantinedText(found) }
    },
  })
}

function releaseQuarantined(options: QuarantineEndpointsOptions) {
  const { store, now, onReleased, log } = options
  return endpoint({
    ...one,
    method: 'post',
    access: ['operations.write'],
    path: '/v1/quarantine/:id/release',
    summary: 'Release a quarantined fact',
    description:
      'The fact becomes an event after all existing events, with its original receive time, and is delivered to the destinations that match it now.',
    answers: { 200: { description: 'The released fact.', schema: releasedSchema }, ...decided },
    async run(call) {
      const released = await store.releaseQuarantined(numberIn(call), decisionBy(call, now()))
      onReleased(released)
      const view = { ...(await shownView(call, released.fact, options)), duplicate: !released.isNew }
      const { id, event: eventId, kind, decidedBy: by, duplicate } = view
      const deliveries = released.destinationIds.length + released.blocked
      const realm = namedParts(released.fact.environment)
      log.info({ id, eventId, kind, ...realm, by, duplicate, deliveries }, 'quarantine.released')
      return { json: view }
    },
  })
}

function discardQuarantined(options: QuarantineEndpointsOptions) {
  const { store, now, log } = options
  return endpoint({
    ...one,
    method: 'post',
    access: ['operations.write'],
    path: '/v1/quarantine/:id/discard',
    summary: 'Discard a quarantined fact',
    description: 'The fact stays visible, but can no longer be released.',
    answers: { 200: { description: 'The discarded fact.', schema: quarantinedSchema }, ...decided },
    async run(call) {
      const discarded = await store.discardQuarantined(numberIn(call), decisionBy(call, now()))
      const view = await shownView(call, discarded, options)
      const { id, kind, decidedBy: by } = view
      log.info({ id, kind, ...namedParts(discarded.environment), by }, 'quarantine.discarded')
      return { json: view }
    },
  })
}

async function shownView(
  call: Call,
  fact: QuarantinedFact,
  { store, mask }: Pick<QuarantineEndpointsOptions, 'store' | 'mask'>,
) {
  return seesMasked(call) ? (await maskedFact(fact, store, mask)).view : quarantinedView(fact)
}

function decisionBy(call: Call, at: number): Decision {
  return { by: clientOf(call), at }
}

/** @throws PortariaError `not_found` */
function numberIn(call: Call): number {
  const id = segmentOf(call, 'id')
  const number = parseNumberedId('qtn', id)
  if (number === null) throw new PortariaError('not_found', `there is no ${id.slice(0, 64)} in quarantine`)
  return number
}
