import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import type { AttemptOutcome, ClaimedDelivery } from '../../../src/domain/delivery.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, NOON } from '../../support/builders.ts'
import { violationsOf } from '../../support/invariants.ts'
import { openTestStore, temporaryDatabase } from '../../support/store.ts'

const SOUND = { now: NOON + 1000, stuckAfterMs: 10_000 }

function claim(store: Store, now: number) {
  return store.claimDeliveries({
    destinationId: 1,
    limit: 9,
    now,
    leaseUntil: now + 100,
    freshSince: 0,
    backlogLimit: 9,
  })
}

function delivered({ deliveryId, attempt }: ClaimedDelivery, startedAt: number, answer: string): AttemptOutcome {
  const fields = { startedAt, durationMs: 7, status: 202, error: null, answer: Buffer.from(answer) }
  return { deliveryId, attempt, ...fields, result: { state: 'delivered' } }
}

/** As the reader thread sends it. */
const bytes = (text: string) => Uint8Array.from(Buffer.from(text))

/** One event, delivered at the first attempt; of a destination with this order. */
async function deliverOnce(file: string, order: 'none' | 'subject') {
  const store = await openTestStore({ file })
  await store.createDestination(aDestination({ order }), NOON)
  const { eventIds } = await store.storeCallback(aCallback())
  const { deliveries } = await claim(store, NOON)
  await store.recordAttempts(deliveries.map((delivery) => delivered(delivery, NOON + 3, 'first')))
  return { store, eventId: eventIds[0] as string }
}

async function shown(store: Store) {
  const [delivery] = await store.listDeliveries({}, 9)
  return { delivery, attempts: await store.listAttempts(1, 9) }
}

function inDatabase(file: string, run: (db: InstanceType<typeof Database>) => unknown): unknown {
  const db = new Database(file)
  try {
    return run(db)
  } finally {
    db.close()
  }
}

const FIRST = { deliveryId: 1, attempt: 1, startedAt: NOON + 3, durationMs: 7, status: 202, error: null }

it.each(['none', 'subject'] as const)(
  'order %s: a first attempt that succeeded has no row of its own, and is shown like any other',
  async (order) => {
    const file = temporaryDatabase()
    const { store } = await deliverOnce(file, order)

    const now = await shown(store)
    await store.close()

    expect(now.attempts).toEqual([{ ...FIRST, answer: bytes('first') }])
    expect(now.delivery).toMatchObject({
      state: 'delivered',
      attempts: 1,
      lastStatus: 202,
      lastError: null,
      endedAt: NOON + 10,
      lastAnswer: bytes('first'),
    })
    expect(inDatabase(file, (db) => db.prepare('select count(*) from attempts').pluck().get())).toBe(0)
    expect(violationsOf(file, SOUND)).toEqual([])
  },
)

it.each(['none', 'subject'] as const)('order %s: a replay shows both attempts', async (order) => {
  const file = temporaryDatabase()
  const { store, eventId } = await deliverOnce(file, order)
  await store.replayEvent(eventId, 1, NOON + 20)
  expect((await shown(store)).attempts).toEqual([{ ...FIRST, answer: bytes('first') }])
  const { deliveries } = await claim(store, NOON + 20)
  expect(deliveries).toMatchObject([{ attempt: 2, isReplay: true }])
  await store.recordAttempts(deliveries.map((delivery) => delivered(delivery, NOON + 30, 'second')))

  const second = { ...FIRST, attempt: 2, startedAt: NOON + 30, answer: bytes('second') }
  expect((await shown(store)).attempts).toEqual([{ ...FIRST, answer: bytes('first') }, second])
  expect(await store.listAttempts(1, 1)).toEqual([second])
  await store.close()
  expect(violationsOf(file, SOUND)).toEqual([])
})

it('a claim that is given back or lost leaves the first attempt on record', async () => {
  const file = temporaryDatabase()
  const { store, eventId } = await deliverOnce(file, 'none')
  await store.replayEvent(eventId, 1, NOON + 20)
  const { deliveries } = await claim(store, NOON + 20)
  await store.releaseClaims(deliveries.map(({ deliveryId, attempt, dueAt }) => ({ deliveryId, attempt, dueAt })))
  expect((await shown(store)).attempts).toEqual([{ ...FIRST, answer: bytes('first') }])
  await claim(store, NOON + 21)
  await store.close()
  // A start voids the claim.
  const again = await openTestStore({ file })
  expect((await shown(again)).attempts).toMatchObject([
    { attempt: 1, status: 202 },
    { attempt: 2, error: expect.stringMatching(/^interrupted/) },
  ])
  await again.close()
  expect(violationsOf(file, { now: Date.now() + 1000, stuckAfterMs: 10_000 })).toEqual([])
})

it('a first attempt with a row of its own, as earlier versions wrote it, is shown the same, and so is its replay', async () => {
  const file = temporaryDatabase()
  const { store, eventId } = await deliverOnce(file, 'none')
  const before = await shown(store)
  await store.close()
  inDatabase(file, (db) =>
    db.exec(`
      insert into attempts (delivery_id, attempt, started_at, duration_ms, status, answer) values (1, 1, ${NOON + 3}, 7, 202, cast('first' as blob));
      update deliveries set first_started_at = null, first_answer = null`),
  )

  const old = await openTestStore({ file })
  expect(await shown(old)).toEqual(before)
  await old.replayEvent(eventId, 1, NOON + 20)
  const { deliveries } = await claim(old, NOON + 20)
  await old.recordAttempts(deliveries.map((delivery) => delivered(delivery, NOON + 30, 'second')))
  expect((await shown(old)).attempts).toMatchObject([{ attempt: 1 }, { attempt: 2 }])
  await old.close()
  expect(violationsOf(file, SOUND)).toEqual([])
})
