import { expect, it, onTestFinished } from 'vitest'
import type { ClaimRequest } from '../../../src/domain/delivery.ts'
import { openForWriting } from '../../../src/store/sqlite/database/connection.ts'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { countEventDeliveries } from '../../../src/store/sqlite/deliveries/delivery-counts.ts'
import { listDeliveries } from '../../../src/store/sqlite/deliveries/delivery-queries.ts'
import { priorDeliveryReader } from '../../../src/store/sqlite/deliveries/replay-queries.ts'
import { takeSnapshot } from '../../../src/store/sqlite/maintenance/store-snapshot.ts'
import { IS_KEPT } from '../../../src/store/sqlite/retention/removal-queries.ts'
import { deliveriesOf, existsDelivery, pendingDeliveries } from '../../../src/store/sqlite/rows/delivery-rows.ts'
import { createWriter } from '../../../src/store/sqlite/threads/writer.ts'
import type { WriteCall } from '../../../src/store/storing/store-calls.ts'
import { aCallback, aDestination, aFact, anInterpretedCallback, NOON } from '../../support/builders.ts'
import { violationsOf } from '../../support/invariants.ts'
import { temporaryDatabase } from '../../support/store.ts'

const OPTIONS = { deduplicationWindowMs: 86_400_000, firstWaitMs: 0, now: () => NOON + 1000 }
const SOUND = { now: NOON + 2000, stuckAfterMs: 100_000 }
const LEASE_MS = 40_000
const OFFERS = [{ destinationId: 1, count: 99, taken: 0, leaseMs: LEASE_MS }]
const NO_ROOM = [{ destinationId: 1, count: 0, taken: 0, leaseMs: LEASE_MS }]

function opened(file = temporaryDatabase()) {
  const db = openForWriting(file)
  onTestFinished(() => void db.close())
  migrate(db)
  const writer = createWriter(db, OPTIONS)
  const run = (operations: readonly WriteCall[], offers = OFFERS) =>
    writer.run(operations, offers).results.map((result) => {
      if (!result.ok) throw result.error
      return result.value
    })
  return { file, db, run }
}

const storing = (n: number, subject = `s${n}`): WriteCall => ({
  method: 'storeCallback',
  args: [aCallback({ text: `{"n":${n}}`, facts: [aFact({ subject })] })],
})

/** Events 1 to 7: single ones and a split one, with a handed delivery, a delivered one, waiting ones and one of a later replay. */
function filled() {
  const all = opened()
  const { db, run } = all
  run([{ method: 'createDestination', args: [aDestination({ name: 'one' }), NOON] }])
  run([{ method: 'createDestination', args: [aDestination({ name: 'two' }), NOON] }])
  run([storing(1), storing(2)])
  run(
    [{ method: 'storeCallback', args: [anInterpretedCallback('{"pix":[{"n":1},{"n":2},{"n":3}]}', ['/pix'])] }],
    NO_ROOM,
  )
  run([storing(6), storing(7)], NO_ROOM)
  const outcome = { deliveryId: 1, attempt: 1, startedAt: NOON, durationMs: 5, status: 200, error: null }
  const delivered = { ...outcome, answer: new Uint8Array([1]), result: { state: 'delivered' } } as const
  run([{ method: 'recordAttempts', args: [[delivered]] }])
  run([{ method: 'createDestination', args: [aDestination({ name: 'three' }), NOON] }])
  const id = db.prepare<[], string>(`select 'evt_2_' || nonce from events where id = 2`).pluck().get() as string
  run([{ method: 'replayEvent', args: [id, 3, NOON] }])
  return all
}

type Filled = ReturnType<typeof filled>

/** What finds deliveries by their events, or pending ones. */
function readAll({ db }: Filled) {
  const positions = [1, 2, 3, 4, 5, 6, 7]
  const read = <T>(sql: string) => db.prepare<object, T>(sql).all({ before: NOON + 9 })
  return {
    ofEvents: positions.map((position) => listDeliveries(db, { position }, 9)),
    ofSubject: listDeliveries(db, { subject: 's2' }, 9),
    pending: [
      listDeliveries(db, { state: 'pending' }, 99),
      listDeliveries(db, { state: 'pending', destinationId: 1 }, 9),
    ],
    counts: countEventDeliveries(db, positions),
    prior: positions.map(priorDeliveryReader(db, { id: 3, url: 'x', owner: null } as never)),
    kept: read(`select c.id from callbacks c where ${IS_KEPT}`),
    delivered: read(`select e.id from events e where ${existsDelivery(`d.state = 'delivered'`)}`),
    snapshot: takeSnapshot(db),
  }
}

/** As a version before migration 011 left them. */
function makeOld({ db }: Filled): void {
  db.exec('update deliveries set is_first = null; update events set first_delivery = null, last_delivery = null')
}

it('an event names the deliveries that are made with it; a later one is in the index of events', () => {
  const { db, file } = filled()
  const events = db.prepare('select first_delivery as first, last_delivery as last from events order by id').all()
  expect(events).toEqual([1, 3, 5, 7, 9, 11, 13].map((first) => ({ first, last: first + 1 })))
  const later = db.prepare('select id, event_id as event from deliveries where is_first is null').all()
  expect(later).toEqual([{ id: 15, event: 2 }])
  db.close()
  expect(violationsOf(file, SOUND)).toEqual([])
})

it('deliveries of older versions and new ones are found alike', () => {
  const all = filled()
  const before = readAll(all)
  expect(before.ofEvents.map(({ length }) => length)).toEqual([2, 3, 2, 2, 2, 2, 2])
  expect(before.ofSubject).toHaveLength(3)
  expect(before.pending.map(({ length }) => length)).toEqual([14, 6])
  expect(before.kept).toHaveLength(5)
  expect(before.delivered).toEqual([{ id: 1 }])
  makeOld(all)
  expect(readAll(all)).toEqual(before)
})

