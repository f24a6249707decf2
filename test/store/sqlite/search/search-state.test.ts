import { expect, it, onTestFinished } from 'vitest'
import { type Connection, openForWriting } from '../../../../src/store/sqlite/database/connection.ts'
import { migrate } from '../../../../src/store/sqlite/database/migrations.ts'
import { skipPositions } from '../../../../src/store/sqlite/maintenance/skipped-positions.ts'
import { readSearchState } from '../../../../src/store/sqlite/search/search-state.ts'
import { createWriter } from '../../../../src/store/sqlite/threads/writer.ts'
import { aCallback, NOON } from '../../../support/builders.ts'
import { temporaryDatabase } from '../../../support/store.ts'

function openWithEvents(count: number) {
  const db = openForWriting(temporaryDatabase())
  onTestFinished(() => void db.close())
  migrate(db)
  const writer = createWriter(db, { deduplicationWindowMs: 0, firstWaitMs: 0, now: () => NOON })
  for (let n = 1; n <= count; n++) writer.run([{ method: 'storeCallback', args: [aCallback({ text: `{"n":${n}}` })] }])
  return db
}

/** Rows from this position on. */
function addEvents(db: Connection, from: number, last: number): void {
  db.exec(`
    with recursive ids (id) as (select ${from} union all select id + 1 from ids where id < ${last})
    insert into events (id, nonce, callback_id, kind, environment, received_at, part, parts, payload_hash, hash)
    select ids.id, 'n', 1, 'payment', 'production', ${NOON}, 1, 1, x'', x'' from ids`)
}

it('events that the index lacks are counted up to 10,000; beyond, they are the difference of positions', () => {
  const db = openWithEvents(1)
  addEvents(db, 2, 10_003)
  db.exec('delete from events where id between 5 and 7')
  expect(readSearchState(db, NOON + 2000)).toMatchObject({ latest: 10_003, lagEvents: 10_000, lagSeconds: 2 })
  addEvents(db, 10_004, 10_004)
  expect(readSearchState(db, NOON + 2000)).toMatchObject({ latest: 10_004, lagEvents: 10_004, lagSeconds: 2 })
})

it('positions that a restored backup skips are no events that the index lacks', () => {
  const db = openWithEvents(3)
  db.transaction(() => skipPositions(db, NOON))()
  expect(readSearchState(db, NOON)).toMatchObject({ latest: 1_000_000_003, lagEvents: 3 })
  db.exec('delete from events')
  expect(readSearchState(db, NOON)).toMatchObject({ latest: 1_000_000_003, lagEvents: 0, lagSeconds: 0 })
})

it('beyond 10,000 events, the skipped positions are left out of the difference', () => {
  const db = openWithEvents(3)
  db.transaction(() => skipPositions(db, NOON))()
  addEvents(db, 1_000_000_004, 1_000_010_004)
  expect(readSearchState(db, NOON)).toMatchObject({ latest: 1_000_010_004, lagEvents: 10_004 })
})
