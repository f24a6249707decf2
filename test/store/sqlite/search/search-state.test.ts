import { expect, it, onTestFinished } from 'vitest'
import { openForWriting } from '../../../../src/store/sqlite/database/connection.ts'
import { migrate } from '../../../../src/store/sqlite/database/migrations.ts'
import { readSearchState } from '../../../../src/store/sqlite/search/search-state.ts'
import { createWriter } from '../../../../src/store/sqlite/threads/writer.ts'
import { aCallback, NOON } from '../../../support/builders.ts'
import { temporaryDatabase } from '../../../support/store.ts'

it('events that the index lacks are counted up to 10,000; beyond, they are the difference of positions', () => {
  const db = openForWriting(temporaryDatabase())
  onTestFinished(() => void db.close())
  migrate(db)
  const writer = createWriter(db, { deduplicationWindowMs: 0, firstWaitMs: 0, now: () => NOON })
  for (let n = 1; n <= 3; n++) writer.run([{ method: 'storeCallback', args: [aCallback({ text: `{"n":${n}}` })] }])
  const assigned = (position: number) =>
    db.prepare(`update sqlite_sequence set seq = ? where name = 'events'`).run(position)
  assigned(10_000)
  expect(readSearchState(db, NOON + 2000)).toMatchObject({ latest: 10_000, lagEvents: 3, lagSeconds: 2 })
  assigned(10_001)
  expect(readSearchState(db, NOON + 2000)).toMatchObject({ latest: 10_001, lagEvents: 10_001, lagSeconds: 2 })
})
