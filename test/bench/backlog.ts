import { createServer, request, type Server } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { parseEventId } from '../../src/domain/public-id.ts'
import { reservePorts } from '../support/ports.ts'
import { atMost, type Benchmark, type Figures, figure } from './benchmark.ts'
import { fillStore } from './fill-store.ts'
import { load, type Served, startProduct } from './processes.ts'
import { type BenchSite, createBenchSite, OPERATOR_TOKEN } from './site.ts'

const HEALTHY = 9
const RATE = 100
const WARM_UP_MS = 3000
const MEASURE_MS = 20_000
const CONCURRENCY = 16
const DRAIN_LIMIT_MS = 60_000
/** Longest without any progress before the recovery counts as stuck. */
const STILL_LIMIT_MS = 60_000

/** A dead destination with so many waiting deliveries beside healthy ones, and its recovery, with one SIGKILL in the middle. */
export function backlog(count: number): Benchmark {
  return {
    name: 'backlog',
    what: `${HEALTHY} healthy destinations beside a dead one with ${count} waiting deliveries; ${RATE} notifications/s`,
    promises: [
      atMost(
        1.5,
        'p99 from received to sent, beside the backlog against without',
        (r) => figure(r, 'beside') / figure(r, 'without'),
      ),
      atMost(0, 'after recovery: never arrived', (r) => figure(r, 'missing'), 'deliveries'),
      atMost(
        0,
        'after recovery: arrived twice, beyond what a crash interrupted',
        (r) => figure(r, 'twiceBeyondCrash'),
        'deliveries',
      ),
    ],
    async run(rounds, tell) {
      const receiver = await startBacklogReceiver()
      const without = await createSiteWith(receiver)
      const beside = await createSiteWith(receiver, count)
      const measured: Figures[] = []
      for (let round = 0; round < rounds; round++) {
        const order = round % 2 === 0 ? ['beside', 'without'] : ['without', 'beside']
        const figures: Record<string, number> = {}
        for (const name of order) {
          const { p50, p99 } = await measure(name === 'beside' ? beside : without, receiver)
          figures[name] = p99
          figures[`${name}P50`] = p50
        }
        measured.push(figures)
        process.stderr.write(`  measured ${JSON.stringify(figures)}\n`)
      }
      const recovered = await recover(beside, receiver)
      for (const figures of measured) tell({ ...figures, ...recovered })
      for (const site of [without, beside]) site.remove()
      await receiver.close()
    },
  }
}

/** All ten systems in this process, which does nothing else meanwhile. */
interface BacklogReceiver {
  readonly url: (path: string) => string
  /** Where no one listens until `revive`. */
  readonly deadUrl: string
  /** How long each delivery to a healthy one took, in ms, since the last `reset`. */
  readonly latencies: readonly number[]
  reset(): void
  revive(): Promise<void>
  /** By position: how often a delivery came to the dead one after its recovery. */
  readonly arrivals: ReadonlyMap<number, number>
  close(): Promise<void>
}

async function startBacklogReceiver(): Promise<BacklogReceiver> {
  const latencies: number[] = []
  const arrivals = new Map<number, number>()
  const healthy = createServer((incoming, response) => {
    latencies.push(Date.now() - Date.parse(String(incoming.headers['portaria-received-at'])))
    incoming.resume().once('end', () => response.writeHead(200, { 'content-length': 0 }).end())
  })
  const recovered = createServer((incoming, response) => {
    const position = parseEventId(String(incoming.headers['webhook-id']))?.position ?? 0
    arrivals.set(position, (arrivals.get(position) ?? 0) + 1)
    incoming.resume().once('end', () => response.writeHead(200, { 'content-length': 0 }).end())
  })
  const [port = 0, deadPort = 0] = await reservePorts(2)
  await listen(healthy, port)
  return {
    url: (path) => `http://127.0.0.1:${port}/${path}`,
    deadUrl: `http://127.0.0.1:${deadPort}/`,
    latencies,
    arrivals,
    reset: () => void latencies.splice(0),
    revive: () => listen(recovered, deadPort),
    close: async () => void (await Promise.all([closed(healthy), closed(recovered)])),
  }
}

function listen(server: Server, port: number): Promise<void> {
  server.keepAliveTimeout = 60_000
  return new Promise((done, fail) => server.once('error', fail).listen(port, '127.0.0.1', done))
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((done) => server.close(() => done()))
}

