import { expect, it, onTestFinished } from 'vitest'
import type { AttemptOutcome, Claim } from '../../../src/domain/delivery.ts'
import type { DestinationSettings } from '../../../src/domain/destination.ts'
import type { KeptBacklog, StoreSnapshot } from '../../../src/domain/store-snapshot.ts'
import { openForWriting } from '../../../src/store/sqlite/database/connection.ts'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { createKeptBacklogs } from '../../../src/store/sqlite/maintenance/kept-backlogs.ts'
import { takeSnapshot } from '../../../src/store/sqlite/maintenance/store-snapshot.ts'
import { createWriter } from '../../../src/store/sqlite/threads/writer.ts'
import type { WriteCall } from '../../../src/store/storing/store-calls.ts'
import { aCallback, aDestination, aFact, aHeldCallback, NOON } from '../../support/builders.ts'
import { temporaryDatabase } from '../../support/store.ts'

const OPTIONS = { deduplicationWindowMs: 86_400_000, firstWaitMs: 0, now: () => NOON }
/** More than are counted one by one. */
const MANY = 1010
const EMPTY: StoreSnapshot = { backlogs: [], lags: [], quarantined: 0 }

/** A writer and the main thread's part in one thread. */
function start(settings: Partial<DestinationSettings> = {}) {
  const db = openForWriting(temporaryDatabase())
  onTestFinished(() => void db.close())
  migrate(db)
  let writer = createWriter(db, OPTIONS)
  const backlogs = createKeptBacklogs(async (kept) => takeSnapshot(db, kept))
  backlogs.begin(writer.changedBacklogs())

  function run(...operations: readonly WriteCall[]) {
    const { results } = writer.run(operations)
    backlogs.change(writer.changedBacklogs())
    return results
  }
  function reopen(): void {
    writer = createWriter(db, { ...OPTIONS, writerEpoch: writer.epoch })
    backlogs.begin(writer.changedBacklogs())
  }
  /** The snapshot of the kept sums, after it was compared with one that counts. */
  async function backlog() {
    const { searchedTo: _searchedTo, ...kept } = await backlogs.takeSnapshot()
    expect(kept).toEqual(takeSnapshot(db))
    return kept.backlogs[0]
  }
  function claim(limit: number): Claim {
    const wanted = { destinationId: 1, limit, now: NOON, leaseUntil: NOON + 45_000, freshSince: 0, backlogLimit: limit }
    const [result] = run({ method: 'claimDeliveries', args: [wanted] })
    if (result?.ok !== true) throw new Error('nothing was claimed')
    return result.value as Claim
  }
  run({ method: 'createDestination', args: [aDestination(settings), NOON] })
  return { db, run, reopen, backlog, claim, backlogs }
}

let count = 0
function storing(facts: number, receivedAt: number, subject: string | null = null): WriteCall {
  const all = Array.from({ length: facts }, () => aFact({ subject }))
  return { method: 'storeCallback', args: [aCallback({ text: `{"n":${++count}}`, receivedAt, facts: all })] }
}

const ended = (deliveryId: number, result: AttemptOutcome['result']): AttemptOutcome => ({
  deliveryId,
  attempt: 1,
  startedAt: NOON,
  durationMs: 5,
  status: 200,
  error: null,
  answer: new Uint8Array(),
  result,
})

it('sums are those that are counted: waiting, claimed, delivered, tried again, and after a start', async () => {
  const { run, reopen, backlog, claim } = start()
  run(storing(1, NOON - 9000), storing(3, NOON - 8000))
  expect(await backlog()).toMatchObject({ waiting: 4, oldestSince: NOON - 9000 })
  const { deliveries } = claim(2)
  expect(await backlog()).toMatchObject({ waiting: 4, oldestSince: NOON - 9000 })
  const [first = 0, second = 0] = deliveries.map(({ deliveryId }) => deliveryId).sort((a, b) => a - b)
  run({ method: 'recordAttempts', args: [[ended(first, { state: 'delivered' })]] })
  expect(await backlog()).toMatchObject({ waiting: 3, oldestSince: NOON - 8000 })
  run({ method: 'recordAttempts', args: [[ended(second, { state: 'pending', at: NOON + 1000, retriesUsed: 1 })]] })
  expect(await backlog()).toMatchObject({ waiting: 3 })
  reopen()
  expect(await backlog()).toMatchObject({ waiting: 3, oldestSince: NOON - 8000 })
})

it('a transaction that fails changes no sum', async () => {
  const { db, run, backlog } = start()
  run(storing(2, NOON))
  db.exec(`create temp trigger fail after insert on deliveries when new.created_at = ${NOON + 7}
    begin select raise(abort, 'not this one'); end`)
  const [good, bad] = run(storing(3, NOON + 5), storing(3, NOON + 7))
  expect([good?.ok, bad?.ok]).toEqual([true, false])
  expect(await backlog()).toMatchObject({ waiting: 5 })
})

