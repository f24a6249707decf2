import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import type { DeliveryState } from '../../../src/domain/delivery.ts'
import type { StoreReader } from '../../../src/domain/store-reader.ts'
import type { Move } from '../../../src/store/moving/move.ts'
import { TABLES } from '../../../src/store/moving/tables.ts'
import { moveStore, openPostgresReader, openStoreReader } from '../../../src/store/open-store.ts'
import { openForReading } from '../../../src/store/sqlite/database/connection.ts'
import { verifyDatabase } from '../../../src/store/sqlite/maintenance/verify.ts'
import { linesOf, portaria } from '../../cli/program.ts'
import { aCallback, aDestination, NOON } from '../../support/builders.ts'
import { callBack } from '../../support/calls.ts'
import { IS_FULL } from '../../support/campaign.ts'
import { createSite, MAIN, startTestGateway } from '../../support/gateway.ts'
import { siteOn } from '../../support/postgres.ts'
import { openTestStore, temporaryDatabase } from '../../support/store.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const FIXTURES = resolve(import.meta.dirname, '../../store/sqlite/fixtures')
/** Of the newest schema. */
const FIXTURE = join(FIXTURES, readdirSync(FIXTURES).sort().at(-1) ?? '')
const QUIET = () => undefined
const STATES: readonly DeliveryState[] = ['pending', 'delivered', 'blocked', 'exhausted', 'canceled']

/** A database with rows in every table. */
function richDatabase(): string {
  const file = temporaryDatabase()
  writeFileSync(file, gunzipSync(readFileSync(FIXTURE)), { mode: 0o600 })
  return file
}

/** A few at a time: a read that waits for a connection for too long fails. */
async function each<One, Result>(all: readonly One[], read: (one: One) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < all.length; at += 20) results.push(...(await Promise.all(all.slice(at, at + 20).map(read))))
  return results
}

/** Everything that the reading methods of the Store say. */
async function contentOf(reader: StoreReader) {
  const { events, ...page } = await reader.listEvents({}, 10_000)
  const deliveries = await reader.listDeliveries({}, 10_000)
  const quarantine = await reader.listQuarantine({}, 1000)
  const { refusals } = await reader.listRefusals({}, 1000)
  const positions = events.map(({ position }) => position)
  const { searchedTo: _searchedTo, ...snapshot } = await reader.takeSnapshot()
  const content = {
    events,
    page,
    found: await each(events, ({ id }) => reader.getEvent(id)),
    proofs: await each(events, ({ id }) => reader.getProof(id)),
    latest: await reader.latestPosition(),
    kinds: (await reader.listStoredKinds()).toSorted(),
    peers: await reader.listPeers(0),
    quarantine: await each(quarantine, ({ id }) => reader.getQuarantined(id)),
    destinations: await reader.listDestinations({ removed: true }),
    certificates: await reader.listDestinationCertificates(),
    deliveries,
    byState: await Promise.all(STATES.map((state) => reader.listDeliveries({ state }, 10_000))),
    attempts: await each(deliveries, ({ deliveryId }) => reader.listAttempts(deliveryId, 100)),
    counts: await reader.countEventDeliveries(positions),
    backlog: (await reader.countBacklog()).toSorted((a, b) => a.destinationId - b.destinationId),
    replays: await reader.listReplays({}, 100),
    consumers: await reader.listConsumers(),
    lags: await reader.listLags([0, ...positions]),
    refusals,
    clients: await reader.listClients({ revoked: true }),
    actions: await reader.listActions({}, 1000),
    clock: await reader.readClock(),
    hourSums: await reader.listHourSums({ from: 0, to: Number.MAX_SAFE_INTEGER }),
    snapshot,
  }
  await reader.close()
  return plain(content)
}

