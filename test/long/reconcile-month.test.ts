/**
 * A month of payments and charges at the simulator, which drops a fifth of its callbacks and sends others twice or late, while the gateway is killed at
 * random. Behind it a reconciliation must have told the last state of everything that an endpoint tells, and every destination must have got every event.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { chargeClient } from '../../simulator/test/charges/charge-client.ts'
import { receiverCaFile } from '../../simulator/test/receiver.ts'
import { type RunningSimulator, runSimulator } from '../../simulator/test/running.ts'
import { lastStatus, type SubjectType } from '../../src/domain/reconcile/subjects.ts'
import { installChain, serviceEntry } from '../cli/service/service-site.ts'
import { askApi, reconcile } from '../gateway/reconcile/reconcile-site.ts'
import { allEvents } from '../support/calls.ts'
import { BASE_CALLBACKS, createSite, type SpawnedGateway, spawnGateway, type TestSite } from '../support/gateway.ts'
import { reservePort } from '../support/ports.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const DAYS = 30
const SEEDS = [1, 2, 3]

/** Pseudo-random numbers from 0 to 1: the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

async function createMonth(seed: number) {
  const site = await createSite()
  const running = await runSimulator({ webhooks: { retryMinutes: 'short' } }, { receiverCaFile: receiverCaFile() })
  onTestFinished(() => running.stop())
  installChain(site, running, 'sandbox')
  const receiver = await startReceiver()
  writeFileSync(
    join(site.folder, 'secret'),
    `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`,
  )
  const port = await reservePort()
  await createSite(
    {
      callbacks: { ...BASE_CALLBACKS, port },
      service: [{ ...serviceEntry(site, running), reconcile: { every: '1h' } }],
      destinations: [{ name: 'books', url: receiver.url, secretFile: 'secret', kinds: ['payment', 'charge'] }],
    },
    site.folder,
  )
  const simulated = running.simulator.sites.sandbox
  const account = simulated.applications.list()[0]?.account ?? ''
  simulated.webhooks.register({ interface: 'payment', account, url: `https://localhost:${port}/callbacks/payment` })
  await running.control('PUT', '/clock', { now: '2026-03-02T15:00:00Z', frozen: true })
  const order = (fault: string, probability: number) =>
    running.control('POST', '/faults?environment=sandbox', { on: 'callback', fault, probability, seed })
  await order('drop', 0.2)
  await order('duplicate', 0.1)
  await order('reorder', 0.1)
  return { site, running, receiver }
}

type Month = Awaited<ReturnType<typeof createMonth>>

interface Made {
  readonly payments: string[]
  readonly charges: string[]
}

async function pay(running: RunningSimulator): Promise<string> {
  const { codBarras } = (await running.control('POST', '/bills', { kind: 'tax', amount: 5_000 })).json
  await running.ask('payment', { path: `/v1/codBarras/${codBarras}` })
  const now = new Date((await running.control('GET', '/clock')).json.now)
  // Tomorrow, so that it waits for some time.
  const dataPagamento = new Date(now.getTime() + 86_400_000).toISOString().slice(0, 10)
  const body = { valor: 5_000, dataPagamento }
  const paid = await running.ask('payment', { method: 'POST', path: `/v1/codBarras/${codBarras}`, body })
  if (paid.status !== 201) throw new Error(paid.text)
  return paid.json.idPagamento
}

/** One day: new payments and charges, and changes of some of the earlier ones. */
async function liveDay({ running }: Month, made: Made, random: () => number): Promise<void> {
  const client = chargeClient(() => running, 'sandbox')
  const pick = (ids: readonly string[]) => ids[Math.floor(random() * ids.length)]
  for (let count = 1 + Math.floor(random() * 3); count > 0; count--) made.payments.push(await pay(running))
  const charge = await client.createCharge()
  made.charges.push(String(charge))
  if (random() < 0.6) await client.payByCard(charge)
  const changed = pick(made.payments)
  const how = random() < 0.5 ? 'settle' : random() < 0.5 ? 'fail' : 'cancel'
  // Not every change is possible in every state.
  if (changed !== undefined) await running.control('POST', `/payments/${changed}/${how}`)
  await running.control('POST', '/clock/advance', { by: '24h' })
  await running.simulator.sites.sandbox.tasks.settled()
}

async function expectAll(gateway: SpawnedGateway, made: Made): Promise<void> {
  const subjects = [...made.payments.map((id) => ['payment', id]), ...made.charges.map((id) => ['charge', id])]
  for (const [kind, subject] of subjects) {
    const { status } = await askApi(gateway, '/v1/expected', { kind, environment: 'sandbox', subject })
    expect(status).toBe(202)
  }
}

async function kill(gateway: SpawnedGateway, site: TestSite): Promise<SpawnedGateway> {
  gateway.process.kill('SIGKILL')
  await gateway.exited
  return spawnGateway(site)
}

it.each(SEEDS)(
  'behind a month with dropped callbacks and killed gateways, every last state is known (seed %i)',
  { timeout: 600_000 },
  async (seed) => {
    const random = randomOf(seed)
    const month = await createMonth(seed)
    const { running, site, receiver } = month
    const made: Made = { payments: [], charges: [] }
    let gateway = await spawnGateway(site)
    for (let day = 0; day < DAYS; day++) {
      await liveDay(month, made, random)
      if (random() < 0.15) gateway = await kill(gateway, site)
    }
    await expectAll(gateway, made)
    // Killed while it asks.
    await askApi(gateway, '/v1/service/reconcile', { since: '2026-03-01T00:00:00Z' })
    gateway = await kill(gateway, site)
    expect(await reconcile(gateway, { since: '2026-03-01T00:00:00Z' })).toMatchObject({
      failed: 0,
      left: 0,
      unknown: 0,
      unnamed: 0,
    })

    const events = await allEvents(gateway.api)
    const lastOf = (kind: string, type: SubjectType, subject: string) =>
      lastStatus({
        type,
        statuses: events.flatMap((one) => (one.kind === kind && one.subject === subject ? (one.status ?? []) : [])),
      })
    const wrong: unknown[] = []
    for (const id of made.payments) {
      const { status } = (await running.ask('payment', { path: `/v1/${id}` })).json
      if (lastOf('payment', 'payment', id) !== status) wrong.push([id, status, lastOf('payment', 'payment', id)])
    }
    const client = chargeClient(() => running, 'sandbox')
    for (const id of made.charges) {
      const status = await client.statusOf(Number(id))
      if (lastOf('charge', 'charge', id) !== status) wrong.push([id, status, lastOf('charge', 'charge', id)])
    }
    expect(wrong).toEqual([])
    expect(events.some(({ source }) => source === 'reconciled')).toBe(true)
    expect(events.some(({ source, kind }) => source === 'callback' && kind === 'payment')).toBe(true)

    // No state twice, and each event at the destination.
    const states = events.map(({ kind, subject, status }) => JSON.stringify([kind, subject, status]))
    expect(states.filter((state, at) => states.indexOf(state) !== at && !state.includes('probe'))).toEqual([])
    const wanted = events.filter(({ kind }) => kind === 'payment' || kind === 'charge').map(({ id }) => id)
    await until(() => {
      const got = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
      return wanted.every((id) => got.has(id))
    })
  },
)
