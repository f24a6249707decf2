import { randomBytes } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { INVARIANTS } from '../../../src/store/postgres/verification/invariants.ts'
import { verifyPostgres } from '../../../src/store/postgres/verification/verify-postgres.ts'
import type { WrittenPoint } from '../../../src/store/verification/audit-verification.ts'
import { KINDS } from '../../store/contract/reading-contract.ts'
import { aDestination, aHeldCallback, anInterpretedCallback, NOON } from '../../support/builders.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const LAST = 8
const OPTIONS = { deduplicationWindowMs: 86_400_000, kinds: KINDS, queue: { events: 1000, bytes: 1 << 24 } }

describePostgres('storage verify on PostgreSQL', (server) => {
  /** The name of a sound database, of which each test copies. */
  let sound: string
  beforeAll(async () => {
    const url = await server.createDatabase()
    sound = nameIn(url)
    const store = await openPostgresStore({ ...OPTIONS, url })
    await store.createDestination(aDestination(), NOON)
    await store.storeCallback(anInterpretedCallback('{"identificador":"s1"}'))
    await store.storeCallback(anInterpretedCallback('{"pix":[{"n":1},{"n":2},{"n":3}]}', ['/pix']))
    await store.storeCallback(anInterpretedCallback('\u0000 no JSON \uFFFF'))
    await store.storeCallback(aHeldCallback('{"pix":[{"n":1},{"n":2}]}', ['/pix']))
    await store.releaseQuarantined(2, { by: 'operator', at: NOON })
    for (const n of [7, 8]) await store.storeCallback(anInterpretedCallback(`{"identificador":"s${n}"}`))
    for (const action of ['pause', 'resume', 'pause'])
      await store.recordAction({
        at: NOON,
        actor: 'operator',
        channel: 'control',
        action,
        target: '1',
        reason: null,
        details: null,
        refersTo: null,
      })
    await store.close()
  })

  function nameIn(url: string): string {
    return new URL(url.replace('@:', '@x:')).pathname.slice(1)
  }

  let copies = 0
  /** A copy of the sound database, changed by hand. */
  async function changedBy(sql: string) {
    const name = `copy_${++copies}`
    await server.query(`create database ${name} template ${sound}`)
    await server.query(`set session_replication_role = replica; ${sql}`, name)
    return { url: server.urlOf(name) }
  }

  async function problemsAfter(sql: string, expected: readonly WrittenPoint[] = []): Promise<readonly string[]> {
    const { verification, chain } = await verifyPostgres(await changedBy(sql), expected, () => undefined)
    return [...verification.problems, ...(chain?.problems ?? [])]
  }

  it('finds nothing in a sound database, and names the end of the chain', async () => {
    const { verification, chain } = await verifyPostgres(await changedBy('select 1'), [], () => undefined)
    expect(verification.problems).toEqual([])
    expect(verification.counts).toMatchObject({ events: LAST, actions: 3 })
    expect(chain).toMatchObject({ problems: [], events: LAST, removed: 0, head: { position: LAST } })
  })

  it('looks for the array of a split callback once, and names all of its events', async () => {
    const parts = 300
    const url = await server.createDatabase()
    const store = await openPostgresStore({ ...OPTIONS, url })
    const items = Array.from({ length: parts }, () => ({ txid: randomBytes(50).toString('base64') }))
    await store.storeCallback(anInterpretedCallback(JSON.stringify({ pix: items }), ['/pix']))
    await store.close()
    const arrays = INVARIANTS.find(({ violation }) => violation === 'event whose span is not that of an array')
    // What is read of a body counts in blocks: it takes more than one.
    const explained = await server.query(`explain (analyze, buffers, format json) ${arrays?.sql}`, nameIn(url))
    const [{ 'QUERY PLAN': plans }] = explained as [{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }]
    const plan = plans[0].Plan
    expect(plan['Actual Rows']).toBe(0)
    expect((plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)).toBeLessThan(parts)

    await server.query('update events set array_start = array_start - 1 where id > 100', nameIn(url))
    const { verification } = await verifyPostgres({ url }, [], () => undefined)
    expect(verification.problems).toEqual([
      'event whose span is not that of an array: 101, 102, 103, 104, 105 and 195 more',
    ])
  })

  it('follows the chain past events that retention removed', async () => {
    const { url } = await changedBy('select 1')
    const store = await openPostgresStore({ ...OPTIONS, url })
    await store.removeAged({ part: 'payload', before: NOON + 1, callbackIds: [1, 2] }, NOON)
    await store.removeAged({ part: 'metadata', before: NOON + 1, callbackIds: [2] }, NOON)
    await store.close()
    const { chain } = await verifyPostgres({ url }, [], () => undefined)
    // What waits to be delivered stays.
    expect(chain?.problems).toEqual([])
  })

  it.each([
    [`update events set subject = 'other' where id = 3`, 'event 3 was altered, or moved to another position'],
    [`update callbacks set headers = '[]' where callback_id = 1`, 'event 1 was altered'],
    [`update events set hash = payload_hash where id = 5`, 'event 5 was altered'],
    [`update callbacks set body = 'x' || body where callback_id = 1`, 'the payload of event 1 was altered'],
    ['delete from events where id = 7', 'event 7 was removed, and not by retention'],
    ['delete from events where id = 8', 'event 8 was cut off from the end'],
    ['update head set position = 6', 'events 7 to 8 were inserted'],
    [`update peers set subject = 'CN=other'`, 'the certificate of the caller'],
    [`update actions set reason = 'other' where id = 2`, 'act_2 of the log of actions was changed'],
    ['delete from actions where id = 3', 'act_3 of the log of actions was removed by hand'],
    ['delete from callbacks where callback_id = 2', 'events refers to row 2 of callbacks, which is not there'],
    [
      `insert into events (id, nonce, callback_id, kind, environment, received_at, part, parts, payload_hash, hash)
        select 99, nonce, callback_id, kind, environment, received_at, 1, 1, payload_hash, hash from events where id = 1`,
      'callback and event in one row although it has another event, or more than the event: 1',
    ],
    ['update single_callbacks set callback_id = 2 where id = 1', 'number that two callbacks have: 2'],
    ['update single_callbacks set id = 2 where id = 1', 'position that two events have: 2'],
    ['update single_callbacks set redacted_at = now() where id = 1', 'or more than the event: 1'],
    [
      `insert into event_blocks values (1, 'payment', now(), now()); delete from event_blocks where block = 0`,
      'event of which its block says nothing: 1, 2, 3',
    ],
    [`update event_blocks set latest = earliest - interval '1 s'`, 'event of which its block says nothing: 1, 2, 3'],
    ['delete from peers', 'callbacks refers to row 1 of peers, which is not there'],
    ['delete from events where id = 2', 'deliveries refers to row 2 of events, which is not there'],
    ['delete from destinations', 'deliveries refers to row 1 of destinations, which is not there'],
    ['update deliveries set replay_id = 7 where id = 1', 'deliveries refers to row 7 of replays, which is not there'],
    [
      'insert into attempts (delivery_id, attempt, started_at, duration_ms) values (77, 1, now(), 1)',
      'attempts refers to row 77 of deliveries, which is not there',
    ],
    ['update quarantine set event_id = 99 where id = 2', 'quarantine refers to row 99 of events, which is not there'],
    [
      `insert into team_sessions (key, sealed, asked_at) values ('gone', 'x', now())`,
      'team_sessions refers to row gone of page_sessions, which is not there',
    ],
    ['update deliveries set next_attempt_at = null where id = 1', 'pending delivery without a next attempt: 1'],
    ['update events set part = 2 where id = 1', 'event with a part number that its callback does not have: 1'],
    ['update head set callback = 1', 'number that could be given again'],
  ])('%s: %s', async (sql, words) => {
    expect(await problemsAfter(sql)).toContainEqual(expect.stringContaining(words))
  })

  it('compares the chain with points that were written down', async () => {
    const { chain } = await verifyPostgres(await changedBy('select 1'), [], () => undefined)
    const head = chain?.head as WrittenPoint
    expect(await problemsAfter('select 1', [head])).toEqual([])
    expect(await problemsAfter('select 1', [{ ...head, hash: 'ab'.repeat(32) }])).toContainEqual(
      expect.stringContaining(`the hash up to event ${LAST} is ${head.hash}`),
    )
  })
})
