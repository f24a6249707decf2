import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { readMigrations } from '../../../src/store/sqlite/database/migration-files.ts'
import { verifyDatabase } from '../../../src/store/sqlite/maintenance/verify.ts'
import type { VerifyStep } from '../../../src/store/verification/verification.ts'
import { aDestination, aHeldCallback, anInterpretedCallback, NOON } from '../../support/builders.ts'
import { violationsOf } from '../../support/invariants.ts'
import { databaseFrom, openTestStore, temporaryDatabase } from '../../support/store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const SOUND = { now: NOON + 1000, stuckAfterMs: 10_000 }

/**
 * The content of a sound database: events 1 (whole) and 2 to 4 (parts of one callback; all of subject s). Deliveries 1, 3, 5, 7 to `books`: delivered,
 * claimed, pending, pending; 2, 4, 6, 8 to `ledger`, in order: pending, then blocked behind it. In quarantine 1, which was released as event 5,
 * and 2; of a kind that no one gets.
 */
async function makeSound(): Promise<Buffer> {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  const { id: destinationId } = await store.createDestination(aDestination({ kinds: ['payment'] }), NOON)
  await store.createDestination(aDestination({ name: 'ledger', kinds: ['payment'], order: 'subject' }), NOON)
  await store.storeCallback(anInterpretedCallback('{"identificador":"s","n":0}'))
  const parts = [1, 2, 3].map((n) => `{"identificador":"s","n":${n}}`)
  await store.storeCallback(anInterpretedCallback(`{"pix":[${parts.join()}]}`, ['/pix']))
  await store.storeCallback(aHeldCallback('{"pix":[{"n":1},{"n":2}]}', ['/pix']))
  await store.releaseQuarantined(1, { by: 'operator', at: NOON })
  const wanted = { destinationId, limit: 2, now: NOON, leaseUntil: NOON + 40_000, freshSince: 0, backlogLimit: 100 }
  await store.claimDeliveries(wanted)
  const [deliveryId, attempt] = [1, 1]
  const answer = { startedAt: NOON, durationMs: 1, status: 200, error: null, answer: new Uint8Array() }
  await store.recordAttempts([{ deliveryId, attempt, ...answer, result: { state: 'delivered' } }])
  await store.close()
  return readFileSync(file)
}

let sound: Promise<Buffer> | undefined

async function soundDatabase(sql?: string): Promise<string> {
  sound ??= makeSound()
  return databaseFrom(await sound, sql)
}

async function broken(sql: string): Promise<string[]> {
  return violationsOf(await soundDatabase(sql), SOUND)
}

it('a sound database has no violations', async () => {
  const file = await soundDatabase()
  expect(violationsOf(file, SOUND)).toEqual([])
  // Due for long, and so is the lease that is over.
  expect(violationsOf(file, { ...SOUND, now: NOON + 60_000 })).toEqual([
    'pending delivery that has been due for long: 2, 3, 5, 7',
  ])
})

const CANCELED_REPLAY = `insert into replays (id, destination_id, mode, filter, state, matched, left_out, position, up_to, created_at, ended_at)
  values (1, 1, 'all', '{}', 'canceled', 4, 0, 2, 4, 0, 1)`

const ONE_RUN = `
  insert into search_runs (id, first, last, events, bytes) values (7, 1, 3, 2, 6);
  insert into search_pages (run, first_term, data) values (7, x'', x'0000');
  insert into meta (key, value) values ('search_index', '{"through":5}')`

