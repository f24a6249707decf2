import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { atLeast, type Benchmark, figure } from './benchmark.ts'
import { fillStore } from './fill-store.ts'
import { runNaiveForwarder, startProduct, startServer } from './processes.ts'
import { createBenchSite, OPERATOR_TOKEN } from './site.ts'

const COUNT = 150_000
const CONCURRENCY = 16
/** What is measured is a gateway that runs, not one that starts. */
const WARM_UP_MS = 6000
const SIMPLE_MEASURED_MS = 6000

/** The naive way, and one that stores nothing: the ceiling. */
const VARIANTS = ['product', 'naive', 'forgetful'] as const
type Variant = (typeof VARIANTS)[number]

export const deliveries: Benchmark = {
  name: 'deliveries',
  what: `deliveries/s to a local receiver with durable outcomes, ${CONCURRENCY} at a time`,
  promises: [atLeast(4, 'against one transaction a delivery', (r) => figure(r, 'product') / figure(r, 'naive'))],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) {
      const results: Record<string, number> = {}
      for (let i = 0; i < VARIANTS.length; i++) {
        const variant = VARIANTS[(i + round) % VARIANTS.length] as Variant
        results[variant] = variant === 'product' ? await product() : await simple(variant)
      }
      tell(results)
    }
  },
}

async function product(): Promise<number> {
  const receiver = await startServer('receiver.ts', [])
  const site = await createBenchSite('http://127.0.0.1:9/hook')
  await fillStore(join(site.folder, 'data/portaria.db'), COUNT, {
    name: 'receiver',
    url: `http://127.0.0.1:${receiver.port}/hook`,
    kinds: null,
    environments: null,
    subjects: null,
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
  const served = await startProduct(site.configFile, site.logFile)
  await ask(served.apiPort, 'POST', '/v1/destinations/receiver/resume')
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
  await receiver.stop()
  site.remove()
  return perSecond
}

async function simple(variant: Exclude<Variant, 'product'>): Promise<number> {
  const receiver = await startServer('receiver.ts', [])
  const site = await createBenchSite('http://127.0.0.1:9/hook')
  const { perSecond } = await runNaiveForwarder([
    variant,
    site.folder,
    String(receiver.port),
    String(COUNT),
    String(CONCURRENCY),
    String(WARM_UP_MS),
    String(SIMPLE_MEASURED_MS),
  ])
  await receiver.stop()
  site.remove()
  return perSecond
}

/** How many deliveries came to the receiver so far. */
async function received(port: number): Promise<number> {
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
