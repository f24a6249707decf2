import type { QuarantineReason } from '../../domain/accounts.ts'
import { type HandedDelivery, slotsOf } from '../../domain/delivery.ts'
import type { Destination } from '../../domain/destination.ts'
import type { Fact, NewCallback } from '../../domain/event.ts'
import type { StoredCallback } from '../../domain/event-record.ts'
import { unparsedInterpretation } from '../../domain/interpretation.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { Decision, ReleasedFact } from '../../domain/quarantine.ts'
import type { Realm } from '../../domain/realm.ts'
import type { Deduplication, EventRows } from './event-rows.ts'
import type { CallbackRow, EventWriter } from './event-writer.ts'
import { createEventsWithoutCaller, type EventsWithoutCaller } from './events-without-caller.ts'
import type { HeldFact, QuarantinedRows } from './held-facts.ts'
import type { DeliveryTargets, NewDeliveries } from './new-deliveries.ts'
import type { ReconciledFacts } from './reconciled-facts.ts'
import type { TokenJobs } from './token-jobs.ts'

export interface CallbackWriter extends EventsWithoutCaller {
  /** Inside the transaction. */
  store(callback: NewCallback, destinations: readonly Destination[]): StoredCallback
  /** Inside the transaction: makes a fact in quarantine an event, or counts it with the event of an equal fact. */
  release(id: number, decision: Decision, destinations: readonly Destination[]): Omit<ReleasedFact, 'fact'>
  /** After the commit. */
  committed(): void
  /** After a rollback: undoes all changes in memory. */
  rolledBack(): void
}

/** The callback as one unparsed fact, for a second attempt to store it. It goes to quarantine if any of its facts would. A token is forwarded as it came. */
export function withoutFacts({ notificationToken: _token, ...callback }: NewCallback): NewCallback {
  const isHeld = callback.facts.some(({ quarantine }) => quarantine !== undefined)
  return { ...callback, ...unparsedInterpretation(callback.kind, isHeld) }
}

export function createCallbackWriter(parts: {
  readonly rows: EventRows
  readonly writer: EventWriter
  readonly deduplication: Deduplication
  readonly quarantine: QuarantinedRows
  readonly reconciled: ReconciledFacts
  readonly tokens: Pick<TokenJobs, 'open'>
}): CallbackWriter {
  const { rows, writer, deduplication, quarantine, reconciled, tokens } = parts
  const { insertCallback, insertEvent } = writer

  /** A redaction must find the repeated bytes in this body, too. */
  function insertRepeat({ callbackId }: CallbackRow, environment: Realm, { subject, span }: Fact): void {
    if (subject === null || span === null) return
    const { itemStart, itemEnd } = span
    rows.insertRepeat({ callbackId, itemStart, itemEnd, environment, subject })
  }

  /** Repeats during the quarantine count as duplicates. */
  function makeEvent(held: HeldFact, targets: DeliveryTargets) {
    const { position, deliveries } = insertEvent(held, writer.findCallback(held.callbackId), held.fact, targets)
    const { seen, lastSeenAt } = held
    if (seen > 1) rows.countDuplicates(position, seen - 1, lastSeenAt)
    const { destinationIds, blocked } = deliveries
    return { position, destinationIds, blocked }
  }

  /** A fact in quarantine is decided on by its bytes. */
  function findEqual(environment: Realm, fact: Fact): number | null {
    const original = deduplication.find(fact.hash)
    return original === null && fact.quarantine === undefined ? reconciled.find(environment, fact) : original
  }

  /** Its entries become events when its job is settled. */
  function storeToken(callback: NewCallback, token: string): StoredCallback {
    const { tokenId, callbackId } = tokens.open(callback, token, () => insertCallback(callback, false).callbackId)
    return { callbackId, eventIds: [], duplicates: 0, destinationIds: [], tokenId }
  }

  return {
    store(callback, destinations) {
      if (callback.notificationToken !== undefined) return storeToken(callback, callback.notificationToken)
      const { facts, environment, receivedAt, mark } = callback
      const handedSlots = facts.length === 1 && facts[0]?.span === null ? slotsOf(callback.body.length) : 0
      const targets = { destinations, at: receivedAt, handedSlots }
      const isSingle = facts.length === 1 && facts[0]?.quarantine === undefined
      // A callback without a new fact is not stored.
      let callbackRow: CallbackRow | undefined
      const storeRow = () => (callbackRow ??= insertCallback(callback, isSingle))
      // Filled in place, because copies of arrays and objects cost a tenth of what the rows cost.
      const stored: Filling = { callbackId: null, eventIds: [], duplicates: 0, destinationIds: [] }
      const repeatedFacts: Fact[] = []
      for (const fact of facts) {
        const original = findEqual(environment, fact)
        if (original !== null) {
          rows.countDuplicate(original, receivedAt)
          stored.duplicates++
          repeatedFacts.push(fact)
        } else if (fact.quarantine !== undefined) {
          const held = quarantine.hold(callback, fact, () => storeRow().callbackId)
          addQuarantined(stored, held.id, fact.quarantine)
          if (!held.isNew) repeatedFacts.push(fact)
        } else {
          const { id, deliveries } = insertEvent(callback, storeRow(), fact, targets)
          stored.eventIds.push(id)
          stored.newFacts ??= []
          stored.newFacts.push(summaryOf(fact))
          addDeliveries(stored, deliveries)
        }
      }
      if (mark !== null) stored.mark = mark
      if (callbackRow === undefined) return stored
      stored.callbackId = callbackRow.callbackId
      for (const fact of repeatedFacts) insertRepeat(callbackRow, environment, fact)
      return stored
    },

    ...createEventsWithoutCaller(writer, reconciled),

    release(id, decision, destinations) {
      const held = quarantine.get(id)
      const original = deduplication.find(held.fact.hash)
      if (original !== null) {
        rows.countDuplicates(original, held.seen, held.lastSeenAt)
        quarantine.released(id, decision, original)
        return { isNew: false, destinationIds: [], blocked: 0 }
      }
      const { position, ...deliveries } = makeEvent(held, { destinations, at: decision.at })
      quarantine.released(id, decision, position)
      return { isNew: true, ...deliveries }
    },

    committed() {
      deduplication.committed()
      writer.committed()
    },

    rolledBack() {
      writer.rolledBack()
      deduplication.rolledBack()
    },
  }
}

/** The result of a callback, while its facts are stored. */
type Filling = { -readonly [K in keyof StoredCallback]: StoredCallback[K] } & {
  readonly eventIds: string[]
  readonly destinationIds: number[]
  newFacts?: FactSummary[]
  handed?: HandedDelivery[]
  quarantineIds?: string[]
  quarantineReasons?: QuarantineReason[]
}

function addQuarantined(stored: Filling, id: number, reason: QuarantineReason): void {
  stored.quarantineIds ??= []
  stored.quarantineIds.push(numberedId('qtn', id))
  stored.quarantineReasons ??= []
  if (!stored.quarantineReasons.includes(reason)) stored.quarantineReasons.push(reason)
}

function addDeliveries(stored: Filling, { destinationIds, handed, blocked }: NewDeliveries): void {
  for (const id of destinationIds) stored.destinationIds.push(id)
  if (handed.length > 0) stored.handed = stored.handed === undefined ? handed : stored.handed.concat(handed)
  if (blocked > 0) stored.blocked = (stored.blocked ?? 0) + blocked
}

type FactSummary = Pick<Fact, 'kind' | 'subject' | 'status'>

/** The fields of a fact that leave the writer thread. */
export function summaryOf({ kind, subject, status }: Fact): FactSummary {
  return { kind, subject, status }
}
