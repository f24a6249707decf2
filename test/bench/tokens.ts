import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { type SimulatorProcess, serviceEntry, spawnSimulator } from '../support/simulator-process.ts'
import { atLeast, atMost, type Benchmark, figure } from './benchmark.ts'
import { startProduct } from './processes.ts'
import { ABSENT, createBenchSite } from './site.ts'
import { loadInTurn, perSecond, type Running } from './variants.ts'

/** Of a token form and of a JSON body with one fact. */
const BODY_BYTES = 80
/** Nothing listens there: the tokens wait. */
const ABSENT_SERVICE = 'https://127.0.0.1:9'

const CHARGE_TOKEN = 'charge-token-of-the-benchmark-0123456789abcdef'
const CONTENTS = ['token', 'charge'] as const

export const tokenCallbacks: Benchmark = {
  name: 'token-callbacks',
  what: `durable, acknowledged charge callbacks/s of ${BODY_BYTES} bytes, 64 keep-alive mTLS connections: tokens that wait for the service, and JSON`,
  // At most 10 % more for each.
  promises: [atLeast(0.91, 'tokens against JSON', (r) => figure(r, 'token') / figure(r, 'charge'))],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) {
      const running: Record<string, Running> = {}
      try {
        for (const content of round % 2 === 0 ? CONTENTS : CONTENTS.toReversed())
          running[content] = await startResolving(content)
        tell(perSecond(await loadInTurn(running, { connections: 64, bodyBytes: BODY_BYTES })))
      } finally {
        for (const { served, site } of Object.values(running)) {
          await served.stop()
          site.remove()
        }
      }
    }
  },
}

/** A gateway that resolves tokens, without effect. */
async function startResolving(content: (typeof CONTENTS)[number]): Promise<Running> {
  const site = await createBenchSite(ABSENT, (folder) => {
    writeFileSync(join(folder, 'client-secret'), 'secret')
    const entry = { environment: 'production', clientId: 'bench', clientSecret: 'client-secret' }
    return { service: [{ ...entry, baseAddresses: { charges: ABSENT_SERVICE } }] }
  })
  return { site, served: await startProduct(site.configFile, site.logFile), content }
}

export function resolvedTokens(count: number): Benchmark {
  return {
    name: 'resolved-tokens',
    what: `seconds until ${count} charges that a simulator creates are events: a callback and a query each, without a budget`,
    promises: [atMost(60, 'with the simulator beside', (r) => figure(r, 'seconds'), 's')],
    async run(rounds, tell) {
      for (let round = 0; round < rounds; round++) tell({ seconds: await resolve(count) })
    },
  }
}

/** From the first charge to the last event. */
async function resolve(count: number): Promise<number> {
  await using closing = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'portaria-bench-simulator-'))
  closing.defer(() => rmSync(folder, { recursive: true, force: true }))
  const simulator = await spawnSimulator(folder)
  closing.defer(() => simulator.stop())
  const site = await createBenchSite(ABSENT, (at) => chargeSections(simulator, at))
  closing.defer(() => site.remove())
  const served = await startProduct(site.configFile, site.logFile)
  closing.defer(() => served.stop())
  const { clientId } = simulator.applicationOf('sandbox')
  await simulator.control('PUT', `/applications/${clientId}/notifications`, { form: 'token' })

  const startedAt = performance.now()
  const notificationUrl = `http://localhost:${served.chargesPort}/charges/${CHARGE_TOKEN}`
  await simulator.control('POST', '/charges', { count, notificationUrl })
  const db = new Database(join(site.folder, 'data/portaria.db'), { readonly: true })
  closing.defer(() => void db.close())
  const events = db.prepare<[], number>('select count(*) from events').pluck()
  while ((events.get() ?? 0) < count) await wait(100)
  return Math.round((performance.now() - startedAt) / 100) / 10
}

function chargeSections(simulator: SimulatorProcess, folder: string): object {
  writeFileSync(join(folder, 'charge-token'), CHARGE_TOKEN, { mode: 0o600 })
  const tokens = [{ environment: 'sandbox', tokenFile: 'charge-token' }]
  const dailyBudgets = { notifications: 'unlimited' }
  return {
    chargeNotifications: { host: '127.0.0.1', port: 0, tokens },
    service: [serviceEntry(simulator, 'sandbox', folder, { dailyBudgets })],
  }
}