const breaches: readonly (readonly [string, string])[] = [
  ['update events set callback_id = 99 where id = 4', 'event without a callback: 4'],
  [
    'delete from events where id in (2, 3, 4)',
    'callback without an event, without anything in quarantine, and not of a token: 2',
  ],
  ['delete from events where id = 1', 'callback that names an event of another callback, or one that is not there: 1'],
  [
    'update callbacks set event_id = 2 where id = 1',
    'callback that names an event of another callback, or one that is not there: 1',
  ],
  [
    'update events set is_single = null where id = 1',
    'callback that names an event of another callback, or one that is not there: 1',
  ],
  [
    'update callbacks set event_id = null where id = 1',
    'event that is the only one of its callback, which does not name it: 1',
  ],
  ["insert into callback_blocks values ('payment', 0, 0, 3, 0)", 'block of callbacks with a wrong summary: 0'],
  [
    `insert into callback_blocks values ('payment', 0, ${NOON + 1}, 2, 0)`,
    'block of callbacks with a wrong summary: 0',
  ],
  ["insert into callback_blocks values ('payment', 0, 0, 2, 0)", 'old callback in no block: 3'],
  ['update events set array_end = 9999 where id = 2', 'event whose span is incomplete or not inside its body: 2'],
  ['update events set item_end = null where id = 2', 'event whose span is incomplete or not inside its body: 2'],
  ['update events set array_start = array_start - 1 where id = 3', 'event whose span is not that of an array: 3'],
  ['update events set part = 4 where id = 3', 'event with a part number that its callback does not have: 3'],
  [
    'update events set fact_hash = (select fact_hash from events where id = 1) where id = 4',
    'event of a fact that another event of its kind, environment and listener has: 4',
  ],
  ['update events set callback_id = 1 where id = 4', 'event whose position is behind that of a later callback: 4'],
  ["insert into removed_events values (9, x'00')", 'removed event whose position could be given again: 9'],
  ['update quarantine set decided_by = null where id = 1', 'incomplete decision about a fact in quarantine: 1'],
  ["update quarantine set state = 'discarded' where id = 2", 'incomplete decision about a fact in quarantine: 2'],
  ['update quarantine set event_id = null where id = 1', 'incomplete decision about a fact in quarantine: 1'],
  ['update quarantine set event_id = 2 where id = 1', 'released fact whose event is of another fact: 1'],
  [
    "update quarantine set state = 'discarded', fact_hash = (select fact_hash from quarantine where id = 2) where id = 1",
    'fact that is in quarantine twice: 2',
  ],
  [
    'update quarantine set array_end = 9999 where id = 2',
    'fact in quarantine whose span is incomplete or not inside its body: 2',
  ],
  ['update deliveries set event_id = 3 where id = 7', 'second delivery of an event to its destination: 7'],
  ['update deliveries set delivered_at = null where id = 1', 'delivered delivery without the time of its success: 1'],
  [
    `${CANCELED_REPLAY}; update deliveries set replay_id = 1 where id in (1, 5)`,
    'pending delivery of a canceled replay: 5',
  ],
  [
    `${CANCELED_REPLAY}; update replays set position = 5 where id = 1`,
    'replay that goes beyond its last event, or is done before it: 1',
  ],
  [
    `${CANCELED_REPLAY}; update replays set ended_at = null where id = 1`,
    'ended replay without its end, or running one with an end: 1',
  ],
  ['update deliveries set next_attempt_at = null where id = 5', 'pending delivery without a next attempt: 5'],
  ['update deliveries set ended_at = 1 where id = 5', 'waiting delivery with the marks of an ended one: 5'],
  ['update deliveries set ended_at = null where id = 1', 'ended delivery without its end, or with a next attempt: 1'],
  ["update deliveries set state = 'canceled' where id = 1", 'exhausted or canceled delivery without a reason: 1'],
  ['update deliveries set claimed_at = 1 where id = 1', 'claim on a delivery that an attempt has ended: 1'],
  ['update deliveries set claimed_at = null where id = 3', 'claim without its time or its attempt: 3'],
  ['update deliveries set claimed_by = 2 where id = 3', 'claim of an owner that never was: 3'],
  ['update deliveries set retries_used = 1 where id = 3', 'delivery with more retries used than attempts made: 3'],
  ['update deliveries set last_status = 500 where id = 1', 'delivered delivery without an attempt that succeeded: 1'],
  [
    'update deliveries set first_started_at = null where id = 1',
    'delivered delivery without an attempt that succeeded: 1',
  ],
  [
    'update deliveries set delivered_at = null where id = 1',
    'first attempt in the row of a delivery that has others, or never succeeded: 1',
  ],
  [
    'update deliveries set first_started_at = 1 where id = 3',
    'first attempt in the row of a delivery that has others, or never succeeded: 3',
  ],
  ['update deliveries set attempts = 2 where id = 1', 'delivery whose attempts are not each on record once: 1'],
  [
    'insert into attempts (delivery_id, attempt, started_at, duration_ms) values (5, 2, 1, 1); update deliveries set attempts = 1 where id = 5',
    'delivery whose attempts are not each on record once: 5',
  ],
  [
    'insert into attempts (delivery_id, attempt, started_at, duration_ms) values (1, 1, 1, 1)',
    'delivery whose attempts are not each on record once: 1',
  ],
  [
    "update destinations set state = 'deleted' where name = 'ledger'",
    'waiting delivery of a removed destination: 2, 4, 6, 8',
  ],
  [
    'update deliveries set order_key = null where id = 6',
    'blocked delivery without an order key, or with a due time: 6',
  ],
  ['update deliveries set order_key = 1 where id = 1', 'ended delivery that still has an order key: 1'],
  [
    'update deliveries set order_key = null where id = 2',
    'order key without a head: all its deliveries are blocked: 4',
  ],
  [
    "update deliveries set state = 'pending', next_attempt_at = created_at where id = 6",
    'order key with more than one head: 6',
  ],
  [
    "update destinations set on_exhausted = 'continue'; update deliveries set state = 'exhausted', reason = 'x', ended_at = 1, next_attempt_at = null where id = 2",
    'order key that an exhausted delivery blocks although its destination continues: 2',
  ],
  [
    'update callbacks set payload_removed_at = 1 where id = 1; update events set payload_removed_at = 1 where id = 1',
    'callback without its payload of which something is left, or nothing says so: 1',
  ],
  [
    "update callbacks set payload_removed_at = 1, body = x'' where id = 2; update events set payload_removed_at = 1 where id < 4",
    'callback without its payload of which something is left, or nothing says so: 2',
  ],
  ['update events set payload_removed_at = 1 where id = 3', 'redacted fact whose callback says nothing of it: 3'],
  ['update events set payload_removed_at = 1 where id = 3', 'waiting delivery of an event without its data: 5, 6'],
  ['update quarantine set payload_removed_at = 1 where id = 2', 'undecided fact in quarantine without its data: 2'],
  [
    `${ONE_RUN}; insert into search_runs (id, first, last, events, bytes) values (8, 2, 4, 1, 0)`,
    'run of the search index that overlaps another, or has more events than positions: 8',
  ],
  [
    `${ONE_RUN}; update search_runs set events = 4`,
    'run of the search index that overlaps another, or has more events than positions: 7',
  ],
  [
    `${ONE_RUN}; delete from meta where key = 'search_index'`,
    'run of the search index behind the last indexed event: 7',
  ],
  [`${ONE_RUN}; delete from search_pages`, 'run of the search index without the pages that it says it has: 7'],
  ["insert into removals values ('payment', 'production', 6, 1)", 'removal announced beyond the last position: 6'],
]

