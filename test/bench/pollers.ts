import { atMost, type Benchmark, type Figures, figure, median, reported } from './benchmark.ts'
import type { WakeUp } from './poll-generator.ts'
import { pollersOf } from './processes.ts'
import { ABSENT, createBenchSite, OPERATOR_TOKEN } from './site.ts'
import { products, startVariant } from './variants.ts'

const POLLERS = 1900
/** No client may have more than a tenth of the places for requests that wait. */
const CLIENTS = 10
/** Of each round, behind the first one, which is slower because nothing is compiled yet. The next ones still compile: the median is of a warm process. */
const WAKE_UPS = 15
/** Idle connections have seven eighths of the places. */
const LIMITS = { maxConnections: 4000, connectionsPerAddress: 4000 }

/** As many pollers as one gateway may have wait for the same event. */
export const pollers: Benchmark = {
  name: 'pollers',
  what: `ms from the answer to a callback until the last of ${POLLERS} waiting pollers is answered`,
  promises: [
    atMost(50, 'the last answer, median of the wake-ups', (r) => figure(r, 'product'), 'ms'),
    reported('CPU of the main thread', (r) => figure(r, 'productMain'), 'ms'),
    reported('CPU of the gateway', (r) => figure(r, 'productCpu'), 'ms'),
    reported('the last answer in a fresh process', (r) => figure(r, 'productFirst'), 'ms'),
  ],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) {
      const figures: Record<string, number> = {}
      for (const variant of products()) Object.assign(figures, await measure(variant))
      tell(figures)
    }
  },
}

async function measure(variant: 'product' | 'before'): Promise<Figures> {
  const api = { host: '127.0.0.1', port: 0, operatorTokenFile: 'token', limits: LIMITS }
  const site = await createBenchSite(ABSENT, () => ({ api }))
  const served = await startVariant(variant, site)
  const { port, apiPort, pid } = served
  const tokens: string[] = []
  for (let n = 0; n < CLIENTS; n++) tokens.push(await tokenOf(apiPort, `client-${n}`))
  const options = { apiPort, pid, port, certs: site.certs, pollers: POLLERS, tokens, wakeUps: 1 + WAKE_UPS }
  const [first, ...later] = await pollersOf(options)
  await served.stop()
  site.remove()
  const middle = (what: keyof WakeUp) => median(later.map((one) => one[what]))
  return {
    [variant]: middle('lastMs'),
    [`${variant}Main`]: middle('mainMs'),
    [`${variant}Cpu`]: middle('cpuMs'),
    [`${variant}First`]: first?.lastMs ?? Number.NaN,
  }
}

async function tokenOf(apiPort: number, name: string): Promise<string> {
  const client = await post<{ clientId: string; clientSecret: string }>(`http://127.0.0.1:${apiPort}/v1/clients`, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, environment: 'production', scopes: ['events.read'] }),
  })
  const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')
  const issued = await post<{ access_token: string }>(`http://127.0.0.1:${apiPort}/oauth/token`, {
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  })
  return issued.access_token
}

async function post<T>(url: string, request: { headers: Record<string, string>; body: string }): Promise<T> {
  const response = await fetch(url, { method: 'POST', ...request })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}
