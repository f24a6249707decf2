/**
 * A month (in the gate: ten days) of payments, charges and openings at the simulator, which drops a fifth of its callbacks and sends others twice or late, while the gateway is
 * killed at random. Behind it a reconciliation must have told the last state of everything that an endpoint tells, and every destination must have got every
 * event. Openings whose refusal was dropped must be gaps.
 */

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withCpfDigits } from '../../simulator/src/rules/tax-ids.ts'
import { chargeClient } from '../../simulator/test/charges/charge-client.ts'
import { receiverCaFile } from '../../simulator/test/receiver.ts'
import { openingRequest } from '../../simulator/test/registration/opening-request.ts'
import { type RunningSimulator, runSimulator } from '../../simulator/test/running.ts'
import { lastStatus, type SubjectType } from '../../src/domain/reconcile/subjects.ts'
import { installChain, serviceEntry } from '../cli/service/service-site.ts'
import { askApi, payBill, reconcile } from '../gateway/reconcile/reconcile-site.ts'
import { allEvents } from '../support/calls.ts'
import { IS_FULL } from '../support/campaign.ts'
import { BASE_CALLBACKS, createSite, type SpawnedGateway, spawnGateway, type TestSite } from '../support/gateway.ts'
import { reservePort } from '../support/ports.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { describePostgres } from '../support/with-postgres.ts'

const DAYS = IS_FULL ? 30 : 10

/** Pseudo-random numbers from 0 to 1: the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

/** @param storage keys of the section, in place of those of an SQLite file */
async function createMonth(seed: number, storage?: object) {
  const site = await createSite()
  const running = await runSimulator({ webhooks: { retryMinutes: 'short' } }, { receiverCaFile: receiverCaFile() })
  onTestFinished(() => running.stop())
  installChain(site, running, 'sandbox')
  const receiver = await startReceiver()
  const secret = Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')
  writeFileSync(join(site.folder, 'secret'), `whsec_${secret}`)
  const chargeToken = randomBytes(32).toString('hex')
  writeFileSync(join(site.folder, 'charge-token'), chargeToken, { mode: 0o600 })
  const [port, chargesPort] = [await reservePort(), await reservePort()]
  const tokens = [{ environment: 'sandbox', tokenFile: 'charge-token' }]
  const { certificate, privateKey } = BASE_CALLBACKS
  const kinds = ['payment', 'charge', 'registration']
  await createSite(
    {
      callbacks: { ...BASE_CALLBACKS, port },
      chargeNotifications: { host: '127.0.0.1', port: chargesPort, certificate, privateKey, tokens },
      service: [{ ...serviceEntry(site, running), reconcile: { every: '1h', readCredentials: true } }],
      destinations: [{ name: 'books', url: receiver.url, secretFile: 'secret', kinds }],
      ...(storage !== undefined && { storage }),
    },
    site.folder,
  )
  const simulated = running.simulator.sites.sandbox
  const account = simulated.applications.list()[0]?.account ?? ''
  const callbackUrl = (kind: string) => `https://localhost:${port}/callbacks/${kind}`
  simulated.webhooks.register({ interface: 'payment', account, url: callbackUrl('payment') })
  simulated.webhooks.register({ interface: 'registration', account, url: callbackUrl('registration') })
  await running.control('PUT', '/clock', { now: '2026-03-02T15:00:00Z', frozen: true })
  const order = (fault: string, probability: number) =>
    running.control('POST', '/faults?environment=sandbox', { on: 'callback', fault, probability, seed })
  await order('drop', 0.2)
  await order('duplicate', 0.1)
  await order('reorder', 0.1)
  return { site, running, receiver, notificationUrl: `https://localhost:${chargesPort}/charges/${chargeToken}` }
}

type Month = Awaited<ReturnType<typeof createMonth>>
type Event = Awaited<ReturnType<typeof allEvents>>[number]

interface Made {
  readonly payments: string[]
  readonly charges: string[]
  readonly openings: string[]
}

/** What its end client has answered, by opening: nothing is known otherwise than by callbacks, of a refused one. */
type Decisions = Map<string, 'accept' | 'refuse'>

/** For tomorrow, so that it waits for some time. */
async function pay(running: RunningSimulator): Promise<string> {
  const now = new Date((await running.control('GET', '/clock')).json.now)
  return payBill(running, new Date(now.getTime() + 86_400_000).toISOString().slice(0, 10))
}

/** @param count how many there are: each has another end client */
async function open(running: RunningSimulator, count: number): Promise<string> {
  const cpf = withCpfDigits(String(100_000_000 + count))
  const [celular, email] = [`319${87_650_000 + count}`, `client-${count}@example.com`]
  const clienteFinal = { ...openingRequest().clienteFinal, cpf, celular, email }
  const body = openingRequest({ escoposIntegrados: ['cob.read'], clienteFinal })
  const { status, text, json } = await running.ask('registration', {
    method: 'POST',
    path: '/v1/conta-simplificada',
    body,
  })
  if (status >= 300) throw new Error(text)
  return json.contaSimplificada.identificador
}

