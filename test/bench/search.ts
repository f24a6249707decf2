import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type ApiClient, createApiClient, type Page } from './api-client.ts'
import { atLeast, atMost, type Benchmark, type Figures, figure, median } from './benchmark.ts'
import { fillStore } from './fill-store.ts'
import { untilIndexed } from './filled-site.ts'
import type { LoadResult } from './load-generator.ts'
import { type Payment, paymentBody, paymentOf } from './payments.ts'
import { load, type Served, startProduct } from './processes.ts'
import { ABSENT, type BenchSite, createBenchSite } from './site.ts'

/** Callbacks beside the searches, each with as many values as the service sends. */
const BESIDE = { connections: 32, rate: 300, bodyBytes: 1024, reconnect: false, content: 'values' } as const
const WARM_UP_MS = 3000
const SEARCHES_EACH = 60
const PAGE = 50

/** Searches as people type them. Each is asked for other events in turn. */
export const SEARCHES: Readonly<
  Record<string, (payment: Payment) => { readonly search: string; readonly filter?: string }>
> = {
  txid: ({ txid }) => ({ search: txid }),
  endToEndId: ({ endToEndId }) => ({ search: endToEndId }),
  document: ({ document }) => ({ search: document }),
  documentDigits: ({ document }) => ({ search: document.replace(/\D/g, '') }),
  email: ({ email }) => ({ search: email }),
  names: ({ name, surname }) => ({ search: `${name} ${surname.split(' ')[1]}` }),
  amount: ({ amount }) => ({ search: `R$ ${amount.replace('.', ',')}` }),
  amountAndName: ({ name }) => ({ search: `150.10 ${name}` }),
  prefixOfAll: () => ({ search: '2026' }),
  prefixOfMany: ({ endToEndId }) => ({ search: endToEndId.slice(0, 5) }),
  prefixAndName: ({ endToEndId, surname }) => ({ search: `${endToEndId.slice(0, 5)} ${surname.split(' ')[0]}` }),
  common: () => ({ search: 'loja pagamento' }),
  commonAndRare: ({ txid }) => ({ search: `loja pagamento ${txid.slice(0, 8)}` }),
  inPeriod: ({ name, at }) => ({ search: name, filter: `&from=${at.toISOString()}` }),
  unknown: ({ txid }) => ({ search: `${txid.slice(0, 20)}xyz` }),
}

/** The search index with so many events of 1 KB: how long searches take, what indexing costs, how large it is. */
export function search(stored: number): Benchmark {
  return {
    name: 'search',
    what: `searches over HTTP among ${stored} events of 1 KB, beside ${BESIDE.rate} callbacks/s over mutual TLS; p99 in ms until the page is complete`,
    promises: [
      atMost(100, 'p99 of all kinds of searches', (r) => figure(r, 'p99'), 'ms'),
      atLeast(0.9, 'callbacks/s with indexing against without', (r) => figure(r, 'on') / figure(r, 'off')),
      atMost(0.6, 'bytes of the index against the bodies', (r) => figure(r, 'indexMiB') / figure(r, 'bodiesMiB')),
    ],
    async run(rounds, tell) {
      const filled = await createFilled(stored)
      try {
        for (let round = 0; round < rounds; round++)
          tell({ ...filled.figures, ...(await measureSearches(filled, stored)), ...(await compareIndexing(round)) })
      } finally {
        await filled.stop()
      }
    },
  }
}

export interface Started {
  readonly served: Served
  readonly site: BenchSite
  readonly client: ApiClient
  stop(): Promise<void>
}

async function start(site: BenchSite): Promise<Started> {
  const served = await startProduct(site.configFile, site.logFile)
  const client = createApiClient(served.apiPort)
  return {
    served,
    site,
    client,
    async stop() {
      client.close()
      await served.stop()
      site.remove()
    },
  }
}

/** A gateway whose index has all events of a filled store, and how long that took. */
export async function createFilled(
  stored: number,
  paymentAt: (n: number) => Payment = (n) => paymentOf(n, stored),
): Promise<Started & { readonly figures: Figures }> {
  const site = await createBenchSite(ABSENT)
  let bodyBytes = 0
  await fillStore(join(site.folder, 'data/portaria.db'), stored, undefined, (n) => {
    const payment = paymentAt(n)
    const body = paymentBody(payment)
    bodyBytes += body.length
    return { body, subject: payment.id, status: payment.status, receivedAt: payment.at.getTime() }
  })
  const startedAt = performance.now()
  const started = await start(site)
  const { indexBytes } = await untilIndexed(started.client, stored)
  const seconds = (performance.now() - startedAt) / 1000
  const figures = { indexSeconds: rounded(seconds), indexMiB: mebi(indexBytes), bodiesMiB: mebi(bodyBytes) }
  return { ...started, figures }
}

