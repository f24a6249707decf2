import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createApiClient, type Page } from './api-client.ts'
import { atLeast, atMost, type Benchmark, type Figures, figure, median, reported } from './benchmark.ts'
import { createSiteWithoutSearch, filledSite } from './filled-site.ts'
import { load, measureSnapshot, residentMiB } from './processes.ts'
import type { BenchSite } from './site.ts'
import { LOAD, loadInTurn, perSecond, products, type Running, rootOf, startVariant } from './variants.ts'

/** What grows with the store must not: figures with so many stored events against those of an empty store. The store is filled once for all of them. */
export function bigStores(stored: number): Benchmark[] {
  return [ingest, start, pauses, subjects, snapshot].map((of) => of(stored))
}

interface Part {
  /** The name of its figure. */
  readonly name: string
  readonly variant: 'product' | 'before'
  readonly isFilled: boolean
}

/** The product with the filled store, and the same with an empty one. */
function parts(): Part[] {
  return products().flatMap((variant) => [
    { name: variant, variant, isFilled: true },
    { name: `${variant}Empty`, variant, isFilled: false },
  ])
}

async function siteOf({ variant, isFilled }: Part, stored: number): Promise<BenchSite> {
  return isFilled ? filledSite(stored, rootOf(variant)) : createSiteWithoutSearch()
}

function ingest(stored: number): Benchmark {
  return {
    name: 'big-store',
    what: `notifications/s into a store with ${stored} events, 64 connections`,
    promises: [atLeast(0.9, 'against an empty store', (r) => figure(r, 'product') / figure(r, 'productEmpty'))],
    async run(rounds, tell) {
      for (let i = 0; i < rounds; i++) tell(perSecond(await inTurn(stored)))
    },
  }
}

async function inTurn(stored: number): ReturnType<typeof loadInTurn<string>> {
  const running: Record<string, Running> = {}
  try {
    for (const part of parts()) {
      const site = await siteOf(part, stored)
      running[part.name] = { site, served: await startVariant(part.variant, site) }
    }
    return await loadInTurn(running, { connections: 64 })
  } finally {
    for (const { served, site } of Object.values(running)) {
      await served.stop()
      site.remove()
    }
  }
}

/** One program after the other, each with the filled store and with an empty one. */
async function eachAlone(stored: number, measure: (part: Part, site: BenchSite) => Promise<Figures>): Promise<Figures> {
  const figures: Record<string, number> = {}
  for (const part of parts()) {
    const site = await siteOf(part, stored)
    Object.assign(figures, await measure(part, site))
    site.remove()
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

/** More than a block of the deduplication: each pass completes one, and seals it. */
const PAUSES = { ...LOAD, warmUpMs: 2000, requests: 140_000, connections: 64 }
/** The best counts: a stop that sealing causes is in each of them, one that the rest of the machine causes is not. */
const PASSES = 3

function pauses(stored: number): Benchmark {
  return {
    name: 'big-store-pauses',
    what: `ms of the longest time without an answer while ${PAUSES.requests} callbacks are stored, the best of ${PASSES}, with ${stored} stored events and with none`,
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
  let shortest = Number.POSITIVE_INFINITY
  for (let pass = 0; pass < PASSES; pass++) {
    const { longestGapMs } = await load({ ...PAUSES, port: served.port, certs: site.certs })
    shortest = Math.min(shortest, longestGapMs)
  }
  await served.stop()
  return { [name]: shortest }
}

/** Measured, and as many before: the promise is about a warm process. */
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
      reported('the first one of a fresh process', (r) => figure(r, 'productFirst'), 'ms'),
    ],
    async run(rounds, tell) {
      for (let i = 0; i < rounds; i++) tell(await eachAlone(stored, (part, site) => searchesOf(part, site, stored)))
    },
  }
}

async function searchesOf({ name, variant, isFilled }: Part, site: BenchSite, stored: number): Promise<Figures> {
  const served = await startVariant(variant, site)
  const client = createApiClient(served.apiPort)
  async function search(place: number): Promise<number> {
    const subject = `s${Math.floor((place * stored) / SEARCHES)}`
    const from = performance.now()
    const { data } = await client.get<Page>(`/v1/events?subject=${subject}`)
    const took = performance.now() - from
    if (data.length !== (isFilled ? 1 : 0)) throw new Error(`${data.length} events of subject ${subject}`)
    return took
  }
  const first = await search(0)
  for (let i = 0; i < SEARCHES; i++) await search(i + 0.5)
  const times: number[] = []
  for (let i = 0; i < SEARCHES; i++) {
    const repeated: number[] = []
    for (let again = 0; again < REPETITIONS; again++) repeated.push(await search(i))
    times.push(Math.min(...repeated))
  }
  client.close()
  await served.stop()
  const rounded = (ms: number) => Math.round(ms * 100) / 100
  const slowest = times.toSorted((a, b) => a - b)[Math.floor(SEARCHES * 0.99)] ?? 0
  return {
    [name]: rounded(slowest),
    [`${name}Median`]: rounded(median(times)),
    [`${name}First`]: rounded(first),
  }
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
