import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createApiClient, type Page } from './api-client.ts'
import { atLeast, atMost, type Benchmark, type Figures, figure, median, reported } from './benchmark.ts'
import { filledSite } from './filled-site.ts'
import { load, measureSnapshot, residentMiB } from './processes.ts'
import { type BenchSite, createBenchSite } from './site.ts'
import {
  ABSENT,
  LOAD,
  loadInTurn,
  medians,
  ONE_CORE,
  OTHER_CORES,
  perSecond,
  products,
  type Running,
  rootOf,
  startVariant,
  type Variant,
} from './variants.ts'

/** What grows with the store must not: the same figures with so many stored events. The store is filled once for all of them. */
export function bigStores(stored: number): Benchmark[] {
  return [ingest, oneCore, latency, start, pauses, subjects, snapshot].map((of) => of(stored))
}

interface Part {
  /** The name of its figure. */
  readonly name: string
  readonly variant: Variant
  readonly isFilled: boolean
}

/** The product with the filled store, the same with an empty one, and the others. */
function partsOf(others: readonly Variant[], isWithEmpty: boolean): Part[] {
  const ours = products().flatMap((variant) => [
    { name: variant, variant, isFilled: true },
    ...(isWithEmpty ? [{ name: `${variant}Empty`, variant, isFilled: false }] : []),
  ])
  return [...ours, ...others.map((variant) => ({ name: variant, variant, isFilled: false }))]
}

async function siteOf({ variant, isFilled }: Part, stored: number): Promise<BenchSite> {
  const isOurs = variant === 'product' || variant === 'before'
  return isOurs && isFilled ? filledSite(stored, variant) : createBenchSite(ABSENT)
}

async function inTurn(
  parts: readonly Part[],
  { stored, connections, isOneCore = false }: { stored: number; connections: number; isOneCore?: boolean },
): ReturnType<typeof loadInTurn<string>> {
  const running: Record<string, Running> = {}
  try {
    for (const part of parts) {
      const site = await siteOf(part, stored)
      const manner = isOneCore ? { cores: ONE_CORE } : {}
      running[part.name] = { site, served: await startVariant(part.variant, site, manner) }
    }
    return await loadInTurn(running, { connections, cores: isOneCore ? OTHER_CORES : undefined })
  } finally {
    for (const { name, isFilled } of parts) {
      await running[name]?.served.stop()
      if (!isFilled) running[name]?.site.remove()
    }
  }
}

const naive = (r: Figures) => figure(r, 'product') / figure(r, 'naive')
const bare = (r: Figures) => figure(r, 'product') / figure(r, 'bare')

function ingest(stored: number): Benchmark {
  return {
    name: 'big-store',
    what: `notifications/s into a store with ${stored} events, 64 connections`,
    promises: [
      atLeast(0.9, 'against an empty store', (r) => figure(r, 'product') / figure(r, 'productEmpty')),
      atLeast(4, 'against the naive way', naive),
      reported('against a bare https handler', bare),
    ],
    async run(rounds, tell) {
      const parts = partsOf(['naive', 'bare'], true)
      for (let i = 0; i < rounds; i++) tell(perSecond(await inTurn(parts, { stored, connections: 64 })))
    },
  }
}

function oneCore(stored: number): Benchmark {
  return {
    name: 'big-store-one-core',
    what: `notifications/s into a store with ${stored} events, 64 connections, the server on one core`,
    promises: [atLeast(3, 'against the naive way', naive), atLeast(0.36, 'against a bare https handler', bare)],
    async run(rounds, tell) {
      const parts = partsOf(['naive', 'bare'], false)
      for (let i = 0; i < rounds; i++)
        tell(perSecond(await inTurn(parts, { stored, connections: 64, isOneCore: true })))
    },
  }
}

function latency(stored: number): Benchmark {
  return {
    name: 'big-store-latency',
    what: `median latency in ms with ${stored} stored events, 1 connection`,
    promises: [atMost(1.6, 'against the naive way', naive)],
    async run(rounds, tell) {
      const parts = partsOf(['naive'], false)
      for (let i = 0; i < rounds; i++) tell(medians(await inTurn(parts, { stored, connections: 1 })))
    },
  }
}

/** One program after the other, each with the filled store and with an empty one. */
async function eachAlone(stored: number, measure: (part: Part, site: BenchSite) => Promise<Figures>): Promise<Figures> {
  const figures: Record<string, number> = {}
  for (const part of partsOf([], true)) {
    const site = await siteOf(part, stored)
    Object.assign(figures, await measure(part, site))
    if (!part.isFilled) site.remove()
  }
  return figures
}

