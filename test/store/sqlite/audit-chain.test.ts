import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import type { NewCallback } from '../../../src/domain/event.ts'
import { FIRST_HASH, hexOf } from '../../../src/domain/event-hash.ts'
import { createAuditChain } from '../../../src/store/sqlite/audit/audit-chain.ts'
import { type Connection, openForWriting } from '../../../src/store/sqlite/database/connection.ts'
import { prepareMark } from '../../../src/store/sqlite/database/last-position.ts'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { createWriter } from '../../../src/store/sqlite/threads/writer.ts'
import { verifyAuditChain } from '../../../src/store/sqlite/verification/verify-audit-chain.ts'
import type { WriteCall } from '../../../src/store/storing/store-calls.ts'
import type { WrittenPoint } from '../../../src/store/verification/audit-verification.ts'
import { aHeldCallback, anInterpretedCallback, NOON } from '../../support/builders.ts'
import { databaseFrom, temporaryDatabase } from '../../support/store.ts'
import { aPaymentAnswer } from '../contract/reconcile-contract.ts'

const OPTIONS = { deduplicationWindowMs: 86_400_000, firstWaitMs: 0, now: () => NOON + 1000 }
const LAST = 12

function store(callback: NewCallback): WriteCall {
  return { method: 'storeCallback', args: [callback] }
}

function numbered(n: number): WriteCall {
  return store(anInterpretedCallback(`{"identificador":"s${n}"}`))
}

/**
 * An event in each way that there is: 1 whole, 2 to 4 of one callback, 5 unparsed, 6 the gateway's own, 7 released, 11 that the service was asked for,
 * the rest whole.
 */
const OPERATIONS: readonly WriteCall[] = [
  numbered(1),
  store(anInterpretedCallback('{"pix":[{"n":1},{"n":2},{"n":3}]}', ['/pix'])),
  store(anInterpretedCallback('\u0000 no JSON \uFFFF')),
  {
    method: 'raiseExpiryWarning',
    args: [
      {
        set: 'server',
        fingerprint: 'cd'.repeat(32),
        warning: 3,
        where: 'certs/server.pem',
        subject: 'CN=portaria.example',
        issuer: 'CN=test CA',
        notAfter: NOON,
        daysLeft: 3,
        event: { environment: 'production', madeAt: NOON, subject: 'cd', status: 'expiring', body: '{}' },
      },
    ],
  },
  store(aHeldCallback('{"pix":[{"n":1},{"n":2}]}', ['/pix'])),
  { method: 'releaseQuarantined', args: [2, { by: 'operator', at: NOON }] },
  // What is no Unicode is stored as U+FFFD, and what JSON may say in a string may be any character.
  store(anInterpretedCallback('{"identificador":"\\ud800 \\u0000 é","tipo":null}')),
  ...[9, 10].map(numbered),
  { method: 'settleAnswer', args: [aPaymentAnswer('s11', 'CRIADO')] },
  numbered(12),
]

function open(file = temporaryDatabase()): Connection {
  const db = openForWriting(file)
  onTestFinished(() => void db.close())
  migrate(db)
  return db
}

function storedIn(db: Connection): Connection {
  expect(
    createWriter(db, OPTIONS)
      .run(OPERATIONS)
      .results.filter(({ ok }) => !ok),
  ).toEqual([])
  // As the end of the writer does.
  prepareMark(db)()
  return db
}

let sound: Buffer | undefined

/** A copy of the sound database, changed by hand. */
function changedBy(sql: string): string {
  if (sound === undefined) {
    const file = temporaryDatabase()
    storedIn(open(file)).close()
    sound = readFileSync(file)
  }
  return databaseFrom(sound, sql)
}

function verified(file: string, ...expected: WrittenPoint[]) {
  return verifyAuditChain(file, expected, () => undefined)
}

function problemsOf(file: string, ...expected: WrittenPoint[]): readonly string[] {
  return verified(file, ...expected).problems
}

function headOf(file: string): WrittenPoint {
  const { head } = verified(file)
  if (head === null) throw new Error('no head')
  return head
}

/** What retention does: the links, then the rows. */
function remove(db: Connection, positions: readonly number[]): void {
  const list = positions.join()
  db.pragma('foreign_keys = off')
  db.transaction(() => {
    createAuditChain(db).keepLinks(positions)
    db.exec(
      `delete from events where id in (${list}); update quarantine set event_id = null where event_id in (${list})`,
    )
    db.exec(
      'delete from callbacks where id not in (select callback_id from events) and id not in (select callback_id from quarantine)',
    )
  })()
}