it.each(breaches)('%s: found', async (sql, violation) => {
  expect(await broken(sql)).toContain(violation)
})

it('what quarantine releases late takes a position behind those of later callbacks, and nothing else may', async () => {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await store.storeCallback(aHeldCallback('{"n":1}'))
  await store.storeCallback(anInterpretedCallback('{"n":2}'))
  await store.releaseQuarantined(1, { by: 'operator', at: NOON })
  await store.close()
  expect(violationsOf(file, SOUND)).toEqual([])
})

it('the same fact may be in quarantine again, and be another event, behind the deduplication window', async () => {
  const file = temporaryDatabase()
  const store = await openTestStore({ file, deduplicationWindowMs: 1000 })
  const ids: unknown[] = []
  for (const callback of [anInterpretedCallback('{"n":1}'), aHeldCallback('{"n":2}')])
    for (let times = 0; times < 2; times++) {
      const { eventIds, quarantineIds = [] } = await store.storeCallback(callback)
      ids.push(...eventIds, ...quarantineIds)
    }
  await store.close()
  expect(new Set(ids).size).toBe(4)
  expect(verifyDatabase(file, () => undefined).problems).toEqual([])
})

it('rows that refer to nothing are found', async () => {
  expect(await broken('update deliveries set event_id = 99 where id = 7')).toContainEqual(
    'row 7 of deliveries refers to a row of events that is not there',
  )
})

it('damage to the file itself is found, and nothing more is asked of it', async () => {
  const file = await soundDatabase()
  const bytes = readFileSync(file)
  // The pages behind the first hold tables and indexes, whole ones of zeros none.
  writeFileSync(file, bytes.fill(0, bytes.length / 2))
  const { problems, counts } = verifyDatabase(file, () => undefined)
  expect(problems.length).toBeGreaterThan(0)
  expect(problems.join('\n')).toMatch(/SQLite cannot read it|page|btree/i)
  expect(counts).toEqual({})
})

it('a row that an index does not know is found', async () => {
  const file = await soundDatabase()
  const db = new Database(file)
  db.unsafeMode(true)
  db.pragma('writable_schema = on')
  db.exec("update sqlite_schema set sql = replace(sql, 'is not null', 'is null') where name = 'deliveries_claimed'")
  db.close()
  expect(violationsOf(file, SOUND)).toContainEqual(expect.stringContaining('deliveries_claimed'))
})

it('what is no database of Portaria is distinguished from a damaged one', () => {
  const [text, other] = ['text', 'other'].map((name) => join(temporaryFolder(), name)) as [string, string]
  writeFileSync(text, 'no database at all')
  new Database(other).exec('create table t (a)').close()
  const problemsOf = (file: string) => verifyDatabase(file, () => undefined).problems
  expect(problemsOf(text)).toEqual(['SQLite cannot read it: file is not a database'])
  expect(problemsOf(other)).toEqual(['this is no database of Portaria: it has no table of events'])
})

it('looking changes nothing, tells how far it is, and counts the rows of each table', async () => {
  const file = await soundDatabase()
  const before = readFileSync(file)
  const steps: VerifyStep[] = []
  const { counts, isCurrent } = verifyDatabase(file, (step) => steps.push(step))
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(steps.map(({ done }) => done)).toEqual(Array.from({ length: steps[0]?.of ?? 0 }, (_, index) => index))
  expect(isCurrent).toBe(true)
  expect(counts).toMatchObject({ events: 5, callbacks: 3, deliveries: 8, attempts: 0, quarantine: 2, destinations: 2 })
})

it('a database of an older Portaria is looked at as far as it can be, one of a newer is refused', async () => {
  const file = await soundDatabase()
  const next = { version: readMigrations().length + 1, sql: 'create table toys (id integer primary key) strict' }
  expect(verifyDatabase(file, () => undefined, [...readMigrations(), next])).toMatchObject({
    problems: [],
    isCurrent: false,
    counts: { events: 5 },
  })
  const newer = new Database(file)
  newer.pragma('user_version = 99')
  newer.close()
  expect(() => verifyDatabase(file, () => undefined)).toThrow(/run the newer Portaria that wrote it/)
})
