import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { clientOptions, type PostgresServer, postgresPrograms, startPostgres } from '../support/postgres.ts'
import { createApiClient } from './api-client.ts'
import { atLeast, atMost, type Benchmark, type Figures, figure, reported } from './benchmark.ts'
import { fillPostgres } from './fill-postgres.ts'
import { paymentOf } from './payments.ts'
import { load, type Served, startProduct, startServer } from './processes.ts'
import { at, SEARCHES, searchToItsEnd } from './search.ts'
import { ABSENT, type BenchSite, createBenchSite } from './site.ts'
import { loadInTurn, type Running } from './variants.ts'
import { follow } from './wakeups.ts'

const CONNECTIONS = 64
const RATE = 300
const WARM_UP_MS = 3000
const SEARCHES_EACH = 20

const missing = () => (postgresPrograms() === null ? 'PostgreSQL (on Debian: apt install postgresql)' : null)

/** A server of its own on the disk, which syncs as one in production does. */
async function withPostgres(measure: (server: PostgresServer) => Promise<void>): Promise<void> {
  const settings = { shared_buffers: '256MB', max_wal_size: '2GB' }
  const server = await startPostgres({ place: tmpdir(), settings })
  try {
    await measure(server)
  } finally {
    await server.stop()
  }
}

interface Node extends Running {
  stop(): Promise<void>
}

async function startNode(url: string, name = 'one', destinations?: object): Promise<Node> {
  const site = await createBenchSite(ABSENT, (folder) => ({
    storage: { url },
    node: { name, folder },
    ...destinations,
  }))
  const served = await startProduct(site.configFile, site.logFile)
  return { served, site, stop: () => stopOf(served, site) }
}

async function stopOf(served: Served, site: BenchSite): Promise<void> {
  await served.stop()
  site.remove()
}

/** One node, against the naive way on the same server, and against the same program with SQLite. */
export const cluster: Benchmark = {
  name: 'cluster-callbacks',
  what: `acknowledged callbacks/s of one node on PostgreSQL, ${CONNECTIONS} keep-alive mTLS connections, 1 KB JSON`,
  missing,
  promises: [
    atLeast(1.8, 'against Express and pg with one insert a request', (r) => figure(r, 'postgres') / figure(r, 'naive')),
    atLeast(0.6, 'against the same node on SQLite', (r) => figure(r, 'postgres') / figure(r, 'sqlite')),
    atMost(0.1, 'commits an acknowledged callback', (r) => figure(r, 'commitsEach'), 'commits'),
    reported('WAL a callback, with its search index', (r) => figure(r, 'walKbEach'), 'KB'),
    reported('median latency against SQLite', (r) => figure(r, 'postgresP50') / figure(r, 'sqliteP50')),
  ],
  run: (rounds, tell) =>
    withPostgres(async (server) => {
      for (let round = 0; round < rounds; round++) tell(await compareCallbacks(server))
    }),
}

async function compareCallbacks(server: PostgresServer): Promise<Figures> {
  const url = await server.createDatabase()
  const postgres = await startNode(url)
  const sqliteSite = await createBenchSite(ABSENT)
  const sqlite = await startProduct(sqliteSite.configFile, sqliteSite.logFile)
  const naiveUrl = clientOptions(await server.createDatabase()).connectionString as string
  const naive = await startServer('naive-postgres.ts', [sqliteSite.certs, naiveUrl])
  try {
    const results = await loadInTurn(
      { postgres, sqlite: { served: sqlite, site: sqliteSite }, naive: { served: naive, site: sqliteSite } },
      { connections: CONNECTIONS },
    )
    return {
      postgres: results.postgres.perSecond,
      sqlite: results.sqlite.perSecond,
      naive: results.naive.perSecond,
      postgresP50: results.postgres.p50Ms,
      sqliteP50: results.sqlite.p50Ms,
      ...(await writtenForEach(server, url, postgres)),
    }
  } finally {
    await naive.stop()
    await stopOf(sqlite, sqliteSite)
    await postgres.stop()
  }
}

/** All transactions that the server counts, those that only read among them. */
async function writtenForEach(server: PostgresServer, url: string, { served, site }: Running): Promise<Figures> {
  const name = /\/(\w+)\?/.exec(url)?.[1]
  async function written(): Promise<{ readonly commits: number; readonly bytes: number }> {
    // A connection tells its counts some seconds later.
    await wait(11_000)
    const [row] = await server.query(
      `select xact_commit, pg_current_wal_insert_lsn() - '0/0' as bytes from pg_stat_database where datname = '${name}'`,
    )
    return { commits: Number(row?.xact_commit), bytes: Number(row?.bytes) }
  }
  const before = await written()
  const manner = { bodyBytes: 1024, rate: 0, reconnect: false, warmUpMs: 0, measureMs: 5000 }
  const { answered } = await load({ ...manner, connections: CONNECTIONS, port: served.port, certs: site.certs })
  const { commits, bytes } = await written()
  const rounded = (sum: number) => Math.round(sum * (1000 / answered)) / 1000
  return { commitsEach: rounded(commits - before.commits), walKbEach: rounded((bytes - before.bytes) / 1000) }
}

