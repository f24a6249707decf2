import { clientOf } from '../../domain/client.ts'
import type { EventMask } from '../../domain/masking/event-mask.ts'
import { numberedId, parseNumberedId } from '../../domain/public-id.ts'
import type { Decision, QuarantinedFact, ReleasedFact } from '../../domain/quarantine.ts'
import { namedParts } from '../../domain/realm.ts'
import type { Store } from '../../domain/store.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { given } from '../../platform/given.ts'
import type { Log } from '../../platform/log.ts'
import { say } from '../../platform/said.ts'
import { seesMasked } from '../auth/store-scope.ts'
import type { Handlers } from '../http/contract.ts'
import { type Call, segmentOf } from '../http/endpoint.ts'
import { rangeOf } from '../http/query.ts'
import { served } from '../http/served.ts'
import { QUARANTINE_DECISIONS, QUARANTINE_READS } from './contract.ts'
import { quarantineHint } from './lookup.ts'
import { maskedFact, maskedFacts, maskedQuarantinedText } from './masked-view.ts'
import { findQuarantined, quarantinedText, quarantinedView } from './serializer.ts'

export interface QuarantineReadParts {
  readonly store: StoreReader
  /** For clients without `events.read`. */
  readonly mask: EventMask
}

export interface QuarantineParts extends QuarantineReadParts {
  readonly store: Store
  readonly now: () => number
  readonly onReleased: (released: ReleasedFact) => void
  readonly log: Log
}

const READS: Handlers<typeof QUARANTINE_READS, QuarantineReadParts> = {
  async listQuarantine(call, { store, mask }) {
    const { limit, kind: kinds, from, to, after, order, ...others } = call.query
    const range = rangeOf({ after, order })
    const filter = { ...given({ kinds, receivedFrom: from, receivedTo: to, ...others }), ...range }
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
  async showQuarantined(call, { store, mask }) {
    const found = await findQuarantined(store, segmentOf(call, 'id'))
    return { jsonText: seesMasked(call) ? maskedQuarantinedText(found, mask) : quarantinedText(found) }
  },
}

const DECISIONS: Handlers<typeof QUARANTINE_DECISIONS, QuarantineParts> = {
  async releaseQuarantined(call, parts) {
    const { store, now, onReleased, log } = parts
    const released = await store.releaseQuarantined(numberIn(call), decisionBy(call, now()))
    onReleased(released)
    const view = { ...(await shownView(call, released.fact, parts)), duplicate: !released.isNew }
    const { id, event: eventId, kind, decidedBy: by, duplicate } = view
    const deliveries = released.destinationIds.length + released.blocked
    const realm = namedParts(released.fact.environment)
    log.info({ id, eventId, kind, ...realm, by, duplicate, deliveries }, 'quarantine.released')
    return { json: view }
  },
  async discardQuarantined(call, parts) {
    const { store, now, log } = parts
    const discarded = await store.discardQuarantined(numberIn(call), decisionBy(call, now()))
    const view = await shownView(call, discarded, parts)
    const { id, kind, decidedBy: by } = view
    log.info({ id, kind, ...namedParts(discarded.environment), by }, 'quarantine.discarded')
    return { json: view }
  },
}

export function quarantineEndpoints(parts: QuarantineParts) {
  return { ...quarantineReads(parts), ...served(QUARANTINE_DECISIONS, DECISIONS, parts) }
}

export function quarantineReads(parts: QuarantineReadParts) {
  return served(QUARANTINE_READS, READS, parts)
}

async function shownView(call: Call, fact: QuarantinedFact, { store, mask }: QuarantineReadParts) {
  return seesMasked(call) ? (await maskedFact(fact, store, mask)).view : quarantinedView(fact)
}

function decisionBy(call: Call, at: number): Decision {
  return { by: clientOf(call), at }
}

/** @throws PortariaError `not_found` */
function numberIn(call: Call): number {
  const id = segmentOf(call, 'id')
  const number = parseNumberedId('qtn', id)
  if (number === null) throw new PortariaError('not_found', say`there is no ${{ id: id.slice(0, 64) }} in quarantine`)
  return number
}
