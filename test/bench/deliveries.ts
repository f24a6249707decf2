import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { atLeast, type Benchmark, type Figures, figure, type Promised } from './benchmark.ts'
import { fillElsewhere } from './filled-site.ts'
import { ROOT, runNaiveForwarder, type Served, startServer } from './processes.ts'
import { ABSENT, type BenchSite, createBenchSite, OPERATOR_TOKEN } from './site.ts'
import { ONE_CORE, OTHER_CORES, products, rootOf, startVariant } from './variants.ts'

const COUNT = 150_000
export const CONCURRENCY = 16
/** What is measured is a gateway that runs, not one that starts. */
const WARM_UP_MS = 6000
const SIMPLE_MEASURED_MS = 6000

/** The naive way, and one that stores nothing: the ceiling. */
type Variant = 'product' | 'before' | 'naive' | 'forgetful'

export const deliveries: Benchmark = {
  name: 'deliveries',
  what: `deliveries/s to a local receiver with durable outcomes, ${CONCURRENCY} at a time`,
  promises: [perNaive()],
  run: (rounds, tell) => compare(rounds, false, tell),
}

export const deliveriesOneCore: Benchmark = {
  name: 'deliveries-one-core',
  what: 'the same with the sender on one core; the receiver has the others',
  promises: [perNaive()],
  run: (rounds, tell) => compare(rounds, true, tell),
}

function perNaive(): Promised {
  return atLeast(4, 'against one transaction a delivery', (r) => figure(r, 'product') / figure(r, 'naive'))
}

async function compare(rounds: number, isOneCore: boolean, tell: (round: Figures) => void): Promise<void> {
  const variants: Variant[] = [...products(), 'naive', 'forgetful']
  for (let round = 0; round < rounds; round++) {
    const results: Record<string, number> = {}
    for (let i = 0; i < variants.length; i++) {
      const variant = variants[(i + round) % variants.length] as Variant
      const receiver = await startServer('receiver.ts', [], isOneCore ? { cores: OTHER_CORES } : {})
      const cores = isOneCore ? ONE_CORE : undefined
      const isSimple = variant === 'naive' || variant === 'forgetful'
      results[variant] = isSimple ? await simple(variant, receiver, cores) : await product(variant, receiver, cores)
      await receiver.stop()
    }
    tell(results)
  }
}

/** Fills the store of the site with deliveries to the receiver, which wait until `resume`. @param root of the version that fills it */
export async function fillWithDeliveries(site: BenchSite, receiver: Served, count: number, root = ROOT): Promise<void> {
  await fillElsewhere(root, join(site.folder, 'data/portaria.db'), count, {
    name: 'receiver',
    url: `http://127.0.0.1:${receiver.port}/hook`,
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

export async function resume({ apiPort }: Served): Promise<void> {
  await ask(apiPort, 'POST', '/v1/destinations/receiver/resume')
}

async function product(variant: 'product' | 'before', receiver: Served, cores?: string): Promise<number> {
  const site = await createBenchSite(ABSENT)
  await fillWithDeliveries(site, receiver, COUNT, rootOf(variant))
  const served = await startVariant(variant, site, { cores })
  await resume(served)
  await wait(WARM_UP_MS)
  const startedAt = performance.now()
  const before = await received(receiver.port)
  while ((await received(receiver.port)) < COUNT) await wait(50)
  // The outcomes count: only what is recorded as delivered is done.
  while (
    ((await ask(served.apiPort, 'GET', '/v1/deliveries?state=pending&limit=1')) as { data: unknown[] }).data.length > 0
  )
    await wait(5)
  const perSecond = Math.round((COUNT - before) / ((performance.now() - startedAt) / 1000))
  await served.stop()
  site.remove()
  return perSecond
}

async function simple(variant: 'naive' | 'forgetful', { port }: Served, cores?: string): Promise<number> {
  const site = await createBenchSite(ABSENT)
  const numbers = [port, COUNT, CONCURRENCY, WARM_UP_MS, SIMPLE_MEASURED_MS].map(String)
  const { perSecond } = await runNaiveForwarder([variant, site.folder, ...numbers], cores)
  site.remove()
  return perSecond
}

/** How many deliveries came to the receiver so far. */
export async function received(port: number): Promise<number> {
  return Number(await (await fetch(`http://127.0.0.1:${port}/`)).text())
}

function ask(port: number, method: string, path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request(
      { host: '127.0.0.1', port, method, path, headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))))
      },
    )
      .on('error', reject)
      .end()
  })
}