/** A poller at one node, and callbacks at the other. */
export const clusterWakeups: Benchmark = {
  name: 'cluster-wakeups',
  what: `ms from the receipt of a callback by one node until a poller that waits at another one is answered, at ${RATE} callbacks/s`,
  missing,
  promises: [atMost(50, 'p99', (r) => figure(r, 'p99'), 'ms'), reported('median', (r) => figure(r, 'p50'), 'ms')],
  run: (rounds, tell) =>
    withPostgres(async (server) => {
      for (let round = 0; round < rounds; round++) tell(await measureWakeups(await server.createDatabase()))
    }),
}

async function measureWakeups(url: string): Promise<Figures> {
  const nodes = [await startNode(url), await startNode(url, 'other')] as const
  const client = createApiClient(nodes[1].served.apiPort)
  const follower = follow(client)
  const { port } = nodes[0].served
  const manner = { connections: 32, bodyBytes: 1024, rate: RATE, reconnect: false, measureMs: 15_000 }
  const result = await load({ ...manner, warmUpMs: WARM_UP_MS, port, certs: nodes[0].site.certs })
  const woken = follower.stop()
  client.close()
  for (const node of nodes) await node.stop()
  if (result.refused > 0 || woken.length < result.answered * 0.9)
    throw new Error(`${result.answered} answered, ${result.refused} refused, ${woken.length} polled`)
  return { p50: at(woken, 0.5), p99: at(woken, 0.99) }
}

const DESTINATIONS = 16

/** A node is killed while it sends to half of the destinations. */
export const clusterTakeover: Benchmark = {
  name: 'cluster-takeover',
  what: `s from kill -9 of one of two nodes until each of its destinations gets deliveries again, ${DESTINATIONS} destinations`,
  missing,
  promises: [atMost(30, 'p99 of the destinations', (r) => figure(r, 'slowest'), 's')],
  run: (rounds, tell) =>
    withPostgres(async (server) => {
      for (let round = 0; round < rounds; round++) tell(await measureTakeover(await server.createDatabase()))
    }),
}

async function measureTakeover(url: string): Promise<Figures> {
  const receiver = await startReceiver()
  const names = Array.from({ length: DESTINATIONS }, (_, n) => `d${n}`)
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  const destinations = names.map((name) => ({ name, url: `http://127.0.0.1:${receiver.port}/${name}`, secret }))
  const nodes = [
    await startNode(url, 'one', { destinations }),
    await startNode(url, 'other', { destinations }),
  ] as const
  const manner = { connections: 4, bodyBytes: 1024, rate: 20, reconnect: false, warmUpMs: 0, measureMs: 70_000 }
  const loading = load({ ...manner, port: nodes[1].served.port, certs: nodes[1].site.certs })
  // Both have their share by then.
  await wait(25_000)
  const killedAt = performance.now()
  process.kill(nodes[0].served.pid, 'SIGKILL')
  await loading
  const seconds = names.map((name) => receiver.longestGap(name, killedAt - 1000) / 1000)
  receiver.stop()
  await nodes[1].stop()
  nodes[0].site.remove()
  const affected = seconds.filter((gap) => gap > 3)
  return { slowest: Math.round(Math.max(...seconds) * 10) / 10, affected: affected.length }
}

/** A system that takes everything, and remembers when. */
async function startReceiver() {
  const arrivals = new Map<string, number[]>()
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1)
    arrivals.set(name, [...(arrivals.get(name) ?? []), performance.now()])
    request.resume().on('end', () => response.writeHead(200, { 'content-length': 0 }).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    /** Between two arrivals from then on, in ms. */
    longestGap(name: string, since: number): number {
      const times = (arrivals.get(name) ?? []).filter((time) => time >= since)
      if (times.length === 0) return Number.POSITIVE_INFINITY
      return Math.max(...times.slice(1).map((time, n) => time - (times[n] as number)))
    },
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Searches over HTTP, one after the other. */
export function clusterSearch(stored: number): Benchmark {
  return {
    name: 'cluster-search',
    what: `searches over HTTP among ${stored} events of 1 KB in PostgreSQL; ms until the page is complete`,
    missing,
    promises: [
      atMost(100, 'p99 of all kinds of searches', (r) => figure(r, 'p99'), 'ms'),
      reported('median', (r) => figure(r, 'p50'), 'ms'),
    ],
    run: (rounds, tell) =>
      withPostgres(async (server) => {
        const url = await server.createDatabase()
        await (await startNode(url)).stop()
        await fillPostgres(clientOptions(url), stored)
        const node = await startNode(url)
        try {
          for (let round = 0; round < rounds; round++) tell(await measureSearches(node.served.apiPort, stored))
        } finally {
          await node.stop()
        }
      }),
  }
}

async function measureSearches(apiPort: number, stored: number): Promise<Figures> {
  const client = createApiClient(apiPort)
  const took = new Map<string, number[]>(Object.keys(SEARCHES).map((name) => [name, []]))
  let n = 0
  for (let turn = 0; turn < SEARCHES_EACH; turn++)
    for (const [name, make] of Object.entries(SEARCHES)) {
      const { search, filter = '' } = make(paymentOf((n++ * 7919) % stored, stored))
      took.get(name)?.push(await searchToItsEnd(client, search, filter))
    }
  client.close()
  const all = [...took.values()].flat()
  const each = [...took].map(([name, ms]) => [`${name}P99`, at(ms, 0.99)] as const)
  return { p50: at(all, 0.5), p99: at(all, 0.99), ...Object.fromEntries(each) }
}
