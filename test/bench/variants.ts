import { cpus } from 'node:os'
import { type Figures, median } from './benchmark.ts'
import { filledSite, untilIdle } from './filled-site.ts'
import type { LoadOptions, LoadResult } from './load-generator.ts'
import { load, type Manner, type Served, startProduct, startServer } from './processes.ts'
import { ABSENT, type BenchSite, createBenchSite } from './site.ts'

export const LOAD = { warmUpMs: 6000, measureMs: 4000, bodyBytes: 1024, rate: 0, reconnect: false }
/** After some seconds everything is compiled: what is measured is a server that runs, not one that starts. */
const WARM_UP = { ...LOAD, warmUpMs: 0, measureMs: 6000 }
/** Short, and in turn, so that a machine that is slower for a while is slower for all of them. */
const TURN = { ...LOAD, warmUpMs: 1000, measureMs: 2000 }
const TURNS = 3

/** `before`: the product of an earlier checkout. */
export type Variant = 'product' | 'before' | 'naive' | 'bare' | 'nothing'

/** The checkout of the earlier version; null: none. */
let earlierRoot: string | null = null

/** From now on every comparison also runs the product of this checkout. */
export function compareWith(root: string): void {
  earlierRoot = root
}

/** Events that the product's store has before a benchmark begins; null: it is new. */
let stored: number | null = null

/** From now on every benchmark of callbacks and their cost uses a store that is filled, once for all of them. */
export function fillStoresWith(events: number): void {
  stored = events
}

/** Where the variant runs. Its user stops the server before it removes the site. */
export async function siteOf(variant: Variant, destinationUrl: string = ABSENT): Promise<BenchSite> {
  if (stored === null || (variant !== 'product' && variant !== 'before')) return createBenchSite(destinationUrl)
  const site = await filledSite(stored, rootOf(variant))
  site.deliverTo(destinationUrl)
  return site
}

/** The product, and the earlier version if there is one. */
export function products(): readonly ('product' | 'before')[] {
  return earlierRoot === null ? ['product'] : ['product', 'before']
}

export function rootOf(variant: 'product' | 'before'): string | undefined {
  return variant === 'before' ? (earlierRoot ?? undefined) : undefined
}

/** The server has one core, the load generator the others: where there is only one, they share it. */
export const ONE_CORE = '0'
const coreCount = cpus().length
export const OTHER_CORES = coreCount > 1 ? `1-${coreCount - 1}` : '0'

export async function startVariant(variant: Variant, site: BenchSite, manner: Manner = {}): Promise<Served> {
  if (variant === 'product' || variant === 'before')
    return startProduct(site.configFile, site.logFile, { ...manner, root: rootOf(variant) })
  return startServer(`${variant}.ts`, [site.certs, site.folder], manner)
}

export interface Running {
  readonly served: Served
  readonly site: BenchSite
  /** Default: payment. */
  readonly content?: LoadOptions['content']
}

export type Measured = Pick<LoadResult, 'perSecond' | 'p50Ms' | 'longestGapMs'>

export interface TurnOptions {
  readonly connections: number
  readonly reconnect?: boolean
  readonly bodyBytes?: number
  /** Of the load generator. Default: any. */
  readonly cores?: string | undefined
}

/** The median turn of each. */
export async function loadInTurn<Name extends string>(
  running: Readonly<Record<Name, Running>>,
  { cores, ...options }: TurnOptions,
): Promise<Record<Name, Measured>> {
  const names = Object.keys(running) as Name[]
  async function turn(name: Name, manner: typeof LOAD): Promise<LoadResult> {
    const { served, site, content = 'payment' } = running[name]
    const result = await load({ ...manner, ...options, content, port: served.port, certs: site.certs }, cores)
    // It makes its index behind the callbacks, and would take a core from the server whose turn is next.
    if (served.apiPort !== 0) await untilIdle(served.apiPort)
    return result
  }
  const results = new Map<Name, Measured[]>(names.map((name) => [name, []]))
  for (const name of names) await turn(name, WARM_UP)
  for (let i = 0; i < TURNS; i++) {
    for (const name of i % 2 === 0 ? names : names.toReversed()) results.get(name)?.push(await turn(name, TURN))
  }
  return Object.fromEntries([...results].map(([name, all]) => [name, medianTurn(all)])) as Record<Name, Measured>
}

export function medianTurn(all: readonly Measured[]): Measured {
  const middle = (what: keyof Measured) => median(all.map((one) => one[what]))
  return { perSecond: middle('perSecond'), p50Ms: middle('p50Ms'), longestGapMs: middle('longestGapMs') }
}

export interface AlternateOptions extends Omit<TurnOptions, 'cores'> {
  readonly isOneCore?: boolean
  /** How each server runs, beside its cores. */
  readonly manner?: Manner
}

/** Every round runs the variants in fresh processes, starting with another one each time. `product` also runs as `before`. */
export async function alternate(
  rounds: number,
  variants: readonly Variant[],
  { isOneCore = false, manner = {}, ...options }: AlternateOptions,
  tell: (results: Record<string, Measured>) => void,
): Promise<void> {
  const all = variants.flatMap((variant): readonly Variant[] => (variant === 'product' ? products() : [variant]))
  for (let round = 0; round < rounds; round++) {
    const order = all.map((_, i) => all[(i + round) % all.length] as Variant)
    await withRunning(order, { ...manner, ...(isOneCore && { cores: ONE_CORE }) }, async (running) =>
      tell(await loadInTurn(running, { ...options, cores: isOneCore ? OTHER_CORES : undefined })),
    )
  }
}

/** Starts them, each with a site of its own, and removes everything at the end. */
export async function withRunning(
  variants: readonly Variant[],
  manner: Manner,
  use: (running: Record<string, Running>) => Promise<void>,
): Promise<void> {
  const running: Record<string, Running> = {}
  try {
    for (const variant of variants) {
      const site = await siteOf(variant)
      running[variant] = { site, served: await startVariant(variant, site, manner) }
    }
    await use(running)
  } finally {
    for (const { served, site } of Object.values(running)) {
      await served.stop()
      site.remove()
    }
  }
}

export function perSecond(results: Record<string, Measured>): Figures {
  return Object.fromEntries(Object.entries(results).map(([name, result]) => [name, result.perSecond]))
}

export function medians(results: Record<string, Measured>): Figures {
  return Object.fromEntries(Object.entries(results).map(([name, result]) => [name, result.p50Ms]))
}
