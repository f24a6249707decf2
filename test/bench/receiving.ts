import { rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { atLeast, atMost, type Benchmark, type Figures, figure } from './benchmark.ts'
import { fillStore } from './fill-store.ts'
import type { LoadOptions, LoadResult } from './load-generator.ts'
import { load, residentMiB, type Served, startProduct, startServer } from './processes.ts'
import { type BenchSite, createBenchSite } from './site.ts'

/** A destination that is never there: its deliveries are written, and the one that is tried finds its circuit. */
const ABSENT = 'http://127.0.0.1:9/hook'
/** After some seconds everything is compiled: what is measured is a server that runs, not one that starts. */
const LOAD = { warmUpMs: 6000, measureMs: 4000, bodyBytes: 1024, rate: 0, reconnect: false }

type Variant = 'product' | 'naive' | 'bare' | 'nothing'

async function startVariant(variant: Variant, site: BenchSite): Promise<Served> {
  if (variant !== 'product') return startServer(`${variant}.ts`, [site.certs, site.folder])
  return startProduct(site.configFile, site.logFile)
}

async function measure(variant: Variant, options: Partial<LoadOptions> & { connections: number }): Promise<LoadResult> {
  const site = await createBenchSite(ABSENT)
  const served = await startVariant(variant, site)
  try {
    return await load({ ...LOAD, ...options, port: served.port, certs: site.certs })
  } finally {
    await served.stop()
    site.remove()
  }
}

/** Every round runs the variants in turn, starting with another one each time. */
async function alternate(
  rounds: number,
  variants: readonly Variant[],
  options: { connections: number; reconnect?: boolean },
  tell: (results: Record<string, LoadResult>) => void,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const results: Record<string, LoadResult> = {}
    for (let i = 0; i < variants.length; i++) {
      const variant = variants[(i + round) % variants.length] as Variant
      results[variant] = await measure(variant, options)
    }
    tell(results)
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
        const results: Record<string, number> = {}
        for (const name of round % 2 === 0 ? ['empty', 'full'] : ['full', 'empty']) {
          const site = name === 'full' ? full : empty
          const served = await startProduct(site.configFile, site.logFile)
          results[name] = (await load({ ...LOAD, connections: 64, port: served.port, certs: site.certs })).perSecond
          await served.stop()
        }
        rmSync(empty.folder, { recursive: true, force: true })
        tell({ empty: results.empty ?? 0, full: results.full ?? 0 })
      }
      full.remove()
    },
  }
}

function perSecond(results: Record<string, LoadResult>): Figures {
  return Object.fromEntries(Object.entries(results).map(([name, result]) => [name, result.perSecond]))
}