it('events that were stored in any way are all in the chain', () => {
  const verification = verified(changedBy(''))
  expect(verification).toEqual({
    problems: [],
    incomparable: [],
    events: LAST,
    withoutPayload: 0,
    removed: 0,
    anchor: 0,
    head: { position: LAST, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
})

it('an empty database has an end of the chain, too', () => {
  expect(verified(open().name)).toMatchObject({ problems: [], head: { position: 0, hash: hexOf(FIRST_HASH) } })
})

const ALTERED = (position: number) =>
  `event ${position} was altered, or moved to another position: it does not fit the hash`
const INSERTED = (position: number) =>
  `event ${position} was inserted: retention had removed the event at this position, or there was none`
const PAYLOAD = (position: number) => `the payload of event ${position} was altered`

const EVENT_COLUMNS: readonly (readonly [column: string, value: string])[] = [
  ['nonce', `'9999999999'`],
  ['kind', `'charge'`],
  ['environment', `'sandbox'`],
  ['received_at', 'received_at + 1'],
  ['subject', `'s8'`],
  ['status', `'LIQUIDADO'`],
  ['part', '2'],
  ['parts', '2'],
  ['fact_hash', `zeroblob(32)`],
  ['hash', 'zeroblob(32)'],
]

const CALLBACK_COLUMNS: readonly (readonly [column: string, value: string])[] = [
  ['received_at', 'received_at + 1'],
  ['kind', `'charge'`],
  ['environment', `'sandbox'`],
  ['listener', `'charges'`],
  ['authentication', `'path-token'`],
  ['peer_id', 'null'],
  ['remote_address', `'127.0.0.2'`],
  ['target', `'/other'`],
  ['tls_version', `'TLSv1.2'`],
  ['cipher', 'null'],
  ['content_type', `'text/plain'`],
  ['headers', `'[]'`],
  ['mark', `'unparsed'`],
]

const CHANGES: readonly (readonly [sql: string, problems: readonly string[]])[] = [
  ...EVENT_COLUMNS.map(
    ([column, value]) => [`update events set ${column} = ${value} where id = 9`, [ALTERED(9)]] as const,
  ),
  ...CALLBACK_COLUMNS.map(
    ([column, value]) =>
      [
        `update callbacks set ${column} = ${value} where id = (select callback_id from events where id = 9)`,
        [ALTERED(9)],
      ] as const,
  ),
  [
    `update callbacks set authentication = 'none' where id = (select callback_id from events where id = 11)`,
    [ALTERED(11)],
  ],
  ['update events set payload_hash = zeroblob(32) where id = 9', [ALTERED(9), PAYLOAD(9)]],
  ...['array_start', 'array_end', 'item_start', 'item_end'].map(
    (column) => [`update events set ${column} = ${column} + 1 where id = 3`, [ALTERED(3), PAYLOAD(3)]] as const,
  ),
  ['update events set array_end = null where id = 3', [ALTERED(3), PAYLOAD(3)]],
  [
    `update callbacks set body = cast(body || ' ' as blob) where id = (select callback_id from events where id = 9)`,
    [PAYLOAD(9)],
  ],
  [
    `update callbacks set body = cast(replace(body, '2', '7') as blob) where id = (select callback_id from events where id = 3)`,
    [PAYLOAD(3)],
  ],
  ['delete from callbacks where id = (select callback_id from events where id = 9)', [ALTERED(9), PAYLOAD(9)]],
  ['delete from events where id = 9', ['event 9 was removed, and not by retention']],
  [
    'delete from events where id in (2, 3, 9)',
    ['events 2 to 3 were removed, and not by retention', 'event 9 was removed, and not by retention'],
  ],
  ['delete from events where id = 1', ['event 1 was removed, and not by retention']],
  [
    'update events set id = 99 where id = 9; update events set id = 9 where id = 10; update events set id = 10 where id = 99',
    ['events 9 to 10 were altered, or moved to another position: they do not fit the hash'],
  ],
  [
    'delete from events where id >= 11',
    ['events 11 to 12 were cut off from the end: they were stored, and nothing of them is left'],
  ],
  ['delete from events', ['events 1 to 12 were cut off from the end: they were stored, and nothing of them is left']],
  [
    `update sqlite_sequence set seq = 13 where name = 'events'`,
    ['event 13 was cut off from the end: it was stored, and nothing of it is left'],
  ],
  [insertAt(13), [ALTERED(13)]],
  [insertAt(15), ['events 13 to 14 were removed, and not by retention']],
  [`${insertAt(13)}; update sqlite_sequence set seq = 12 where name = 'events'`, [ALTERED(13)]],
  [`${insertAt(-1)}`, [INSERTED(-1)]],
  ['insert into removed_events values (13, zeroblob(32))', [INSERTED(13)]],
  [
    'insert into removed_events values (9, zeroblob(32))',
    [INSERTED(9), 'events 9 to 10 were altered, or moved to another position: they do not fit the hash'],
  ],
  // What is no hash, no point and no list stops no one who looks.
  ...['1', '31', '33', '100'].map(
    (length) => [`update events set hash = zeroblob(${length}) where id = 9`, [ALTERED(9)]] as const,
  ),
  [
    'delete from events where id = 9; insert into removed_events values (9, zeroblob(100))',
    ['events 9 to 10 were altered, or moved to another position: they do not fit the hash'],
  ],
  ...['x', '12:ab', 'NaN:0'].map(
    (point) =>
      [
        `insert into meta values ('event_anchor', '${point}'); delete from events where id = 1`,
        ['event 1 was removed, and not by retention'],
      ] as const,
  ),
  [
    `insert into meta values ('skipped_positions', '{'); delete from events where id = 9`,
    ['event 9 was removed, and not by retention'],
  ],
  [
    `update peers set pem = ''`,
    ['the certificate of the caller 0bd68872771c7349bacc7d6f0be3376527539f83f6c9728dee2d07a62e232ed1 was altered'],
  ],
  [
    `update peers set subject = 'CN=other'`,
    ['the certificate of the caller 0bd68872771c7349bacc7d6f0be3376527539f83f6c9728dee2d07a62e232ed1 was altered'],
  ],
]

/** A copy of event 9. */
function insertAt(position: number): string {
  return `create temp table copy as select * from events where id = 9; update copy set id = ${position}; insert into events select * from copy`
}

it.each(CHANGES)('%s: found', (sql, problems) => {
  expect(problemsOf(changedBy(sql))).toEqual(problems)
})

it('a point that was written down is still there, or the change up to it is reported', () => {
  const written = headOf(changedBy(''))
  expect(problemsOf(changedBy(''), written)).toEqual([])
  expect(problemsOf(changedBy(''), { ...written, hash: 'ab'.repeat(32) })).toEqual([
    `the hash up to event ${LAST} is ${written.hash}, not ${'ab'.repeat(32)}: something up to it was changed`,
  ])
  // A caller that cuts the end off and sets the count of positions back leaves a chain that is sound in itself.
  const cut = changedBy(`delete from events where id > 10; update sqlite_sequence set seq = 10 where name = 'events'`)
  expect(problemsOf(cut)).toEqual([])
  expect(problemsOf(cut, written)).toEqual([`event ${LAST} is expected, and is not there`])
})

it('what retention removes leaves the chain whole: in the middle, at both ends, and all of it', () => {
  const db = storedIn(open())
  const written = headOf(db.name)

  remove(db, [3, 4, 9])
  expect(verified(db.name, written)).toMatchObject({ problems: [], events: 9, removed: 3, anchor: 0 })
  remove(db, [1, 2, 12])
  expect(verified(db.name, written)).toMatchObject({ problems: [], events: 6, removed: 2, anchor: 4 })
  remove(db, [5, 6, 7, 8, 10, 11])
  expect(verified(db.name, written)).toMatchObject({ problems: [], events: 0, removed: 0, anchor: 12, head: written })
})

it('a point that retention has passed is neither a fault nor a proof', () => {
  const db = storedIn(open())
  remove(db, [1, 2, 3, 4])
  expect(verified(db.name, { position: 2, hash: 'ab'.repeat(32) })).toMatchObject({
    problems: [],
    incomparable: ['event 2 cannot be compared: retention removed everything up to 4; expect a newer one'],
  })
})

it('what comes after a removal follows on, also from a writer that starts then', () => {
  const db = storedIn(open())
  const again = () => createWriter(db, OPTIONS).run([numbered(100 + Math.random())])
  remove(db, [12])
  again()
  expect(verified(db.name)).toMatchObject({ problems: [], events: 12, removed: 1, head: { position: 13 } })
  remove(db, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13])
  again()
  expect(verified(db.name)).toMatchObject({ problems: [], events: 1, removed: 0, anchor: 13, head: { position: 14 } })
})

const REMOVED: readonly (readonly [sql: string, problems: readonly string[]])[] = [
  ['delete from events where id = 10', ['event 10 was removed, and not by retention']],
  ['delete from removed_events where position = 9', ['event 9 was removed, and not by retention']],
  [
    'update removed_events set digest = zeroblob(32) where position = 9',
    ['events 9 to 10 were altered, or moved to another position: they do not fit the hash'],
  ],
  [`update meta set value = '3:' || substr(value, 3) where key = 'event_anchor'`, [INSERTED(3), ALTERED(4)]],
]

it.each(REMOVED)('beside what retention removed, %s: found', (sql, problems) => {
  const file = changedBy('')
  const db = openForWriting(file)
  remove(db, [1, 2, 9])
  db.exec(sql)
  db.close()
  expect(problemsOf(file)).toEqual(problems)
})

it('a removal folds no more links than it may, and the next ones go on', () => {
  const db = open()
  const writer = createWriter(db, OPTIONS)
  writer.run(Array.from({ length: 1500 }, (_, n) => numbered(n)))
  const written = headOf(db.name)
  const behindFirst = Array.from({ length: 1400 }, (_, n) => n + 2)

  remove(db, behindFirst)
  expect(verified(db.name)).toMatchObject({ problems: [], removed: 1400, anchor: 0 })
  remove(db, [1])
  expect(verified(db.name)).toMatchObject({ problems: [], removed: 400, anchor: 1001 })
  remove(db, [1450])
  expect(verified(db.name, written)).toMatchObject({ problems: [], removed: 1, anchor: 1401, head: written })
})

it('positions that a restored backup leaves out are no gap', () => {
  const file = changedBy(`
    insert into meta (key, value) values ('skipped_positions', '[[13, 1000], [1001, 2000]]');
    update sqlite_sequence set seq = 2000 where name = 'events'`)
  expect(problemsOf(file)).toEqual([])
  const db = openForWriting(file)
  createWriter(db, OPTIONS).run([numbered(13)])
  db.close()
  expect(verified(file)).toMatchObject({ problems: [], events: 13, head: { position: 2001 } })
})

it('a payload that was removed keeps verifying, and so do the others of its callback', () => {
  const blank = `
    update events set payload_removed_at = 1 where id in (3, 9);
    update callbacks set body = x'' where id = (select callback_id from events where id = 9);
    update callbacks set body = cast(replace(body, '{"n":2}', '{}     ') as blob) where id = (select callback_id from events where id = 3)`
  expect(verified(changedBy(blank))).toMatchObject({ problems: [], events: LAST, withoutPayload: 2 })
  const restored = `${blank}; update events set payload_removed_at = null where id = 9`
  expect(problemsOf(changedBy(restored))).toEqual([PAYLOAD(9)])
})

it('a gateway that finds no hash at the end of the chain goes on storing, and the next one fits it', () => {
  const file = changedBy(`update events set hash = zeroblob(100) where id = ${LAST}`)
  const db = open(file)
  expect(createWriter(db, OPTIONS).run([numbered(13)]).results).toMatchObject([{ ok: true }])
  expect(problemsOf(file)).toEqual([ALTERED(LAST)])
})

it('a batch that is rolled back, and what is stored again after it, leave the chain whole', () => {
  const db = open()
  const writer = createWriter(db, OPTIONS)
  writer.run([numbered(1)])
  db.exec(
    `create temp trigger full before insert on events when new.subject = 's3' begin select raise(abort, 'refused'); end`,
  )
  const { results } = writer.run([2, 3, 4].map(numbered))
  expect(results.map(({ ok }) => ok)).toEqual([true, true, true])
  expect(verified(db.name)).toMatchObject({ problems: [], events: 4, head: { position: 4 } })

  // Nothing of it can be stored.
  db.exec(`create temp trigger none before insert on events begin select raise(abort, 'refused'); end`)
  expect(writer.run([5, 6].map(numbered)).results.map(({ ok }) => ok)).toEqual([false, false])
  db.exec('drop trigger none')
  writer.run([numbered(7)])
  expect(verified(db.name)).toMatchObject({ problems: [], events: 5, head: { position: 5 } })
})

it('an event that somebody inserts beside the gateway is found, and stops nothing', () => {
  const db = storedIn(open())
  const writer = createWriter(db, OPTIONS)
  writer.run([numbered(13)])
  db.exec(insertAt(14))
  expect(writer.run([numbered(14)]).results).toMatchObject([{ ok: true }])
  expect(problemsOf(db.name)).toEqual([ALTERED(14)])
})

it('may look while events are stored and removed', () => {
  const db = open()
  const writer = createWriter(db, OPTIONS)
  writer.run(Array.from({ length: 3000 }, (_, n) => numbered(n)))
  let round = 0
  const verification = verifyAuditChain(db.name, [], () => {
    remove(
      db,
      Array.from({ length: 1500 }, (_, n) => round * 1500 + n + 1).filter((n) => n % 7 !== 0 || round > 0),
    )
    writer.run([numbered(5000 + round++)])
  })
  expect(round).toBeGreaterThan(1)
  expect(verification.problems).toEqual([])
})

it('a page that cannot be read ends the verification', () => {
  const db = storedIn(open())
  const page = db
    .prepare<[], number>("select max(pageno) from dbstat where name = 'callbacks' and pagetype = 'leaf'")
    .pluck()
    .get() as number
  const pageSize = db.pragma('page_size', { simple: true }) as number
  const { name } = db
  db.close()
  const file = openSync(name, 'r+')
  writeSync(file, Buffer.alloc(pageSize, 7), 0, pageSize, (page - 1) * pageSize)
  closeSync(file)
  expect(() => problemsOf(name)).toThrow('database disk image is malformed')
})
