import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { serviceEntry, spawnSimulator } from '../support/simulator-process.ts'
import { type ApiClient, createApiClient } from './api-client.ts'
import { atMost, type Benchmark, type Figures, figure } from './benchmark.ts'
import { fillStore } from './fill-store.ts'
import { load, startProduct } from './processes.ts'
import { ABSENT, type BenchSite, createBenchSite } from './site.ts'

const SUBJECTS = 100_000
/** Questions of a run about single payments. */
const BUDGET = 100
const LOAD = { connections: 32, rate: 300, bodyBytes: 1024, reconnect: false, warmUpMs: 2000, measureMs: 15_000 }

interface Run {
  readonly state: string
  readonly environments: readonly Record<'subjects' | 'asked' | 'failed' | 'left', number>[]
}

export const reconcileSubjects: Benchmark = {
  name: 'reconcile-subjects',
  what: `seconds of a run over ${SUBJECTS} payments without a final status, ${BUDGET} of which the budget lets it ask the simulator about`,
  promises: [atMost(5, 'until the run is done', (r) => figure(r, 'seconds'), 's')],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++)
      tell(
        await withGateway({ subjects: SUBJECTS, budget: BUDGET }, async ({ client }) => {
          const startedAt = performance.now()
          const subjects = await reconcileOnce(client)
          if (subjects !== SUBJECTS) throw new Error(`the run looked through ${subjects} subjects`)
          return { seconds: Math.round((performance.now() - startedAt) / 100) / 10 }
        }),
      )
  },
}

/** The simulator answers on the same cores. */
export const reconcileBeside: Benchmark = {
  name: 'reconcile-beside',
  what: `ms of an acknowledgment at ${LOAD.rate} callbacks/s, while run after run asks the simulator without a budget and without any run`,
  promises: [
    atMost(1.1, 'median beside a reconciliation', (r) => figure(r, 'besideP50') / figure(r, 'aloneP50')),
    atMost(1.1, 'p99 beside a reconciliation', (r) => figure(r, 'besideP99') / figure(r, 'aloneP99')),
  ],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++)
      tell(await withGateway({ subjects: 2000, budget: 'unlimited' }, (started) => besideAndAlone(started, round)))
  },
}

interface Started {
  readonly client: ApiClient
  readonly site: BenchSite
  readonly port: number
}

async function besideAndAlone({ client, site, port }: Started, round: number): Promise<Figures> {
  const figures: Record<string, number> = {}
  for (const name of round % 2 === 0 ? ['alone', 'beside'] : ['beside', 'alone']) {
    const ending = new AbortController()
    const runs = name === 'beside' ? reconcileUntil(client, ending.signal) : Promise.resolve(0)
    const { p50Ms, p99Ms, refused } = await load({ ...LOAD, port, certs: site.certs })
    ending.abort()
    if (refused > 0) throw new Error(`${refused} callbacks were refused`)
    figures[`${name}P50`] = p50Ms
    figures[`${name}P99`] = p99Ms
    figures[`${name}Subjects`] = await runs
  }
  return figures
}

/** Number of subjects that the service was asked about. */
async function reconcileUntil(client: ApiClient, signal: AbortSignal): Promise<number> {
  let subjects = 0
  while (!signal.aborted) subjects += await reconcileOnce(client)
  return subjects
}

async function reconcileOnce(client: ApiClient): Promise<number> {
  await client.post('/v1/service/reconcile', {})
  for (;;) {
    const { run } = await client.get<{ run: Run }>('/v1/service/reconcile')
    if (run.state === 'done') return run.environments.reduce((sum, { subjects }) => sum + subjects, 0)
    if (run.state === 'failed') throw new Error(JSON.stringify(run))
    await wait(20)
  }
}

async function withGateway(
  { subjects, budget }: { readonly subjects: number; readonly budget: number | 'unlimited' },
  measure: (started: Started) => Promise<Figures>,
): Promise<Figures> {
  await using closing = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'portaria-bench-simulator-'))
  closing.defer(() => rmSync(folder, { recursive: true, force: true }))
  const simulator = await spawnSimulator(folder)
  closing.defer(() => simulator.stop())
  const site = await createBenchSite(ABSENT, (at) => {
    const reconcile = { payments: 'payment' }
    const dailyBudgets = { payment: budget }
    const baseAddresses = { payment: simulator.baseOf('sandbox', 'payment') }
    return { service: [serviceEntry(simulator, 'sandbox', at, { baseAddresses, reconcile, dailyBudgets })] }
  })
  closing.defer(() => site.remove())
  await fillStore(join(site.folder, 'data/portaria.db'), subjects, undefined, (n) => ({
    environment: 'sandbox',
    subject: String(1_000_000 + n),
    status: 'AGENDADO',
  }))
  const served = await startProduct(site.configFile, site.logFile)
  closing.defer(() => served.stop())
  const client = createApiClient(served.apiPort)
  closing.defer(() => client.close())
  // The first run also takes the events up.
  await reconcileOnce(client)
  return await measure({ client, site, port: served.port })
}
