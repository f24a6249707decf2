import { type Consumer, type ConsumerKey, currentLease, type PositionRange } from '../../domain/consumer.ts'
import type { EventBus } from '../../domain/event-bus.ts'
import type { EventFilter } from '../../domain/event-record.ts'
import { newBatchId } from '../../domain/public-id.ts'
import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { BEGINS, gapAwarePages } from '../events/gap-aware-pages.ts'
import type { Waiter } from '../events/long-polls.ts'
import { fitAnswer } from '../events/page.ts'

export interface BatchWanted {
  readonly key: ConsumerKey
  readonly filter: EventFilter
  readonly limit: number
  readonly leaseMs: number
}

export interface TakenBatch {
  readonly id: string
  readonly expiresAt: number
  /** Its events as JSON texts. */
  readonly texts: readonly string[]
}

export interface BatchParts {
  readonly store: Pick<Store, 'getConsumer' | 'listEvents' | 'leaseBatch'>
  readonly bus: Pick<EventBus, 'subscribe'>
  readonly now: () => number
  readonly waiter: Waiter
}

/**
 * Lends the consumer's next events out, as soon as there are any and no other batch of its is out; null: that did not come true while the asker
 * waited. Events are read first and lent out only if the consumer has not moved meanwhile: of two at once one looks again.
 * @throws PortariaError `conflict` where it would be one consumer too many, `gone` where retention removed events before they were lent out
 */
export async function takeBatch(wanted: BatchWanted, parts: BatchParts): Promise<TakenBatch | null> {
  const { key, filter, limit, leaseMs } = wanted
  const { store, bus, now, waiter } = parts
  let passed = { after: 0, end: 0 }
  /** Removals announced up to then are known to whoever asks. */
  let known = BEGINS

  async function lend(stretch: PositionRange, batch: { id: string; expiresAt: number } | null): Promise<boolean> {
    const lending = await store.leaseBatch(key, stretch, batch, now())
    if (lending === 'too many') throw new PortariaError('conflict', TOO_MANY)
    return lending === 'leased'
  }

  /** `nothing`: it was read to the end. `again`: it moved, or there is more to read. */
  async function look({ position, gapsReportedAt }: Place): Promise<TakenBatch | 'nothing' | 'again'> {
    if (passed.after !== position) passed = { after: position, end: position }
    const pages = gapAwarePages(store, { filter, limit }, { gapsReportedAt, words: GONE })
    const page = await pages.read(passed.end)
    known = Math.min(known, pages.gapsReportedAt())
    if (page.events.length === 0) {
      passed = { after: position, end: page.next }
      return page.more ? 'again' : 'nothing'
    }
    const { texts, next: end } = fitAnswer(page)
    const batch = { id: newBatchId(), expiresAt: now() + leaseMs }
    return (await lend({ after: position, end, gapsReportedAt: known }, batch)) ? { ...batch, texts } : 'again'
  }

  /** Without a batch: so that the next look need not pass over the same once more. */
  async function end(position: number | null): Promise<null> {
    if (position === null || passed.end > position) await lend({ ...passed, gapsReportedAt: known }, null)
    return null
  }

  for (;;) {
    const consumer = await store.getConsumer(key)
    const out = consumer === null ? null : currentLease(consumer, now())
    if (out !== null) {
      if ((await waiter.next(out.expiresAt - now())) !== 'woken') return null
      continue
    }
    const endWatch = bus.subscribe(filter, waiter.wake)
    try {
      const looked = await look(consumer ?? START)
      if (looked === 'again') continue
      if (looked !== 'nothing') return looked
      if ((await waiter.next()) !== 'woken') return await end(consumer?.position ?? null)
    } finally {
      endWatch()
    }
  }
}

type Place = Pick<Consumer, 'position' | 'gapsReportedAt'>
const START: Place = { position: 0, gapsReportedAt: BEGINS }

const GONE = [
  'events after the position of this consumer are gone before they were read (retention removed them, or a backup was restored):',
  'move it (POST …/seek) to "next" of this answer, which skips no event that is still stored',
].join(' ')

export const TOO_MANY = 'there are as many consumers as may be: delete one that is not used'
