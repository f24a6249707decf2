import { closeSync, openSync, writeSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createAuditChain } from '../../../src/store/sqlite/audit/audit-chain.ts'
import { openForWriting } from '../../../src/store/sqlite/database/connection.ts'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { createWriter } from '../../../src/store/sqlite/threads/writer.ts'
import { verifyAuditChain } from '../../../src/store/sqlite/verification/verify-audit-chain.ts'
import { verifyInThreads } from '../../../src/store/sqlite/verification/verify-in-threads.ts'
import { aHeldCallback, anInterpretedCallback, NOON } from '../../support/builders.ts'
import { temporaryDatabase } from '../../support/store.ts'

const EVENTS = 3500
const THREADS = { threads: 2, fewest: 0 }
const show = () => undefined

const numbered = (n: number) =>
  ({ method: 'storeCallback', args: [anInterpretedCallback(`{"identificador":"s${n}"}`)] }) as const

function filled() {
  const db = openForWriting(temporaryDatabase())
  migrate(db)
  const writer = createWriter(db, { deduplicationWindowMs: 86_400_000, firstWaitMs: 0, now: () => NOON + 1000 })
  writer.run(Array.from({ length: EVENTS - 3 }, (_, n) => numbered(n)))
  // Three facts of one callback, and a body that is read by a query of its own.
  writer.run([{ method: 'storeCallback', args: [aHeldCallback('{"pix":[{"n":1},{"n":2}]}', ['/pix'])] }])
  writer.run([
    { method: 'storeCallback', args: [anInterpretedCallback('{"pix":[{"n":3},{"n":4}]}', ['/pix'])] },
    { method: 'storeCallback', args: [anInterpretedCallback(`{"identificador":"long","x":"${'y'.repeat(20_000)}"}`)] },
  ])
  return { db, writer }
}

/** What retention does: the links, then the rows. */
function remove(db: ReturnType<typeof openForWriting>, positions: readonly number[]): void {
  db.transaction(() => {
    createAuditChain(db).keepLinks(positions)
    db.exec(`delete from events where id in (${positions.join()})`)
    db.exec(
      'delete from callbacks where id not in (select callback_id from events) and id not in (select callback_id from quarantine)',
    )
  })()
}

const FAULTS: readonly (readonly [string, string])[] = [
  ['nothing was changed', ''],
  [
    'a gap is longer than a range, others are at the ends of ranges, and bodies were changed',
    `delete from events where id between 1002 and 2500 or id in (999, 3000, 3500);
     update callbacks set body = cast(upper(body) as blob) where id > 3490 or id = 800; delete from callbacks where id = 2701`,
  ],
  [
    'values were changed, hashes and digests have other lengths, and two rows have one position',
    `update events set status = 'X' where id % 700 = 3; update events set hash = zeroblob(31) where id = 999;
     update events set hash = zeroblob(100) where id = 3400; update events set hash = x'' where id = 2500;
     update removed_events set digest = zeroblob(9) where position = 3004;
     insert into removed_events values (2000, zeroblob(32)); update events set hash = x'0102' where id = 3500`,
  ],
]

it('threads find the same as one thread, whatever was changed', async () => {
  const { db } = filled()
  remove(db, [1, 2, 3, 1000, 1001, 2002, 3003, 3004, 3005])
  const points = [500, 3003, 5000, 77_777].map((position) => ({ position, hash: 'ab'.repeat(32) }))
  const found: string[][] = []
  for (const [what, sql] of FAULTS) {
    const changed = temporaryDatabase()
    await db.backup(changed)
    const copy = new Database(changed)
    copy.pragma('foreign_keys = off')
    copy.exec(sql)
    copy.close()
    const inThreads = await verifyInThreads(changed, points, show, THREADS)
    expect(inThreads, what).toEqual(verifyAuditChain(changed, points, show))
    found.push([...inThreads.problems])
  }
  db.close()
  // Each change is found: none leaves the problems of the sound chain.
  expect(new Set(found.map((problems) => problems.join())).size).toBe(FAULTS.length)
})

it('threads may read while events are stored and removed', async () => {
  const { db, writer } = filled()
  let round = 0
  const verification = await verifyInThreads(
    db.name,
    [],
    () => {
      const from = round * 900
      remove(
        db,
        Array.from({ length: 900 }, (_, n) => from + n + 1).filter((n) => n % 7 !== 0 || round > 1),
      )
      writer.run([numbered(10_000 + round++)])
    },
    THREADS,
  )
  db.close()
  expect(round).toBeGreaterThan(2)
  expect(verification.problems).toEqual([])
})

it('where a thread cannot read the database, the error is that of the store', async () => {
  const { db } = filled()
  // The thread that walks the chain reads no callback.
  const page = db
    .prepare<[], number>("select max(pageno) from dbstat where name = 'callbacks' and pagetype = 'leaf'")
    .pluck()
    .get() as number
  const pageSize = db.pragma('page_size', { simple: true }) as number
  db.close()
  const file = openSync(db.name, 'r+')
  writeSync(file, Buffer.alloc(pageSize, 7), 0, pageSize, (page - 1) * pageSize)
  closeSync(file)
  await expect(verifyInThreads(db.name, [], show, THREADS)).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('database disk image is malformed'),
  })
})