function start(stored: number): Benchmark {
  return {
    name: 'big-store-start',
    what: `ms until the listeners accept, and MiB of memory a second later, with ${stored} stored events and with none`,
    promises: [
      atMost(1000, 'longer than with an empty store', (r) => figure(r, 'product') - figure(r, 'productEmpty'), 'ms'),
      atMost(
        20,
        'more memory than with an empty store',
        (r) => figure(r, 'productMemory') - figure(r, 'productEmptyMemory'),
        'MiB',
      ),
    ],
    async run(rounds, tell) {
      for (let i = 0; i < rounds; i++) tell(await eachAlone(stored, startOf))
    },
  }
}

async function startOf({ name, variant }: Part, site: BenchSite): Promise<Figures> {
  const from = performance.now()
  const served = await startVariant(variant, site)
  const took = Math.round(performance.now() - from)
  await wait(1000)
  const memory = residentMiB(served.pid)
  await served.stop()
  return { [name]: took, [`${name}Memory`]: memory }
}

const PAUSES = { ...LOAD, warmUpMs: 5000, measureMs: 20_000, connections: 64 }

function pauses(stored: number): Benchmark {
  return {
    name: 'big-store-pauses',
    what: `ms of the longest time without an answer while callbacks are stored for 20 s, with ${stored} stored events and with none`,
    promises: [
      atMost(10, 'more than with an empty store', (r) => figure(r, 'product') - figure(r, 'productEmpty'), 'ms'),
    ],
    async run(rounds, tell) {
      for (let i = 0; i < rounds; i++) tell(await eachAlone(stored, pauseOf))
    },
  }
}

async function pauseOf({ name, variant }: Part, site: BenchSite): Promise<Figures> {
  const served = await startVariant(variant, site)
  const result = await load({ ...PAUSES, port: served.port, certs: site.certs })
  await served.stop()
  return { [name]: result.longestGapMs }
}

const SEARCHES = 300
/** Of each search: the best counts, so that the rest of the machine does not. */
const REPETITIONS = 3

function subjects(stored: number): Benchmark {
  return {
    name: 'big-store-subject',
    what: `ms of a search by subject over HTTP, median and slowest hundredth of ${SEARCHES} subjects, with ${stored} stored events`,
    promises: [
      atMost(3, 'p99', (r) => figure(r, 'product'), 'ms'),
      reported('median', (r) => figure(r, 'productMedian'), 'ms'),
    ],
    async run(rounds, tell) {
      for (let i = 0; i < rounds; i++) tell(await eachAlone(stored, (part, site) => searchesOf(part, site, stored)))
    },
  }
}

async function searchesOf({ name, variant, isFilled }: Part, site: BenchSite, stored: number): Promise<Figures> {
  const served = await startVariant(variant, site)
  const client = createApiClient(served.apiPort)
  const times: number[] = []
  for (let i = 0; i < SEARCHES; i++) {
    const subject = `s${Math.floor((i * stored) / SEARCHES)}`
    let best = Number.POSITIVE_INFINITY
    for (let again = 0; again < REPETITIONS; again++) {
      const from = performance.now()
      const { data } = await client.get<Page>(`/v1/events?subject=${subject}`)
      best = Math.min(best, performance.now() - from)
      if (data.length !== (isFilled ? 1 : 0)) throw new Error(`${data.length} events of subject ${subject}`)
    }
    times.push(best)
  }
  client.close()
  await served.stop()
  const at = (share: number) => Math.round((times.sort((a, b) => a - b)[Math.floor(SEARCHES * share)] ?? 0) * 100) / 100
  return { [name]: at(0.99), [`${name}Median`]: Math.round(median(times) * 100) / 100 }
}

function snapshot(stored: number): Benchmark {
  return {
    name: 'big-store-snapshot',
    what: `ms for the counts of the metrics, with ${stored} stored events that a consumer has not read, and with none`,
    promises: [
      atMost(5, 'more than with an empty store', (r) => figure(r, 'product') - figure(r, 'productEmpty'), 'ms'),
    ],
    async run(rounds, tell) {
      for (let i = 0; i < rounds; i++) tell(await eachAlone(stored, snapshotOf))
    },
  }
}

async function snapshotOf({ name, variant }: Part, site: BenchSite): Promise<Figures> {
  const served = await startVariant(variant, site)
  const client = createApiClient(served.apiPort)
  // It takes a batch and acknowledges nothing: all other events stay unread.
  await client.post('/v1/consumers/behind/batches', { limit: 1 })
  client.close()
  await served.stop()
  const root = variant === 'before' ? rootOf(variant) : undefined
  return { [name]: await measureSnapshot(join(site.folder, 'data/portaria.db'), root) }
}
