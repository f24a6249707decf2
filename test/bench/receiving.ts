import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { atLeast, atMost, type Benchmark, type Figures, figure, median } from './benchmark.ts'
import { fillStore } from './fill-store.ts'
import type { LoadOptions, LoadResult } from './load-generator.ts'
import { load, residentMiB, type Served, startProduct, startServer, threadTimes } from './processes.ts'
import { type BenchSite, createBenchSite } from './site.ts'

/** A destination that is never there: its deliveries are written, and the one that is tried finds its circuit. */
export const ABSENT = 'http://127.0.0.1:9/hook'
const LOAD = { warmUpMs: 6000, measureMs: 4000, bodyBytes: 1024, rate: 0, reconnect: false }
/** After some seconds everything is compiled: what is measured is a server that runs, not one that starts. */
const WARM_UP = { ...LOAD, warmUpMs: 0, measureMs: 6000 }
/** Short, and in turn, so that a machine that is slower for a while is slower for all of them. */
const TURN = { ...LOAD, warmUpMs: 1000, measureMs: 2000 }
const TURNS = 3

type Variant = 'product' | 'naive' | 'bare' | 'nothing'

async function startVariant(variant: Variant, site: BenchSite, cores?: string): Promise<Served> {
  if (variant !== 'product') return startServer(`${variant}.ts`, [site.certs, site.folder], cores)
  return startProduct(site.configFile, site.logFile, cores)
}

export interface Running {
  readonly served: Served
  readonly site: BenchSite
  /** Default: payment. */
  readonly content?: LoadOptions['content']
}

type Measured = Pick<LoadResult, 'perSecond' | 'p50Ms'>

/** The median turn of each. */
export async function loadInTurn<Name extends string>(
  running: Readonly<Record<Name, Running>>,
  options: { connections: number; reconnect?: boolean; bodyBytes?: number },
): Promise<Record<Name, Measured>> {
  const names = Object.keys(running) as Name[]
  function turn(name: Name, manner: typeof LOAD): Promise<LoadResult> {
    const { served, site, content = 'payment' } = running[name]
    return load({ ...manner, ...options, content, port: served.port, certs: site.certs })
  }
  const results = new Map<Name, Measured[]>(names.map((name) => [name, []]))
  for (const name of names) await turn(name, WARM_UP)
  for (let i = 0; i < TURNS; i++) {
    for (const name of i % 2 === 0 ? names : names.toReversed()) results.get(name)?.push(await turn(name, TURN))
  }
  const middle = (all: readonly Measured[], what: keyof Measured) => median(all.map((one) => one[what]))
  return Object.fromEntries(
    [...results].map(([name, all]) => [name, { perSecond: middle(all, 'perSecond'), p50Ms: middle(all, 'p50Ms') }]),
  ) as Record<Name, Measured>
}

/** Every round runs the variants in fresh processes, starting with another one each time. */
async function alternate(
  rounds: number,
  variants: readonly Variant[],
  { cores, ...options }: { connections: number; reconnect?: boolean; cores?: string },
  tell: (results: Record<string, Measured>) => void,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const running: Record<string, Running> = {}
    try {
      for (let i = 0; i < variants.length; i++) {
        const variant = variants[(i + round) % variants.length] as Variant
        const site = await createBenchSite(ABSENT)
        running[variant] = { site, served: await startVariant(variant, site, cores) }
      }
      tell(await loadInTurn(running, options))
    } finally {
      for (const { served, site } of Object.values(running)) {
        await served.stop()
        site.remove()
      }
    }
  }
}

export const durable: Benchmark = {
  name: 'durable',
  what: 'durable, acknowledged notifications/s, 64 keep-alive mTLS connections, 1 KB JSON',
  promises: [
    atLeast(4, 'against the naive way', (r) => figure(r, 'product') / figure(r, 'naive')),
    atLeast(0.3, 'against a bare https handler that stores nothing', (r) => figure(r, 'product') / figure(r, 'bare')),
    atLeast(1.5, "the generator's ceiling against the product", (r) => figure(r, 'nothing') / figure(r, 'product')),
  ],
  run: (rounds, tell) =>
    alternate(rounds, ['product', 'naive', 'bare', 'nothing'], { connections: 64 }, (results) =>
      tell(perSecond(results)),
    ),
}

export const durableOneCore: Benchmark = {
  name: 'durable-one-core',
  what: 'the same with the server on one core; the generator has the others',
  promises: [
    atLeast(3, 'against the naive way', (r) => figure(r, 'product') / figure(r, 'naive')),
    atLeast(0.36, 'against a bare https handler that stores nothing', (r) => figure(r, 'product') / figure(r, 'bare')),
  ],
  run: (rounds, tell) =>
    alternate(rounds, ['product', 'naive', 'bare'], { connections: 64, cores: '0' }, (results) =>
      tell(perSecond(results)),
    ),
}

export const cpu: Benchmark = {
  name: 'cpu',
  what: 'µs of CPU for a callback, 64 connections: of all threads, of the main thread, of the busiest other one (the writer), and of a bare handler',
  promises: [atMost(2.3, 'against a bare https handler', (r) => figure(r, 'product') / figure(r, 'bare'))],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) {
      const [product, bare] = [await cpuOfCallback('product'), await cpuOfCallback('bare')]
      tell({ product: product.all, main: product.main, writer: product.busiest, bare: bare.all })
    }
  },
}