/** The searches take turns. The load ends by itself; what is asked after its end counts too, but it is long enough. */
async function measureSearches({ served, site, client }: Started, stored: number): Promise<Figures> {
  const ended = { isOver: false }
  const loading = load({ ...BESIDE, port: served.port, certs: site.certs, warmUpMs: WARM_UP_MS, measureMs: 20_000 })
  const ending = loading.finally(() => {
    ended.isOver = true
  })
  await wait(WARM_UP_MS)
  const took = new Map<string, number[]>(Object.keys(SEARCHES).map((name) => [name, []]))
  let at = 0
  for (let turn = 0; turn < SEARCHES_EACH; turn++) {
    for (const [name, make] of Object.entries(SEARCHES)) {
      const { search, filter = '' } = make(paymentOf((at++ * 7919) % stored, stored))
      took.get(name)?.push(await searchToItsEnd(client, search, filter))
    }
  }
  if (ended.isOver)
    process.stderr.write('  the load ended before the searches: the last ones had nothing beside them\n')
  const { p99Ms: acknowledgeP99, perSecond: besidePerSecond } = await ending
  return { ...figuresOf(took), acknowledgeP99, besidePerSecond }
}

function figuresOf(took: ReadonlyMap<string, readonly number[]>): Figures {
  const all = [...took.values()].flat()
  const each = [...took].map(([name, ms]) => [`${name}P99`, at(ms, 0.99)] as const)
  return { p50: at(all, 0.5), p99: at(all, 0.99), ...Object.fromEntries(each) }
}

/** Page after page until so many are found, or there are no more. Returns how long it took, in ms. */
export async function searchToItsEnd(client: ApiClient, words: string, filter: string): Promise<number> {
  const startedAt = performance.now()
  let found = 0
  for (let after = ''; ; ) {
    const query = `search=${encodeURIComponent(words)}${filter}&limit=${PAGE - found}${after}`
    const page = await client.get<Page>(`/v1/events?${query}`)
    found += page.data.length
    if (!page.more || found >= PAGE) return performance.now() - startedAt
    after = `&after=${page.next}`
  }
}

const TURN = {
  connections: 64,
  bodyBytes: 1024,
  rate: 0,
  reconnect: false,
  content: 'values',
  warmUpMs: 1000,
  measureMs: 3000,
} as const
const WARM_UP = { ...TURN, warmUpMs: 0, measureMs: 6000 }
const TURNS = 3

/** As many callbacks as the gateway takes, with and without an index, in turn. An index that is behind catches up before the other's turn. */
async function compareIndexing(round: number): Promise<Figures> {
  const variants = {
    on: await start(await createBenchSite(ABSENT)),
    off: await start(await createBenchSite(ABSENT, undefined, { search: 'off' })),
  }
  const names = (['on', 'off'] as const).toSorted(() => (round % 2 === 0 ? 1 : -1))
  const results: Record<'on' | 'off', LoadResult[]> = { on: [], off: [] }
  const catchUpSeconds: number[] = []
  const take = async (name: 'on' | 'off', manner: typeof WARM_UP | typeof TURN) => {
    const { served, site, client } = variants[name]
    const result = await load({ ...manner, port: served.port, certs: site.certs })
    const endedAt = performance.now()
    if (name === 'on') {
      await untilIndexed(client)
      catchUpSeconds.push((performance.now() - endedAt) / 1000)
    }
    return result
  }
  try {
    for (const name of names) await take(name, WARM_UP)
    for (let turn = 0; turn < TURNS; turn++)
      for (const name of turn % 2 === 0 ? names : names.toReversed()) results[name].push(await take(name, TURN))
  } finally {
    for (const variant of Object.values(variants)) await variant.stop()
  }
  const middle = (name: 'on' | 'off') => median(results[name].map(({ perSecond }) => perSecond))
  return { on: middle('on'), off: middle('off'), catchUpSeconds: rounded(median(catchUpSeconds)) }
}

export function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return rounded(sorted[Math.floor(sorted.length * share)] ?? Number.NaN)
}

const rounded = (value: number) => Math.round(value * 100) / 100
const mebi = (bytes: number) => rounded(bytes / 2 ** 20)
