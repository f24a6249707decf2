import { join } from 'node:path'
import { cursorAfter } from '../../src/domain/public-id.ts'
import { type ApiClient, createApiClient, type Page } from './api-client.ts'
import { atMost, type Benchmark, type Figures, figure, median } from './benchmark.ts'
import { fillStore, type Told } from './fill-store.ts'
import { type Served, startProduct } from './processes.ts'
import { ABSENT, type BenchSite, createBenchSite } from './site.ts'

const FEW = 10_000
const PAGE = 100
/** Pages of each search in one round. */
const PAGES = 100
const PERIOD_MS = 10 * 86_400_000

/** What a page is asked for by. The rare ones are those of a hundred events, spread over the whole store. */
const SEARCHES: Readonly<Record<string, (store: Filled) => string>> = {
  cursor: ({ count }) => `after=${cursorAfter(Math.floor(count / 2))}`,
  kind: ({ count }) => `kind=charge&after=${cursorAfter(Math.floor(count / 2))}`,
  environment: () => 'environment=sandbox',
  subject: () => 'subject=rare',
  status: () => 'status=CANCELADO',
  from: ({ timeOf, count }) => `from=${timeOf(count - PAGE)}`,
  to: ({ timeOf, count }) => `to=${timeOf(count / 2)}`,
  period: ({ timeOf, count }) => `from=${timeOf(count / 2)}&to=${timeOf(count / 2 + PAGE)}`,
  rareKind: () => 'kind=registration',
  rareStatus: () => 'status=REJEITADO',
}

interface Filled {
  readonly count: number
  /** When the nth was received, as it is written in a query. */
  readonly timeOf: (n: number) => string
}

/** A page of a hundred by its cursor and with each filter, over HTTP, in a small store and in one with so many events. */
export function polls(count: number): Benchmark {
  return {
    name: 'polls',
    what: `median ms of a page of ${PAGE} over HTTP, with ${FEW} and with ${count} stored events`,
    promises: Object.keys(SEARCHES).map((name) =>
      // What is rare lies the farther apart the more there is.
      atMost(name.startsWith('rare') ? 3 : 1.5, `${name}: with ${count} against ${FEW}`, (r) => {
        return figure(r, `${name}Many`) / figure(r, `${name}Few`)
      }),
    ),
    async run(rounds, tell) {
      const few = await createFilled(FEW)
      const many = await createFilled(count)
      // The first round warms up what the product keeps: caches, compiled code.
      for (let round = -1; round < rounds; round++) {
        const figures: Record<string, number> = {}
        for (const name of Object.keys(SEARCHES)) Object.assign(figures, await measure(name, few, many))
        if (round >= 0) tell(figures)
      }
      for (const { served, site, client } of [few, many]) {
        client.close()
        await served.stop()
        site.remove()
      }
    },
  }
}

type FilledSite = Filled & { readonly site: BenchSite; readonly served: Served; readonly client: ApiClient }

async function createFilled(count: number): Promise<FilledSite> {
  const site = await createBenchSite(ABSENT)
  const startedAt = Date.now() - PERIOD_MS
  const receivedAt = (n: number) => startedAt + Math.floor((n * PERIOD_MS) / count)
  const rareStep = Math.max(1, Math.floor(count / PAGE))
  await fillStore(join(site.folder, 'data/portaria.db'), count, undefined, (n): Told => {
    const told = { receivedAt: receivedAt(n), environment: n % 4 === 0 ? 'sandbox' : 'production' } as const
    // Three places further each: no event is rare in two ways.
    if (n % rareStep === 1) return { ...told, subject: 'rare' }
    if (n % rareStep === 2) return { ...told, kind: 'registration' }
    if (n % rareStep === 3) return { ...told, status: 'REJEITADO' }
    return { ...told, kind: n % 3 === 0 ? 'charge' : 'payment', status: n % 5 === 0 ? 'CANCELADO' : 'LIQUIDADO' }
  })
  const served = await startProduct(site.configFile, site.logFile)
  const timeOf = (n: number) => new Date(receivedAt(Math.floor(n))).toISOString()
  return { count, timeOf, site, served, client: createApiClient(served.apiPort) }
}

/** Page by page in turn, so that whatever else the machine does falls on both. */
async function measure(name: string, few: FilledSite, many: FilledSite): Promise<Figures> {
  const search = SEARCHES[name] as (store: Filled) => string
  const [fewMs, manyMs]: [number[], number[]] = [[], []]
  for (let page = 0; page < PAGES; page++) {
    fewMs.push(await timePage(few, search(few)))
    manyMs.push(await timePage(many, search(many)))
  }
  return { [`${name}Few`]: rounded(median(fewMs)), [`${name}Many`]: rounded(median(manyMs)) }
}

/** How long a hundred take: where a search ends early, page by page. */
async function timePage({ client }: FilledSite, query: string): Promise<number> {
  const startedAt = performance.now()
  let page = await client.get<Page>(`/v1/events?limit=${PAGE}&${query}`)
  let found = page.data.length
  while (found < PAGE && page.more) {
    page = await client.get<Page>(`/v1/events?limit=${PAGE - found}&${query}&after=${page.next}`)
    found += page.data.length
  }
  if (found !== PAGE) throw new Error(`${query} gave ${found} events`)
  return performance.now() - startedAt
}

const rounded = (ms: number) => Math.round(ms * 1000) / 1000