/** Within the measured part of a load. */
async function cpuOfCallback(variant: Variant): Promise<{ all: number; main: number; busiest: number }> {
  const site = await createBenchSite(ABSENT)
  const served = await startVariant(variant, site)
  try {
    const loading = load({ ...LOAD, connections: 64, port: served.port, certs: site.certs })
    await wait(LOAD.warmUpMs + LOAD.measureMs / 8)
    const [before, from] = [threadTimes(served.pid), performance.now()]
    await wait(LOAD.measureMs / 2)
    const [after, seconds] = [threadTimes(served.pid), (performance.now() - from) / 1000]
    const callbacks = (await loading).perSecond * seconds
    const spent = [...after].map(([id, time]) => ({ id, each: (time - (before.get(id) ?? 0)) / callbacks }))
    const others = spent.filter(({ id }) => id !== served.pid).map(({ each }) => each)
    return {
      all: Math.round(spent.reduce((sum, { each }) => sum + each, 0)),
      main: Math.round(spent.find(({ id }) => id === served.pid)?.each ?? 0),
      busiest: Math.round(Math.max(0, ...others)),
    }
  } finally {
    await served.stop()
    site.remove()
  }
}

export const latency: Benchmark = {
  name: 'latency',
  what: 'median latency in ms with 1 connection',
  promises: [atMost(1.4, 'against the naive way', (r) => figure(r, 'product') / figure(r, 'naive'))],
  run: (rounds, tell) =>
    alternate(rounds, ['product', 'naive'], { connections: 1 }, (results) => {
      tell(Object.fromEntries(Object.entries(results).map(([name, result]) => [name, result.p50Ms])))
    }),
}

export const handshakes: Benchmark = {
  name: 'handshakes',
  what: 'new mutual-TLS connections/s, a full handshake and one notification each, 16 at a time',
  promises: [atLeast(0.9, 'against a bare Node https server', (r) => figure(r, 'product') / figure(r, 'bare'))],
  run: (rounds, tell) =>
    alternate(rounds, ['product', 'bare'], { connections: 16, reconnect: true }, (results) => tell(perSecond(results))),
}

export const memory: Benchmark = {
  name: 'memory',
  what: 'resident memory in MiB with 256 connections under load',
  promises: [atMost(256, 'the product', (r) => figure(r, 'product'), 'MiB')],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) tell({ product: await peakMemory() })
  },
}

async function peakMemory(): Promise<number> {
  const site = await createBenchSite(ABSENT)
  const served = await startProduct(site.configFile, site.logFile)
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMiB(served.pid))
  }, 100)
  await load({ ...LOAD, connections: 256, port: served.port, certs: site.certs })
  clearInterval(watch)
  await served.stop()
  site.remove()
  return peak
}

export const unrelated: Benchmark = {
  name: 'unrelated',
  what: 'p99 in ms of an unrelated GET /healthz, under 300 notifications/s and without load',
  promises: [atMost(2, 'under load against without', (r) => figure(r, 'underLoad') / figure(r, 'idle'))],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) {
      const site = await createBenchSite(ABSENT)
      const served = await startProduct(site.configFile, site.logFile)
      await healthP99(served.apiPort, 1000)
      const idle = await healthP99(served.apiPort, 4000)
      const loading = load({
        ...LOAD,
        measureMs: 6000,
        connections: 32,
        rate: 300,
        port: served.port,
        certs: site.certs,
      })
      await wait(2000)
      const underLoad = await healthP99(served.apiPort, 4000)
      await loading
      await served.stop()
      site.remove()
      tell({ idle, underLoad })
    }
  },
}

async function healthP99(port: number, durationMs: number): Promise<number> {
  const latencies: number[] = []
  const until = performance.now() + durationMs
  while (performance.now() < until) {
    const startedAt = performance.now()
    await new Promise<void>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: '/healthz', agent: false }, (response) =>
        response.resume().on('end', () => resolve()),
      )
        .on('error', reject)
        .end()
    })
    latencies.push(performance.now() - startedAt)
    await wait(5)
  }
  latencies.sort((a, b) => a - b)
  return Math.round((latencies[Math.floor(latencies.length * 0.99)] ?? 0) * 100) / 100
}

export function bigStore(stored: number): Benchmark {
  return {
    name: 'big-store',
    what: `notifications/s into a store with ${stored} events, against an empty one`,
    promises: [atLeast(0.8, 'against an empty store', (r) => figure(r, 'full') / figure(r, 'empty'))],
    async run(rounds, tell) {
      const full = await createBenchSite(ABSENT)
      await fillStore(join(full.folder, 'data/portaria.db'), stored)
      for (let round = 0; round < rounds; round++) {
        const empty = await createBenchSite(ABSENT)
        const running = {
          empty: { site: empty, served: await startProduct(empty.configFile, empty.logFile) },
          full: { site: full, served: await startProduct(full.configFile, full.logFile) },
        }
        tell(perSecond(await loadInTurn(running, { connections: 64 })))
        for (const { served } of Object.values(running)) await served.stop()
        empty.remove()
      }
      full.remove()
    },
  }
}

export function perSecond(results: Record<string, Measured>): Figures {
  return Object.fromEntries(Object.entries(results).map(([name, result]) => [name, result.perSecond]))
}
