import { type ApiClient, createApiClient, type Page } from './api-client.ts'
import { atMost, type Benchmark, type Figures, figure } from './benchmark.ts'
import { load, startProduct } from './processes.ts'
import { ABSENT, createBenchSite } from './site.ts'

const OTHERS = 500
const RATE = 300
const WARM_UP_MS = 3000
const MEASURE_MS = 15_000

/** A poller that follows everything, among many who wait for what never comes. */
export const wakeups: Benchmark = {
  name: 'wakeups',
  what: `ms until a waiting poller is answered, and until a notification is, at ${RATE} notifications/s with ${OTHERS} others waiting and without`,
  promises: [
    atMost(50, 'p99 from received to the answer of the poller that waits for it', (r) => figure(r, 'wokenP99'), 'ms'),
    atMost(
      1.1,
      'median until a notification is acknowledged, with the others against without',
      (r) => figure(r, 'acknowledgedAmongOthers') / figure(r, 'acknowledged'),
    ),
  ],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) {
      const figures: Record<string, number> = {}
      for (const others of round % 2 === 0 ? [0, OTHERS] : [OTHERS, 0]) Object.assign(figures, await measure(others))
      tell(figures)
    }
  },
}

async function measure(others: number): Promise<Figures> {
  const site = await createBenchSite(ABSENT)
  const served = await startProduct(site.configFile, site.logFile)
  const client = createApiClient(served.apiPort)
  const follower = follow(client)
  for (let n = 0; n < others; n++) void waitForNothing(client, n)
  const result = await load({
    port: served.port,
    certs: site.certs,
    connections: 32,
    bodyBytes: 1024,
    rate: RATE,
    reconnect: false,
    warmUpMs: WARM_UP_MS,
    measureMs: MEASURE_MS,
  })
  const woken = follower.stop()
  client.close()
  await served.stop()
  site.remove()
  // The two do not begin and end at the same moment.
  if (result.refused > 0 || woken.length < result.answered * 0.9) {
    throw new Error(`${result.answered} answered, ${result.refused} refused, ${woken.length} polled`)
  }
  const at = (share: number) => woken.toSorted((a, b) => a - b)[Math.floor(woken.length * share)] ?? Number.NaN
  if (others === 0) return { acknowledged: result.p50Ms, acknowledgedP99: result.p99Ms, wokenAloneP99: at(0.99) }
  return {
    acknowledgedAmongOthers: result.p50Ms,
    acknowledgedAmongOthersP99: result.p99Ms,
    wokenP50: at(0.5),
    wokenP99: at(0.99),
  }
}

/** From the start of the gateway on. `stop` gives how long each event took from its receipt to the poller, in ms, but for the warm-up's. */
export function follow(client: ApiClient): { stop(): number[] } {
  const since = Date.now() + WARM_UP_MS
  const latencies: number[] = []
  let isOver = false
  async function run(): Promise<void> {
    let { next } = await client.get<Page>('/v1/events?after=latest')
    while (!isOver) {
      const page = await client.get<Page>(`/v1/events?kind=payment&wait=30&limit=1000&after=${next}`)
      const now = Date.now()
      for (const { receivedAt } of page.data)
        if (Date.parse(receivedAt) >= since) latencies.push(now - Date.parse(receivedAt))
      next = page.next
    }
  }
  // When the client is closed the last request fails.
  const running = run().catch((error: unknown) => {
    if (!isOver) throw error
  })
  return {
    stop() {
      isOver = true
      void running
      return latencies
    },
  }
}

/** Every other one for a subject, the rest for a kind. */
async function waitForNothing(client: ApiClient, n: number): Promise<void> {
  const filter = n % 2 === 0 ? `subject=nobody-${n}` : 'kind=charge'
  let next = 'latest'
  for (;;) {
    const page = await client.get<Page>(`/v1/events?${filter}&wait=30&after=${next}`).catch(() => null)
    if (page === null) return
    next = page.next
  }
}
