/**
 * The reader reads the events, then the writer leases them by compare-and-set on the position: two requests at once
 * never share a batch, and no body passes through the writer. A lease is not synced (a lost one is leased again); an
 * acknowledgment is.
 */

import { type Consumer, type ConsumerKey, currentLease, type PositionRange } from '../../domain/consumer.ts'
import type { EventBus } from '../../domain/event-bus.ts'
import type { EventFilter } from '../../domain/event-record.ts'
import { newBatchId } from '../../domain/public-id.ts'
import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { gapAwarePages, NEW_READER } from '../events/gap-aware-pages.ts'
import type { Waiter } from '../events/long-polls.ts'
import { fitAnswer } from '../events/page.ts'
import { consumerNotFound } from './keys.ts'

export interface BatchRequest {
  readonly key: ConsumerKey
  readonly filter: EventFilter
  readonly limit: number
  readonly leaseMs: number
  /** Whether a consumer that is not there is made, at the first event. */
  readonly creates: boolean
}

export interface LeasedBatch {
  readonly id: string
  readonly expiresAt: number
  /** Events as JSON texts. */
  readonly texts: readonly string[]
}

/** Nothing was leased within the wait. */
export interface NoBatch {
  readonly id: null
  /** The end of the lease of another request, which holds the consumer's events; null: there is no such lease, and no event. */
  readonly leasedUntil: number | null
}

export interface BatchParts {
  readonly store: Pick<Store, 'getConsumer' | 'leaseBatch'>
  readonly events: Pick<Store, 'listEvents'>
  readonly bus: Pick<EventBus, 'subscribe'>
  readonly now: () => number
  readonly waiter: Pick<Waiter, 'wake' | 'next'>
}

/**
 * Leases the consumer's next events, as soon as there are any and its previous batch is acknowledged or expired.
 * Events are read first, and leased only if the consumer has not moved since: of two requests at the same time, one reads again.
 * @throws PortariaError `conflict` beyond the maximum number of consumers, `not_found` where none is made, `gone` where retention removed events before they were leased
 */
export async function takeBatch(request: BatchRequest, parts: BatchParts): Promise<LeasedBatch | NoBatch> {
  const { key, filter, limit, leaseMs } = request
  const { store, events, bus, now, waiter } = parts
  /** Read so far, from the consumer's position. */
  let scanned = { after: 0, end: 0 }
  let gapsKnownAt = NEW_READER

  async function lease(range: PositionRange, batch: { id: string; expiresAt: number } | null): Promise<boolean> {
    const leased = await store.leaseBatch(key, range, batch, now())
    if (leased === 'too many') throw new PortariaError('conflict', TOO_MANY)
    return leased === 'leased'
  }

  /** `end`: no event is left. `again`: the consumer has moved, or there are more events to read. */
  async function leaseNext({ position, gapsReportedAt }: ReaderState): Promise<LeasedBatch | 'end' | 'again'> {
    if (scanned.after !== position) scanned = { after: position, end: position }
    const pages = gapAwarePages(events, { filter, limit }, { gapsReportedAt, advice: GONE })
    const page = await pages.read(scanned.end)
    gapsKnownAt = Math.min(gapsKnownAt, pages.gapsReportedAt())
    if (page.events.length === 0) {
      scanned = { after: position, end: page.next }
      return page.more ? 'again' : 'end'
    }
    const { texts, next: end } = fitAnswer(page)
    const batch = { id: newBatchId(), expiresAt: now() + leaseMs }
    const isLeased = await lease({ after: position, end, gapsReportedAt: gapsKnownAt }, batch)
    return isLeased ? { ...batch, texts } : 'again'
  }

  /** Moves the consumer past skipped events, so that the next request need not read them again. */
  async function saveProgress(position: number | null): Promise<void> {
    if (position === null || scanned.end > position) await lease({ ...scanned, gapsReportedAt: gapsKnownAt }, null)
  }

  for (;;) {
    const consumer = await store.getConsumer(key)
    if (consumer === null && !request.creates) throw consumerNotFound(key.name)
    const current = consumer === null ? null : currentLease(consumer, now())
    if (current !== null) {
      const { expiresAt } = current
      if ((await waiter.next(expiresAt - now())) !== 'woken') return { id: null, leasedUntil: expiresAt }
      continue
    }
    const unsubscribe = bus.subscribe(filter, waiter.wake)
    try {
      const result = await leaseNext(consumer ?? START)
      if (result === 'again') continue
      if (result !== 'end') return result
      if ((await waiter.next()) === 'woken') continue
      await saveProgress(consumer?.position ?? null)
      return { id: null, leasedUntil: null }
    } finally {
      unsubscribe()
    }
  }
}

type ReaderState = Pick<Consumer, 'position' | 'gapsReportedAt'>
const START: ReaderState = { position: 0, gapsReportedAt: NEW_READER }

const GONE = [
  'events after the position of this consumer are gone before they were read (retention removed them, or a backup was restored):',
  'move it (POST …/seek) to "next" of this answer, which skips no event that is still stored',
].join(' ')

export const TOO_MANY = 'the maximum number of consumers is reached: delete an unused one'
