import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openStoreReader } from '../../../src/store/open-store.ts'
import { verifyDatabase } from '../../../src/store/sqlite/maintenance/verify.ts'
import { aCallback } from '../../support/builders.ts'
import { openTestStore, temporaryDatabase } from '../../support/store.ts'

/** A database of this Portaria that somebody has changed. */
async function changedDatabase(sql: string): Promise<string> {
  const file = temporaryDatabase()
  await (await openTestStore({ file })).close()
  const db = new Database(file)
  db.unsafeMode()
  db.exec(sql)
  db.close()
  return file
}

function contentOf(file: string) {
  const db = new Database(file, { readonly: true })
  const rows = db.prepare('select type, name, sql from sqlite_schema').all()
  const meta = db.prepare('select * from meta').all()
  db.close()
  return { rows, meta }
}

/** As an earlier commit had written it: other comments, other line breaks, quoted names. */
const OTHER_TEXT = `
  pragma writable_schema = on;
  update sqlite_schema set sql = replace(sql, 'kind text primary key', '
    -- which kind (see kinds)
    "kind"  text primary key /* name */') where name = 'silences';
  update sqlite_schema set sql = replace(sql, ' on ', char(10) || 'on  ') where name = 'deliveries_event'`

describe('a database of another schema than its version has', () => {
  it.each([
    ['drop index events_callback', 'index events_callback is missing'],
    ['drop table silences', 'table silences is missing'],
    ['alter table consumers drop column acknowledged_at', 'column acknowledged_at of table consumers is missing'],
    ['alter table events add column note text', 'column note of table events does not belong to it'],
    [
      'alter table replays rename column requeued to other',
      'column requeued of table replays is missing; column other of table replays does not belong to it',
    ],
    ['create table notes (a)', 'table notes does not belong to it'],
    ['create table _litestream_seq (id integer)', 'table _litestream_seq does not belong to it'],
    ['create table _litestream_other (id integer)', 'table _litestream_other does not belong to it'],
    ['create trigger t after insert on events begin select 1; end', 'trigger t does not belong to it'],
    [
      'drop index events_callback; create unique index events_callback on events (callback_id)',
      'index events_callback is defined in another way',
    ],
    [
      `pragma writable_schema = on;
       update sqlite_schema set sql = replace(sql, 'reason text,', 'reason integer,') where name = 'replays'`,
      'column reason of table replays is defined in another way',
    ],
    [
      `pragma writable_schema = on;
       update sqlite_schema set sql = replace(sql, '''running'', ''done''', '''running''') where name = 'replays'`,
      'table replays is defined in another way',
    ],
  ])('%s: start, commands and verify name the difference, and nothing is changed', async (sql, difference) => {
    const file = await changedDatabase(sql)
    const before = contentOf(file)
    const refusal = {
      code: 'store_unavailable',
      message: expect.stringMatching(/^the database \S+ differs from schema \d+ of Portaria: /),
    }
    const message = expect.stringContaining(`: ${difference}. It was not changed.`)

    await expect(openTestStore({ file })).rejects.toMatchObject({ message })
    await expect(openStoreReader(file)).rejects.toMatchObject(refusal)
    expect(verifyDatabase(file, () => undefined).problems).toEqual(
      difference.split('; ').map((one) => `its schema is not the one of its version: ${one}`),
    )
    expect(contentOf(file)).toEqual(before)
  })

  it('has at most five differences named, and the others counted', async () => {
    const file = await changedDatabase(
      'create table a (x); create index b on a (x); create view c as select 1;'.concat(
        ...[1, 2, 3, 4].map((n) => `create table t${n} (x);`),
      ),
    )
    await expect(openTestStore({ file })).rejects.toThrow(
      /table t2 does not belong to it; and 2 more differences\. It was/,
    )
  })

  it('comments, white space and quotes are no difference, and neither are the statistics of SQLite', async () => {
    const file = await changedDatabase(`${OTHER_TEXT}; analyze`)
    expect(contentOf(file).rows).toContainEqual(
      expect.objectContaining({ name: 'silences', sql: expect.stringContaining('see kinds') }),
    )
    await (await openTestStore({ file })).close()
    await (await openStoreReader(file)).close()
    expect(verifyDatabase(file, () => undefined).problems).toEqual([])
  })
})

/** As Litestream 0.3 and 0.5 make them and write to the first one. */
const OF_LITESTREAM = `
  CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
  CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER);
  INSERT INTO _litestream_seq (id, seq) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET seq = seq + 1`

it('the two tables of Litestream stay in a database: it starts, stores, and is sound', async () => {
  const file = await changedDatabase(OF_LITESTREAM)
  const store = await openTestStore({ file })
  await expect(store.storeCallback(aCallback())).resolves.toMatchObject({})
  await store.close()
  expect(contentOf(file).rows).toContainEqual(expect.objectContaining({ name: '_litestream_seq' }))
  await (await openStoreReader(file)).close()
  expect(verifyDatabase(file, () => undefined).problems).toEqual([])
})