/** Bytes as text: SQLite's come from another thread as plain arrays. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}

async function contentOfFile(file: string) {
  return contentOf(await openStoreReader(file))
}

async function contentOfUrl(url: string) {
  return contentOf(await openPostgresReader({ url }))
}

function rowsOf(file: string, sql: string): unknown[] {
  const db = openForReading(file)
  const rows = db.prepare(sql).all()
  db.close()
  return rows
}

describePostgres('storage move', (server) => {
  /** As the superuser, of a database by its URL. */
  function query(url: string, text: string) {
    return server.query(text, /\/(test_\d+)\?/.exec(url)?.[1] ?? '')
  }

  it('copies every column but those that a database makes for itself', async () => {
    const url = await server.createDatabase()
    await moveStore({ file: richDatabase() }, { url }, QUIET)
    const there = await query(
      url,
      `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public' and table_name not in
      ('meta', 'head', 'nodes', 'leases', 'search_terms', 'event_blocks', 'page_sessions', 'team_sessions', 'used_once', 'single_callbacks')`,
    )
    const moved = TABLES.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
    const named = there.map(({ name }) => String(name).replace('callbacks.callback_id', 'callbacks.id'))
    expect(moved.toSorted()).toEqual(named.toSorted())

    const here = rowsOf(
      richDatabase(),
      `select t.name || '.' || c.name as name from sqlite_schema t join pragma_table_info(t.name) c where t.type = 'table'
        and t.name not glob 'sqlite_*' and t.name not glob '*_blocks' and t.name not glob 'search_*' and t.name not in
        ('meta', 'block_contents', 'subject_sets', 'sealed_hashes', 'event_bodies')`,
    ).map((row) => (row as { name: string }).name)
    expect(here.filter((name) => !moved.includes(name)).toSorted()).toEqual([
      'callbacks.event_id',
      'deliveries.first_answer',
      'deliveries.first_started_at',
      'deliveries.is_first',
      'destinations.deliveries_after',
      'destinations.deliveries_through',
      'events.first_delivery',
      'events.is_single',
      'events.last_delivery',
    ])
  })

  it('copies a database with rows in every table there and back, and reading both gives the same', async () => {
    const file = richDatabase()
    const before = readFileSync(file)
    const url = await server.createDatabase()
    const { counts, chain } = await moveStore({ file }, { url }, QUIET)
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([])
    expect(chain.problems).toEqual([])
    const content = await contentOfFile(file)
    expect(await contentOfUrl(url)).toEqual(content)
    expect(readFileSync(file)).toEqual(before)

    const back = join(temporaryDatabase())
    await moveStore({ url }, { file: back }, QUIET)
    expect(await contentOfFile(back)).toEqual(content)
    expect(verifyDatabase(back, QUIET).problems).toEqual([])
    const numbers = "select name, seq from sqlite_sequence where name not glob 'search*' and seq > 0 order by name"
    expect(rowsOf(back, numbers)).toEqual(rowsOf(file, numbers))
    for (const table of [
      'callback_blocks',
      'silences',
      'expiry_warnings',
      'question_budgets',
      'charge_routes',
      'removed_events',
    ])
      expect(rowsOf(back, `select * from ${table}`)).toEqual(rowsOf(file, `select * from ${table}`))
  })

  it('gives no number again on the other side', async () => {
    const file = richDatabase()
    const url = await server.createDatabase()
    await moveStore({ file }, { url }, QUIET)
    const [before] = await query(url, 'select * from head')
    const [highest] = rowsOf(
      file,
      'select (select max(id) from callbacks) as callback, (select max(id) from deliveries) as delivery',
    )
    expect(before).toMatchObject({
      position: String(((await contentOfFile(file)) as { latest: number }).latest),
      callback: String((highest as { callback: number }).callback),
      delivery: String((highest as { delivery: number }).delivery),
    })
  })

  /** Of 1,500 callbacks, most of them delivered: more than a block, and than a batch. */
  async function manyEvents(file: string): Promise<void> {
    const store = await openTestStore({ file })
    const { id } = await store.createDestination(aDestination(), NOON)
    const texts = Array.from({ length: 1500 }, (_, n) => `{"identificador":"${n}"}`)
    await Promise.all(texts.map((text) => store.storeCallback(aCallback({ text }))))
    const { deliveries } = await store.claimDeliveries({
      destinationId: id,
      now: NOON + 1,
      leaseUntil: NOON + 60_000,
      limit: 1000,
      backlogLimit: 1000,
      freshSince: 0,
    })
    const answer = Buffer.from('ok')
    const outcome = {
      startedAt: NOON + 1,
      durationMs: 5,
      status: 200,
      error: null,
      answer,
      result: { state: 'delivered' },
    } as const
    await store.recordAttempts(deliveries.map(({ deliveryId, attempt }) => ({ ...outcome, deliveryId, attempt })))
    await store.close()
  }

  it('goes on wherever it was broken off, and until then no gateway and no command takes the copy', async () => {
    const site = await createSite({})
    const file = join(site.folder, 'data/portaria.db')
    await manyEvents(file)
    const url = await server.createDatabase()
    const half = await siteOn(server, { url })
    for (let most = 0, isDone = false; !isDone; most += IS_FULL ? 1 : 4) {
      let steps = 0
      const moved = moveStore({ file }, { url }, () => {
        if (steps++ === most) throw new Error('broken off')
      })
      isDone = await moved.then(
        () => true,
        ({ message }: Error) => message !== 'broken off',
      )
      if (most !== 12) continue
      for (const command of [['serve'], ['events', 'list']]) {
        const refused = await portaria(half, ...command)
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('holds only a part of another one')])
      }
    }
    expect(await contentOfUrl(url)).toEqual(await contentOfFile(file))
  })

  it('refuses what it cannot copy, or cannot copy to', async () => {
    const file = richDatabase()
    const [url, other] = [await server.createDatabase(), await server.createDatabase()]
    await moveStore({ file }, { url }, QUIET)
    await expect(moveStore({ file }, { url }, QUIET)).rejects.toThrow('holds data already: name an empty database')
    const taken = richDatabase()
    await expect(moveStore({ url }, { file: taken }, QUIET)).rejects.toThrow('holds data already: name a file')

    const breakOff = () => {
      throw new Error('broken off')
    }
    await expect(moveStore({ file }, { url: other }, breakOff)).rejects.toThrow('broken off')
    const changed = temporaryDatabase()
    await manyEvents(changed)
    await expect(moveStore({ file: changed }, { url: other }, QUIET)).rejects.toThrow(
      'holds a part of another database',
    )
    await expect(moveStore({ url: other }, { file: temporaryDatabase() }, QUIET)).rejects.toThrow('only a part')

    const store = await openTestStore({ file })
    await expect(moveStore({ file }, { url: await server.createDatabase() }, QUIET)).rejects.toThrow(
      'another portaria process owns',
    )
    await store.close()
  })

  it('notices at the end a row that differs', async () => {
    const file = richDatabase()
    const url = await server.createDatabase()
    const breakOff = ({ words }: { words: string }) => {
      if (words.startsWith('copying callbacks')) throw new Error('broken off')
    }
    await expect(moveStore({ file }, { url }, breakOff)).rejects.toThrow('broken off')
    await query(url, "update peers set subject = 'other'")
    await expect(moveStore({ file }, { url }, QUIET)).rejects.toThrow('the rows of peers')
  })

  it('as a command: killed in the middle, run again, and a gateway goes on with the copy, and with the copy of that', async () => {
    const site = await createSite({})
    const file = join(site.folder, 'data/portaria.db')
    await manyEvents(file)
    const url = await server.createDatabase()
    const killed = spawn(process.execPath, [MAIN, 'storage', 'move', '--to', url], {
      env: { PATH: process.env.PATH, PORTARIA_CONFIG: site.configFile },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    killed.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('copying')) killed.kill('SIGKILL')
    })
    await once(killed, 'close')
    const moved = await portaria(site, 'storage', 'move', '--to', url)
    expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining(`storage:\n  url: ${url}\n`) })
    expect(moved.stdout).toContain('1500 events of 1500 callbacks, 1500 deliveries')

    const copy = await siteOn(server, { url })
    const gateway = await startTestGateway(copy)
    const running = await portaria(copy, 'storage', 'move', '--to', `sqlite:${temporaryDatabase()}`)
    expect([running.code, running.stderr]).toEqual([1, expect.stringContaining('stop its nodes first')])
    expect((await callBack(gateway, { body: '{"identificador":"new"}' })).status).toBe(200)
    await gateway.stop()
    const back = temporaryDatabase()
    const [there] = linesOf<Move>(await portaria(copy, 'storage', 'move', '--to', `sqlite:${back}`, '--json'))
    expect(there?.chain.problems).toEqual([])
    const again = await createSite({ storage: { url: `sqlite:${back}` } })
    const second = await startTestGateway(again)
    expect((await callBack(second, { body: '{"identificador":"newer"}' })).status).toBe(200)
    await second.stop()
    expect(verifyDatabase(back, QUIET).problems).toEqual([])
    expect((await contentOfFile(back)) as { latest: number }).toMatchObject({ latest: (there?.counts.events ?? 0) + 1 })
  })
})