it('the oldest of many is found by its id: as they end, are tried again, and after a start', async () => {
  const { run, reopen, backlog, claim } = start()
  run(storing(1, NOON - 9000), storing(2, NOON - 8000))
  run(storing(MANY, NOON - 7000))
  expect(await backlog()).toMatchObject({ waiting: MANY + 3, oldestSince: NOON - 9000 })
  const ids = claim(3)
    .deliveries.map(({ deliveryId }) => deliveryId)
    .sort((a, b) => a - b)
  expect(await backlog()).toMatchObject({ waiting: MANY + 3, oldestSince: NOON - 9000 })
  run({ method: 'recordAttempts', args: [ids.map((id) => ended(id, { state: 'delivered' }))] })
  expect(await backlog()).toMatchObject({ waiting: MANY, oldestSince: NOON - 7000 })
  run({ method: 'retryDelivery', args: [ids[0] as number, NOON - 100] })
  expect(await backlog()).toMatchObject({ oldestSince: NOON - 100 })
  reopen()
  expect(await backlog()).toMatchObject({ oldestSince: NOON - 100 })
})

it('subjects: blocked deliveries and the one that holds them are the same sums, few and many', async () => {
  const { run, reopen, backlog, claim } = start({ order: 'subject', onExhausted: 'hold' })
  run(storing(1, NOON - 9000, 'held'))
  const [head] = claim(1).deliveries
  run({ method: 'recordAttempts', args: [[ended(head?.deliveryId as number, { state: 'exhausted', reason: 'x' })]] })
  run(storing(2, NOON - 8000, 'held'), storing(1, NOON - 7000, 'other'))
  expect(await backlog()).toMatchObject({ waiting: 1, blocked: 2, heldSubjects: 1, oldestSince: NOON - 9000 })
  run(storing(MANY, NOON - 6000))
  expect(await backlog()).toMatchObject({ waiting: MANY + 1, blocked: 2, oldestSince: NOON - 9000 })
  reopen()
  expect(await backlog()).toMatchObject({ waiting: MANY + 1, blocked: 2, oldestSince: NOON - 9000 })
  run({ method: 'updateDestination', args: [1, { order: 'none' }, NOON] })
  expect(await backlog()).toMatchObject({ blocked: 0 })
})

it('facts that are held back are counted until they are decided', async () => {
  const { run, backlog, backlogs } = start()
  run(...[1, 2, 3].map((n): WriteCall => ({ method: 'storeCallback', args: [aHeldCallback(`{"account":"${n}"}`)] })))
  run({ method: 'discardQuarantined', args: [2, { by: 'operator', at: NOON }] })
  await backlog()
  expect((await backlogs.takeSnapshot()).quarantined).toBe(2)
})

it('rows that any statement deletes are not counted any more', async () => {
  const { db, run, backlog, backlogs } = start()
  run(storing(3, NOON - 9000), {
    method: 'storeCallback',
    args: [aHeldCallback('{"pix":[{"n":1},{"n":2}]}', ['/pix'])],
  })
  db.exec('delete from quarantine where id = 1; delete from deliveries where id = 1')
  run(storing(1, NOON))
  expect(await backlog()).toMatchObject({ waiting: 3 })
  expect((await backlogs.takeSnapshot()).quarantined).toBe(1)
})

it('a search for the oldest reads a bounded number of rows, and goes on in the next snapshot', async () => {
  const { db, run } = start()
  run(storing(2, NOON - 9000))
  // One ended long ago; the other waits behind ids that no row has any more.
  db.exec(
    `update deliveries set state = 'delivered', next_attempt_at = null where id = 1; update deliveries set id = 50000 where id = 2`,
  )
  const froms: number[] = []
  const from = { destinationId: 1, waiting: 5000, blocked: 0, held: 0, from: 1 }
  const backlogs = createKeptBacklogs(async (kept) => {
    froms.push(...(kept ?? []).map((one) => one.from))
    return takeSnapshot(db, kept)
  })
  backlogs.begin([from])
  for (let i = 0; i < 4; i++)
    expect((await backlogs.takeSnapshot()).backlogs).toMatchObject([{ oldestSince: NOON - 9000 }])
  expect(froms).toEqual([1, 20_001, 40_001, 50_000])
})

it('a delivery that begins to wait during a snapshot is searched in the next one, also where two are asked for', async () => {
  const asked: (readonly KeptBacklog[])[] = []
  const taking: PromiseWithResolvers<StoreSnapshot>[] = []
  const backlogs = createKeptBacklogs((kept = []) => {
    asked.push(kept.map((one) => ({ ...one })))
    const take = Promise.withResolvers<StoreSnapshot>()
    taking.push(take)
    return take.promise
  })
  const sums = { destinationId: 1, waiting: 5000, blocked: 0, held: 0 }
  backlogs.begin([{ ...sums, from: 10 }])
  const both = [backlogs.takeSnapshot(), backlogs.takeSnapshot()]
  await Promise.resolve()
  await Promise.resolve()
  backlogs.change([{ ...sums, from: 40 }])
  taking[0]?.resolve({ ...EMPTY, searchedTo: [{ destinationId: 1, id: 90 }] })
  await both[0]
  await Promise.resolve()
  taking[1]?.resolve({ ...EMPTY, searchedTo: [{ destinationId: 1, id: 95 }] })
  await both[1]
  backlogs.change([{ ...sums, waiting: 0, from: Number.POSITIVE_INFINITY }])
  void backlogs.takeSnapshot()
  await Promise.resolve()
  await Promise.resolve()
  expect(asked.map(([one]) => one?.from)).toEqual([10, 40, Number.POSITIVE_INFINITY])
})