/** One day: new payments and charges, and changes of some of the earlier ones. */
async function liveDay(month: Month, made: Made, decisions: Decisions, random: () => number): Promise<void> {
  const { running, notificationUrl } = month
  const client = chargeClient(() => running, 'sandbox')
  const pick = (ids: readonly string[]) => ids[Math.floor(random() * ids.length)]
  for (let count = 1 + Math.floor(random() * 3); count > 0; count--) made.payments.push(await pay(running))
  // Half of them send notifications; the others are known by their ids alone.
  const metadata = random() < 0.5 ? { notification_url: notificationUrl } : {}
  const charge = await client.createCharge({ metadata })
  made.charges.push(String(charge))
  if (random() < 0.3) made.openings.push(await open(running, made.openings.length))
  const waiting = made.openings.filter((id) => !decisions.has(id))
  const decided = pick(waiting)
  if (decided !== undefined && random() < 0.4) {
    const decision = random() < 0.6 ? 'accept' : 'refuse'
    decisions.set(decided, decision)
    await running.control('POST', `/openings/${decided}/${decision}`, {})
  }
  if (random() < 0.6) await client.payByCard(charge)
  const changed = pick(made.payments)
  const how = random() < 0.5 ? 'settle' : random() < 0.5 ? 'fail' : 'cancel'
  // Not every change is possible in every state.
  if (changed !== undefined) await running.control('POST', `/payments/${changed}/${how}`)
  await running.control('POST', '/clock/advance', { by: '24h' })
  await running.simulator.sites.sandbox.tasks.settled()
}

async function expectAll(gateway: SpawnedGateway, made: Made): Promise<void> {
  const subjects = [
    ...made.payments.map((id) => ['payment', id]),
    ...made.charges.map((id) => ['charge', id]),
    ...made.openings.map((id) => ['registration', id]),
  ]
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

async function expectLastStates({ running }: Month, made: Made, events: readonly Event[]): Promise<void> {
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
}

/** Accepted ones are events, refused ones are either what their callback said or gaps. */
async function expectOpenings(
  gateway: SpawnedGateway,
  made: Made,
  decisions: Decisions,
  events: readonly Event[],
): Promise<void> {
  const statusesOf = (id: string) =>
    events.filter((one) => one.kind === 'registration' && one.subject === id).map(({ status }) => status)
  const openings: string[] = (await askApi(gateway, '/v1/gaps')).json.openings
  for (const id of made.openings) {
    const statuses = statusesOf(id)
    if (decisions.get(id) === 'accept') expect(statuses).toEqual(['conta_aberta'])
    else {
      expect(statuses.filter((status) => status !== 'conta_recusada_pelo_cliente_final')).toEqual([])
      if (statuses.length === 0) expect(openings).toContain(id)
    }
  }
}

async function liveAndReconcile(seed: number, storage?: object): Promise<void> {
  const random = randomOf(seed)
  const month = await createMonth(seed, storage)
  const { site, receiver } = month
  const made: Made = { payments: [], charges: [], openings: [] }
  const decisions: Decisions = new Map()
  let gateway = await spawnGateway(site)
  for (let day = 0; day < DAYS; day++) {
    await liveDay(month, made, decisions, random)
    if (random() < 0.15) gateway = await kill(gateway, site)
  }
  await expectAll(gateway, made)
  // Killed while it asks. A gateway on PostgreSQL holds the jobs only when the lease of the killed one has expired.
  const ask = async () => (await askApi(gateway, '/v1/service/reconcile', { since: '2026-03-01T00:00:00Z' })).status
  await until(ask, (status) => status === 202)
  gateway = await kill(gateway, site)
  await until(ask, (status) => status === 202)
  const told = await reconcile(gateway, { since: '2026-03-01T00:00:00Z' })
  expect(told).toMatchObject({ failed: 0, left: 0, unknown: 0, unnamed: 0 })

  const events = await allEvents(gateway.api)
  await expectLastStates(month, made, events)
  await expectOpenings(gateway, made, decisions, events)
  expect(events.some(({ source }) => source === 'reconciled')).toBe(true)
  for (const kind of ['payment', 'charge'])
    expect(events.some((one) => one.source !== 'reconciled' && one.kind === kind)).toBe(true)

  // No state twice, and each event at the destination.
  const states = events.map(({ kind, subject, status }) => JSON.stringify([kind, subject, status]))
  expect(states.filter((state, at) => states.indexOf(state) !== at && !state.includes('probe'))).toEqual([])
  const wanted = events.map(({ id }) => id)
  await until(() => {
    const got = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
    return wanted.every((id) => got.has(id))
  })
}

describe(`behind ${DAYS} days with dropped callbacks and killed gateways, every last state is known`, () => {
  it.each([1])('with SQLite (seed %i)', { timeout: 600_000 }, (seed) => liveAndReconcile(seed))

  describePostgres('with PostgreSQL', (server) => {
    it.each([3])('(seed %i)', { timeout: 600_000 }, async (seed) =>
      liveAndReconcile(seed, { url: await server.createDatabase() }),
    )
  })
})
