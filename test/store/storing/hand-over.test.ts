import { execFileSync, spawnSync } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import type {
  AttemptOutcome,
  Claim,
  ClaimRequest,
  DeliverySlots,
  HandedDelivery,
} from '../../../src/domain/delivery.ts'
import type { DestinationSettings } from '../../../src/domain/destination.ts'
import type { NewCallback } from '../../../src/domain/event.ts'
import type { StoredCallback } from '../../../src/domain/event-record.ts'
import { openForWriting } from '../../../src/store/sqlite/database/connection.ts'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { createOfferedSlots } from '../../../src/store/sqlite/threads/offered-slots.ts'
import { createWriter } from '../../../src/store/sqlite/threads/writer.ts'
import { createHandOver } from '../../../src/store/storing/hand-over.ts'
import type { WriteCall } from '../../../src/store/storing/store-calls.ts'
import { aCallback, aDestination, aFact, aHeldCallback, anInterpretedCallback, NOON } from '../../support/builders.ts'
import { violationsOf } from '../../support/invariants.ts'
import { openTestStore, temporaryDatabase } from '../../support/store.ts'
import { until } from '../../support/until.ts'

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0
/** The most bytes that this process may write into a file. Beyond it, SQLite gets an I/O error. */
const limitFiles = (bytes: string) =>
  void execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`])

const OPTIONS = { deduplicationWindowMs: 86_400_000, firstWaitMs: 0, now: () => NOON + 1000 }
const SOUND = { now: NOON + 2000, stuckAfterMs: 10_000 }
const LEASE_MS = 40_000
const ROOM: DeliverySlots = { destinationId: 1, count: 2, taken: 0, leaseMs: LEASE_MS }

const storing = (callback: NewCallback): WriteCall => ({ method: 'storeCallback', args: [callback] })
const received = (n: number, changes: Parameters<typeof aCallback>[0] = {}) =>
  storing(aCallback({ text: `{"n":${n}}`, ...changes }))

function openWriter(settings: Partial<DestinationSettings> = {}, options = OPTIONS) {
  const file = temporaryDatabase()
  const db = openForWriting(file)
  onTestFinished(() => void db.close())
  migrate(db)
  const writer = createWriter(db, options)
  writer.run([{ method: 'createDestination', args: [aDestination(settings), NOON] }])
  /** The deliveries that each callback handed over. */
  function store(operations: readonly WriteCall[], slots: readonly DeliverySlots[] = [ROOM]) {
    const { results } = writer.run(operations, slots)
    const stored = results.flatMap((result, index) =>
      result.ok && operations[index]?.method === 'storeCallback' ? [result.value as StoredCallback] : [],
    )
    return stored.map(({ handed = [], destinationIds }) => ({ handed, destinationIds }))
  }
  const rows = () =>
    db
      .prepare(
        'select id, state, attempts, claimed_by, claimed_at, next_attempt_at, order_key is not null as ordered from deliveries order by id',
      )
      .all()
  return { file, db, writer, store, rows }
}

const HANDED = (deliveryId: number, hasOrderKey = false): HandedDelivery => ({
  deliveryId,
  destinationId: 1,
  hasOrderKey,
  leaseUntil: NOON + LEASE_MS,
})

it('deliveries are claimed in the transaction that stores them, as far as there is slots', () => {
  const { file, db, writer, store, rows } = openWriter()

  expect(store([received(1), received(2), received(3)])).toEqual([
    { handed: [HANDED(1)], destinationIds: [] },
    { handed: [HANDED(2)], destinationIds: [] },
    { handed: [], destinationIds: [1] },
  ])

  const claimed = { claimed_by: writer.epoch, claimed_at: NOON, next_attempt_at: NOON + LEASE_MS, attempts: 1 }
  const waiting = { claimed_by: null, claimed_at: null, next_attempt_at: NOON, attempts: 0 }
  expect(rows()).toMatchObject([claimed, claimed, waiting])
  db.close()
  expect(violationsOf(file, SOUND)).toEqual([])
})

it('its outcome is recorded, and its release makes it due as if it had never been claimed', () => {
  const { writer, store, rows } = openWriter()
  store([received(1), received(2)])
  const outcome: AttemptOutcome = {
    deliveryId: 1,
    attempt: 1,
    startedAt: NOON,
    durationMs: 5,
    status: 200,
    error: null,
    answer: new Uint8Array(),
    result: { state: 'delivered' },
  }
  writer.run([
    { method: 'recordAttempts', args: [[outcome]] },
    { method: 'releaseClaims', args: [[{ deliveryId: 2, attempt: 1, dueAt: NOON }]] },
  ])
  expect(rows()).toMatchObject([
    { state: 'delivered', attempts: 1, claimed_by: null, next_attempt_at: null },
    { state: 'pending', attempts: 0, claimed_by: null, claimed_at: null, next_attempt_at: NOON },
  ])
})

it.each<[string, Partial<DestinationSettings>, WriteCall[], Partial<typeof OPTIONS>?]>([
  ['of a schedule that begins with a wait', { schedule: [1000, 2000] }, [received(1)]],
  ['whose first wait is not 0', {}, [received(1)], { firstWaitMs: 5 }],
  ['of one fact of several', {}, [storing(anInterpretedCallback('{"pix":[{"n":1},{"n":2}]}', ['/pix']))]],
  ['of a paused destination', {}, [{ method: 'pauseDestination', args: [1, 'x'] }, received(1)]],
  ['behind an open circuit', {}, [{ method: 'setCircuit', args: [1, NOON] }, received(1)]],
  [
    'of a fact that quarantine releases',
    { kinds: ['charge'] },
    [storing(aHeldCallback('{"n":1}')), { method: 'releaseQuarantined', args: [1, { by: 'operator', at: NOON }] }],
  ],
])('a delivery %s is not handed over', (_, settings, operations, options = {}) => {
  const { store, rows } = openWriter(settings, { ...OPTIONS, ...options })
  for (const { handed } of store(operations)) expect(handed).toEqual([])
  const all = rows()
  expect(all.length).toBeGreaterThan(0)
  for (const row of all) expect(row).toMatchObject({ state: 'pending', attempts: 0, claimed_by: null })
})

it.each<[string, Partial<DestinationSettings>, Partial<typeof OPTIONS>]>([
  ['of the destination', { schedule: [1000, 2000] }, {}],
  ['of the configuration', {}, { firstWaitMs: 1000 }],
])('a delivery is due after the first wait of the schedule %s', (_, settings, options) => {
  const { store, rows } = openWriter(settings, { ...OPTIONS, ...options })
  store([received(1)])
  expect(rows()).toMatchObject([{ state: 'pending', next_attempt_at: NOON + 1000 }])
})

it('of a subject only the first is handed over; the others wait behind it', () => {
  const { file, db, store, rows } = openWriter({ order: 'subject' })
  const facts = [aFact({ subject: 's' })]
  expect(store([received(1, { facts }), received(2, { facts })])).toEqual([
    { handed: [HANDED(1, true)], destinationIds: [] },
    { handed: [], destinationIds: [] },
  ])
  expect(rows()).toMatchObject([
    { state: 'pending', ordered: 1, attempts: 1 },
    { state: 'blocked', ordered: 1, attempts: 0 },
  ])
  db.close()
  expect(violationsOf(file, SOUND)).toEqual([])
})

const FAILING = storing(aCallback({ text: 'x', kind: null as never }))

it('what a rolled back transaction took is free again', () => {
  const { store } = openWriter()
  // The group fails with its last member, and each is repeated alone.
  const handed = store([received(1), received(2), FAILING]).flatMap((stored) => stored.handed)
  expect(handed).toEqual([HANDED(1), HANDED(2)])
})

it('what a committed transaction took stays taken where a later one is rolled back', () => {
  const { store } = openWriter()
  const handedOf = (operations: readonly WriteCall[], slots: readonly DeliverySlots[] = []) =>
    store(operations, slots).flatMap(({ handed }) => handed.map(({ deliveryId }) => deliveryId))
  expect(handedOf([received(1)], [ROOM])).toEqual([1])
  handedOf([FAILING])
  expect(handedOf([received(2), received(3)])).toEqual([2])
})

it('after a crash they are due again, with an interrupted attempt on record', async () => {
  const { file, db, store } = openWriter()
  store([received(1)])
  db.close()
  const again = await openTestStore({ file })
  expect(await again.listDeliveries({}, 9)).toMatchObject([{ state: 'pending', attempts: 1 }])
  expect(await again.listAttempts(1, 9)).toMatchObject([{ error: expect.stringMatching(/^interrupted/) }])
  const now = Date.now()
  const wanted = { destinationId: 1, limit: 9, now, leaseUntil: now + 9, freshSince: 0, backlogLimit: 9 }
  expect((await again.claimDeliveries(wanted)).deliveries).toMatchObject([{ deliveryId: 1, attempt: 2 }])
})

it('the slots stays for later batches, and what is under way to the worker uses it, too', () => {
  const { store } = openWriter()
  const handedOf = (operations: readonly WriteCall[], slots: readonly DeliverySlots[] = []) =>
    store(operations, slots).flatMap(({ handed }) => handed.map(({ deliveryId }) => deliveryId))
  expect(handedOf([received(1)], [ROOM])).toEqual([1])
  // The worker has not got it yet.
  expect(handedOf([received(2)], [ROOM])).toEqual([2])
  expect(handedOf([received(3)], [{ ...ROOM, taken: 1 }])).toEqual([3])
  expect(handedOf([received(4)], [{ ...ROOM, count: 0 }])).toEqual([])
})

const CLAIM = { destinationId: 1, limit: 9, now: NOON, leaseUntil: NOON + 9, freshSince: 0, backlogLimit: 9 }
const claiming = (changes: Partial<ClaimRequest> = {}): WriteCall => ({
  method: 'claimDeliveries',
  args: [{ ...CLAIM, slots: { ...ROOM, count: 3 }, ...changes }],
})

it('where one waits, newer ones wait behind it, until a claim leaves nothing that is due', () => {
  const { store } = openWriter()
  const handed = (operations: readonly WriteCall[], slots: readonly DeliverySlots[] = []) =>
    store(operations, slots).map((stored) => stored.handed.map(({ deliveryId }) => deliveryId))
  const split = storing(anInterpretedCallback('{"pix":[{"n":1},{"n":2}]}', ['/pix']))
  expect(handed([received(1), split, received(2)], [ROOM])).toEqual([[1], [], []])
  expect(handed([received(3)], [{ ...ROOM, count: 9 }])).toEqual([[]])
  expect(handed([claiming({ limit: 2, slots: { ...ROOM, taken: 1, count: 9 } }), received(4)])).toEqual([[]])
  // It takes three of the four slots itself.
  const slots = { ...ROOM, taken: 3, count: 4 }
  expect(handed([claiming({ slots }), received(5), received(6)])).toEqual([[7], []])
})

it('a claim that leaves some because of their bytes opens no slots', () => {
  const { writer, store } = openWriter()
  // Two of them are what a claim takes at most.
  const large = ['a', 'b', 'c'].map((text) => storing(aCallback({ text: JSON.stringify(text.repeat(2 ** 21)) })))
  store(large, [])
  const slots = { ...ROOM, count: 1000 }
  const claimed = () => (writer.run([claiming({ slots })]).results[0] as { value: Claim }).value.deliveries.length
  expect(claimed()).toBe(2)
  expect(store([received(1)], [])).toEqual([{ handed: [], destinationIds: [1] }])
  expect(claimed()).toBe(2)
  expect(store([received(2)], [])).toMatchObject([{ destinationIds: [] }])
})

it('a claim that leaves a backlog opens no slots', () => {
  const { store } = openWriter()
  store([received(1)], [])
  const rateUsedUp = claiming({ freshSince: NOON + 1, backlogLimit: 0 })
  expect(store([rateUsedUp, received(2)], [])).toEqual([{ handed: [], destinationIds: [1] }])
  expect(store([claiming(), received(3)], [])).toMatchObject([{ destinationIds: [] }])
})

it('what is on its way to the worker uses the slots of the next claim, too, but not that of another worker', () => {
  const { store } = openWriter()
  const handed = (operations: readonly WriteCall[], slots: readonly DeliverySlots[] = []) =>
    store(operations, slots).flatMap((stored) => stored.handed.map(({ deliveryId }) => deliveryId))
  const closed = { ...ROOM, count: 0 }
  expect(handed([received(1)], [{ ...ROOM, taken: 7 }])).toEqual([1])
  // The worker has not got it yet.
  const claim = claiming({ slots: { ...ROOM, taken: 7 } })
  expect(handed([claim, received(2), received(3)], [{ ...closed, taken: 7 }])).toEqual([2])
  expect(handed([claiming({ slots: closed }), received(4)], [closed])).toEqual([])
  expect(handed([claiming({ slots: ROOM }), received(5), received(6)], [closed])).toEqual([5])
})

it('what is on its way to a worker that has ended uses no place of the next worker', () => {
  const { store } = openWriter()
  const handed = (operations: readonly WriteCall[], slots: readonly DeliverySlots[] = []) =>
    store(operations, slots).flatMap((stored) => stored.handed.map(({ deliveryId }) => deliveryId))
  expect(handed([received(1)], [ROOM])).toEqual([1])
  const ended = { ...ROOM, count: 0, taken: Number.POSITIVE_INFINITY }
  expect(handed([received(2)], [ended])).toEqual([])
  const slots = { ...ROOM, count: 3 }
  expect(handed([claiming({ slots }), received(3), received(4), received(5)])).toEqual([3, 4])
})

it('a claim that is rolled back opens no slots', () => {
  const handOver = createHandOver()
  handOver.offered([ROOM])
  handOver.waits(1)
  handOver.committed()
  handOver.claimed(1, 1, true)
  handOver.rolledBack()
  expect(handOver.take(1, 1)).toBeNull()
  handOver.claimed(1, 1, true)
  handOver.committed()
  expect([handOver.take(1, 1), handOver.take(1, 1)]).toEqual([LEASE_MS, null])
})

it('a large body takes several slots', () => {
  const { store } = openWriter()
  const large = aCallback({ text: JSON.stringify('x'.repeat(20_000)) })
  const all = store([storing(large), received(1)], [ROOM])
  expect(all.map(({ handed }) => handed.length)).toEqual([1, 0])
})

it('the store hands over as much as was offered, until the next offer', async () => {
  const store = await openTestStore()
  const { id: destinationId } = await store.createDestination(aDestination(), NOON)
  const receive = async (n: number) => (await store.storeCallback(aCallback({ text: `{"n":${n}}` }))).handed?.length
  store.offerSlots({ ...ROOM, destinationId })
  expect([await receive(1), await receive(2)]).toEqual([1, 1])
  store.offerSlots({ ...ROOM, destinationId, taken: 2, count: 1 })
  const many = await Promise.all([5, 6, 7].map(receive))
  expect(many.filter((handed) => handed === 1)).toHaveLength(1)
  store.offerSlots({ ...ROOM, destinationId, count: 0 })
  expect(await receive(8)).toBeUndefined()
})

it('an offer reaches the writer behind a batch that could not be sent', async () => {
  const store = await openTestStore()
  const { id: destinationId } = await store.createDestination(aDestination(), NOON)
  const receive = async (n: number) => (await store.storeCallback(aCallback({ text: `{"n":${n}}` }))).handed?.length
  store.offerSlots({ ...ROOM, destinationId })
  expect(await receive(1)).toBe(1)
  store.offerSlots({ ...ROOM, destinationId, count: 0 })
  // No message can contain a function.
  await expect(store.recordClock({ heartbeatAt: (() => 0) as never })).rejects.toThrow('could not be sent')
  expect(await receive(2)).toBeUndefined()
})

it.skipIf(!hasPrlimit)('after a failure of the disk only a claim opens the slots again', async () => {
  const troubles: boolean[] = []
  const store = await openTestStore({ onTrouble: ({ broken }) => void troubles.push(broken) })
  const { id: destinationId } = await store.createDestination(aDestination(), NOON)
  const receive = async (n: number) => (await store.storeCallback(aCallback({ text: `{"n":${n}}` }))).handed?.length
  store.offerSlots({ ...ROOM, destinationId })
  expect([await receive(1), await receive(2)]).toEqual([1, 1])
  onTestFinished(() => limitFiles('unlimited'))
  limitFiles('1')
  await expect(receive(3)).rejects.toThrow(/disk I\/O error/)
  store.offerSlots({ ...ROOM, destinationId, taken: 2 })
  limitFiles('unlimited')
  await until(() => troubles.length === 2)
  expect(await receive(4)).toBeUndefined()
  await store.claimDeliveries({ ...CLAIM, destinationId, slots: { ...ROOM, destinationId, taken: 2, count: 2 } })
  expect(await receive(5)).toBe(1)
})

it('slots cross once, the latest of each destination, and none of before where the writer begins again', () => {
  const slots = createOfferedSlots()
  const other = { ...ROOM, destinationId: 2 }
  slots.offer({ ...ROOM, count: 5 })
  slots.offer(other)
  slots.offer(ROOM)
  expect(slots.takeChanged()).toEqual([ROOM, other])
  expect(slots.takeChanged()).toEqual([])
  slots.offer({ ...other, count: 0 })
  expect(slots.takeChanged()).toEqual([{ ...other, count: 0 }])
  slots.offer(ROOM)
  slots.forget()
  expect(slots.takeChanged()).toEqual([])
})
