import { setTimeout as wait } from 'node:timers/promises'
import { atMost, type Benchmark, type Figures, figure } from './benchmark.ts'
import { load, type Served, startServer, timesByThread } from './processes.ts'
import { ABSENT, type BenchSite } from './site.ts'
import { LOAD, products, siteOf, startVariant, type Variant } from './variants.ts'

const CONNECTIONS = 64
/** Longest that the deliveries of a load may take after it. */
const DRAIN_LIMIT_MS = 120_000
/** Threads below this, in µs a callback, are left out of the report. */
const SHOWN_US = 0.2

export const cpu: Benchmark = {
  name: 'cpu',
  what: `µs of CPU for a callback, ${CONNECTIONS} connections: of all threads, of each, and of a bare handler`,
  promises: [atMost(2.3, 'against a bare https handler', (r) => figure(r, 'product') / figure(r, 'bare'))],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) {
      const figures: Record<string, number> = {}
      const variants: Variant[] = [...products(), 'bare']
      for (const variant of round % 2 === 0 ? variants : variants.toReversed())
        Object.assign(
          figures,
          await withServer(variant, ABSENT, (served, site) => cpuOfCallback(variant, served, site)),
        )
      tell(figures)
    }
  },
}

/** CPU of a callback on the machine of the study: 125 µs with its delivery, 26 µs for a bare handler. */
const DELIVERED_US = 125
const BARE_US = 26

export const cpuDelivered: Benchmark = {
  name: 'cpu-delivered',
  what: 'µs of CPU for a callback with its delivery, from the first callback to the last delivery: of all threads, and of each',
  promises: [
    atMost(
      Math.round((DELIVERED_US / BARE_US) * 10) / 10,
      'against a bare https handler',
      (r) => figure(r, 'product') / figure(r, 'bare'),
    ),
    atMost(DELIVERED_US, 'on the machine of the study', (r) => figure(r, 'product'), 'µs'),
  ],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) {
      const figures: Record<string, number> = {}
      const variants = products()
      for (const variant of round % 2 === 0 ? variants : variants.toReversed())
        Object.assign(figures, await cpuOfDelivered(variant))
      const bare = await withServer('bare', ABSENT, (served, site) => cpuOfCallback('bare', served, site))
      tell({ ...figures, bare: bare.bare as number })
    }
  },
}

async function withServer<T>(
  variant: Variant,
  destinationUrl: string,
  use: (served: Served, site: BenchSite) => Promise<T>,
): Promise<T> {
  const site = await siteOf(variant, destinationUrl)
  const served = await startVariant(variant, site)
  try {
    return await use(served, site)
  } finally {
    await served.stop()
    site.remove()
  }
}

/** Within the measured part of a load. */
async function cpuOfCallback(variant: Variant, served: Served, site: BenchSite): Promise<Figures> {
  const loading = load({ ...LOAD, connections: CONNECTIONS, port: served.port, certs: site.certs })
  await wait(LOAD.warmUpMs + LOAD.measureMs / 8)
  const [before, from] = [timesByThread(served.pid), performance.now()]
  await wait(LOAD.measureMs / 2)
  const [after, seconds] = [timesByThread(served.pid), (performance.now() - from) / 1000]
  return perCallback(variant, before, after, (await loading).perSecond * seconds)
}

async function cpuOfDelivered(variant: Variant): Promise<Figures> {
  const receiver = await startServer('receiver.ts', [])
  try {
    return await withServer(variant, `http://127.0.0.1:${receiver.port}/hook`, async (served, site) => {
      const loading = { ...LOAD, warmUpMs: 0, connections: CONNECTIONS, port: served.port, certs: site.certs }
      const { acknowledged: first } = await load({ ...loading, measureMs: LOAD.warmUpMs })
      await untilReceived(receiver.port, first)
      const before = timesByThread(served.pid)
      const { acknowledged } = await load(loading)
      await untilReceived(receiver.port, first + acknowledged)
      return perCallback(variant, before, timesByThread(served.pid), acknowledged)
    })
  } finally {
    await receiver.stop()
  }
}

/** By variant, and by variant and thread. */
function perCallback(
  variant: Variant,
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
  callbacks: number,
): Figures {
  const spent = Object.entries(after).map(([name, time]) => [name, (time - (before[name] ?? 0)) / callbacks] as const)
  const all = spent.reduce((sum, [, each]) => sum + each, 0)
  const shown = spent.filter(([, each]) => each >= SHOWN_US && variant !== 'bare')
  return {
    [variant]: rounded(all),
    ...Object.fromEntries(shown.map(([name, each]) => [`${variant}-${name}`, rounded(each)])),
  }
}

/** Polls the receiver: its count is what arrived. */
async function untilReceived(port: number, count: number): Promise<void> {
  const deadline = performance.now() + DRAIN_LIMIT_MS
  while (Number(await (await fetch(`http://127.0.0.1:${port}/`)).text()) < count) {
    if (performance.now() > deadline) throw new Error('deliveries are still waiting')
    await wait(20)
  }
}

function rounded(microseconds: number): number {
  return Math.round(microseconds * 10) / 10
}