/** Without a count it has the healthy ones only. */
async function createSiteWith(receiver: BacklogReceiver, count?: number): Promise<BenchSite> {
  const site = await createBenchSite(receiver.url('well-1'))
  if (count !== undefined) {
    await fillStore(databaseOf(site), count, {
      name: 'dead',
      url: receiver.deadUrl,
      kinds: null,
      environments: null,
      institutions: null,
      subjects: null,
      authentication: 'any',
      format: 'original',
      secrets: [`whsec_${Buffer.alloc(24, 1).toString('base64')}`],
      timeoutMs: 5000,
      concurrency: CONCURRENCY,
      rateLimit: null,
      schedule: null,
      order: 'none',
      onExhausted: 'hold',
      authorities: null,
      headers: [],
    })
  }
  const served = await startProduct(site.configFile, site.logFile)
  for (let i = 2; i <= HEALTHY; i++)
    await ask(served, '/v1/destinations', { name: `well-${i}`, url: receiver.url(`well-${i}`) })
  if (count !== undefined) await ask(served, '/v1/destinations/dead/resume')
  // Its circuit opens.
  await wait(2000)
  await served.stop()
  return site
}

function databaseOf(site: BenchSite): string {
  return join(site.folder, 'data/portaria.db')
}

async function measure(site: BenchSite, receiver: BacklogReceiver): Promise<{ p50: number; p99: number }> {
  const served = await startProduct(site.configFile, site.logFile)
  const sending = load({
    port: served.port,
    certs: site.certs,
    connections: 16,
    warmUpMs: WARM_UP_MS,
    measureMs: MEASURE_MS,
    bodyBytes: 1024,
    rate: RATE,
    reconnect: false,
  })
  await wait(WARM_UP_MS)
  receiver.reset()
  const { answered, refused } = await sending
  if (refused > 0 || answered === 0) throw new Error(`${answered} answered, ${refused} refused`)
  await until(() => waitingFor(site, `t.name <> 'dead'`) === 0, DRAIN_LIMIT_MS)
  await served.stop()
  const sorted = receiver.latencies.toSorted((a, b) => a - b)
  return { p50: at(sorted, 0.5), p99: at(sorted, 0.99) }
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}

/** The dead one comes back; in the middle of its backlog the gateway is killed once. */
async function recover(site: BenchSite, receiver: BacklogReceiver): Promise<Figures> {
  const owed = waitingFor(site, `t.name = 'dead'`)
  await receiver.revive()
  const first = await startProduct(site.configFile, site.logFile)
  const startedAt = performance.now()
  await progress(receiver, () => receiver.arrivals.size >= owed / 2)
  process.kill(first.pid, 'SIGKILL')
  await first.stop()
  const second = await startProduct(site.configFile, site.logFile)
  await progress(receiver, () => receiver.arrivals.size >= owed)
  const perSecond = Math.round(owed / ((performance.now() - startedAt) / 1000))
  // Arrived is not recorded yet; and what would come twice may still come.
  await until(() => waitingFor(site, `t.name = 'dead'`) === 0, DRAIN_LIMIT_MS)
  await second.stop()
  const twice = [...receiver.arrivals.values()].reduce((sum, times) => sum + times - 1, 0)
  const interrupted = interruptedAttempts(site)
  return {
    owed,
    missing: owed - receiver.arrivals.size,
    twice,
    interrupted,
    twiceBeyondCrash: Math.max(0, twice - interrupted),
    recoveredPerSecond: perSecond,
  }
}

/** Waits for the end of something slow, as long as it gets on. */
async function progress({ arrivals }: BacklogReceiver, isDone: () => boolean): Promise<void> {
  let [seen, since] = [-1, performance.now()]
  while (!isDone() && performance.now() - since < STILL_LIMIT_MS) {
    if (arrivals.size > seen) [seen, since] = [arrivals.size, performance.now()]
    await wait(50)
  }
}

async function until(isDone: () => boolean, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!isDone()) {
    if (performance.now() > deadline) throw new Error('deliveries are still waiting')
    await wait(500)
  }
}

function waitingFor(site: BenchSite, which: string): number {
  return read(
    site,
    `select count(*) from destinations t join deliveries d on d.destination_id = t.id and d.state = 'pending' where ${which}`,
  )
}

function interruptedAttempts(site: BenchSite): number {
  return read(
    site,
    `select count(*) from attempts a join deliveries d on d.id = a.delivery_id join destinations t on t.id = d.destination_id
     where t.name = 'dead' and a.error like 'interrupted%'`,
  )
}

function read(site: BenchSite, sql: string): number {
  const db = new Database(databaseOf(site), { readonly: true })
  try {
    return db.prepare<[], number>(sql).pluck().get() ?? 0
  } finally {
    db.close()
  }
}

function ask(served: Served, path: string, body: unknown = {}): Promise<void> {
  return new Promise((done, fail) => {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }
    request({ host: '127.0.0.1', port: served.apiPort, method: 'POST', path, headers }, (response) => {
      response.resume().once('end', () => {
        if ((response.statusCode ?? 500) < 300) done()
        else fail(new Error(`${path} answered ${response.statusCode}`))
      })
    })
      .on('error', fail)
      .end(JSON.stringify(body))
  })
}