it.each([
  ['new', () => undefined],
  ['older', makeOld],
])('a redaction and a removal find all deliveries of %s events', (_, prepare) => {
  const all = filled()
  const { db, file, run } = all
  prepare(all)
  const redaction = { subject: 's2', institution: null, environment: null, positions: [2], quarantineIds: [] }
  run([{ method: 'redact', args: [redaction, NOON + 10] }])
  const states = db.prepare('select state from deliveries where event_id = 2 order by id').pluck().all()
  expect(states).toEqual(['canceled', 'canceled', 'canceled'])
  const outcome = { attempt: 1, startedAt: NOON, durationMs: 5, status: 200, error: null, answer: new Uint8Array() }
  run([{ method: 'recordAttempts', args: [[{ ...outcome, deliveryId: 3, result: { state: 'delivered' } }]] }])
  run([
    { method: 'deleteDestination', args: [2] },
    { method: 'cancelDeliveries', args: [2, 99, NOON + 10] },
  ])
  const removal = { part: 'metadata', kind: 'payment', before: NOON + 20, callbackIds: [1, 2] } as never
  run([{ method: 'redact', args: [{ ...redaction, subject: 's1', positions: [1] }, NOON + 10] }])
  run([{ method: 'removeAged', args: [removal, NOON + 30] }])
  expect(db.prepare('select distinct event_id from deliveries order by 1').pluck().all()).toEqual([3, 4, 5, 6, 7])
  db.close()
  expect(violationsOf(file, SOUND)).toEqual([])
})

it('an event that names foreign or missing deliveries, and a delivery that its event does not name, are found', () => {
  const { db, file } = filled()
  db.exec('update events set last_delivery = 4 where id = 1; update deliveries set is_first = 1 where id = 15')
  db.close()
  expect(violationsOf(file, SOUND).join('\n')).toMatch(/event does not name: 15\n.*deliveries of another event.*: 1/)
})

it('deliveries are found by their ids and indexes: no query scans or sorts the table', () => {
  const { db } = filled()
  const queries = [
    `select d.id from ${deliveriesOf('json_each(:list)')}`,
    `select e.id from events e where e.id = :id and ${existsDelivery(`d.state = 'pending'`)}`,
    `select id from ${pendingDeliveries('id', 'and destination_id = :id')}`,
  ]
  const plans = queries.flatMap((sql) =>
    db.prepare<object, { detail: string }>(`explain query plan ${sql}`).all({ list: '[]', id: 1 }),
  )
  const scans = plans
    .map(({ detail }) => detail)
    .filter((line) => /B-TREE|SCAN (?!j|CONSTANT|deliveries USING)/.test(line))
  expect(scans).toEqual([])
})

function claiming(now: number, changes: Partial<ClaimRequest> = {}): WriteCall {
  const request = { destinationId: 1, limit: 9, now, leaseUntil: now + LEASE_MS, freshSince: 0, backlogLimit: 9 }
  return { method: 'claimDeliveries', args: [{ ...request, ...changes }] }
}

it('a claimed delivery is due again when its lease has ended, in the order of all due ones, and only then', () => {
  const { run } = opened()
  run([{ method: 'createDestination', args: [aDestination(), NOON] }])
  run([storing(1), storing(2)])
  run([storing(3)], NO_ROOM)
  const ids = (now: number, changes?: Partial<ClaimRequest>) =>
    (run([claiming(now, changes)])[0] as { deliveries: { deliveryId: number }[] }).deliveries.map((d) => d.deliveryId)
  expect(ids(NOON + LEASE_MS - 1)).toEqual([3])
  const end = NOON + 3 * LEASE_MS
  // The clock is set back: nothing is due before its lease has ended.
  expect(ids(NOON - 5000)).toEqual([])
  expect(ids(end, { limit: 2 })).toEqual([1, 2])
  expect(ids(end)).toEqual([3])
  expect(ids(end)).toEqual([])
  // As a backlog, too.
  expect(ids(end + LEASE_MS, { freshSince: end + LEASE_MS + 1 })).toEqual([1, 2, 3])
})

it('the next due time of a destination includes the ends of its leases', () => {
  const { run } = opened()
  run([{ method: 'createDestination', args: [aDestination(), NOON] }])
  run([storing(1)])
  expect(run([claiming(NOON)])).toMatchObject([{ deliveries: [], nextDueAt: NOON + LEASE_MS, hasBacklog: false }])
})

const STATES = ['pending', 'blocked', 'delivered', 'exhausted', 'canceled']
const rowWith = (state: string) =>
  `insert into deliveries (state, event_id, destination_id, created_at) values ('${state}', 1, 1, ${NOON})`

it('a delivery has one of five states', () => {
  const { db } = opened()
  for (const state of STATES) db.exec(rowWith(state))
  for (const state of ['', 'Pending', 'claimed']) expect(() => db.exec(rowWith(state))).toThrow(/CHECK/)
})

it('inserts of callbacks, events and deliveries fill no temporary tree, as a list behind `in` would', () => {
  const { db } = opened()
  const opcodesOf = (sql: string) =>
    db
      .prepare<[], { opcode: string }>(`explain ${sql}`)
      .all()
      .map(({ opcode }) => opcode)
  for (const table of ['callbacks', 'events', 'deliveries'])
    expect(opcodesOf(`insert into ${table} default values`)).not.toContain('OpenEphemeral')
  expect(opcodesOf("update deliveries set state = 'delivered' where id = 1")).not.toContain('OpenEphemeral')
})
