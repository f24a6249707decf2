import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { makeDevelopmentCertificates } from '../../src/certificates/development/development.ts'
import { type SimulatorProcess, spawnSimulator } from '../support/simulator-process.ts'
import { atLeast, atMost, type Benchmark, figure } from './benchmark.ts'
import { startServer } from './processes.ts'

/** Cores on which the simulator runs alone; its callers have the others. */
const CORES = '0'

const START = '2026-01-15T15:00:00Z'
const CYCLES = 12
/** With a cycle each month, they have 100 thousand charges in a year. */
const SUBSCRIPTIONS = 8_334
const CUSTOMER = { name: 'Ana Souza', cpf: '52998224725', email: 'ana@example.com', phone_number: '11987654321' }
const ITEMS = [{ name: 'Book', value: 10_000 }]

/** A request that the simulator answers at once. */
interface ApiRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
}

export const simulatorRequests: Benchmark = {
  name: 'simulator-requests',
  what: 'API requests/s of the simulator on one core, 16 keep-alive connections with an account certificate: balance read, charge created',
  promises: [
    atLeast(1000, 'a balance is read', (r) => figure(r, 'balance'), '/s'),
    atLeast(1000, 'a charge is created', (r) => figure(r, 'charge'), '/s'),
  ],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) {
      await using bench = await startBench()
      const [account, charges] = [bench.open('account', 16), bench.open('charges', 16)]
      const balance = await requestsPerSecond(await account, { method: 'GET', path: '/v2/svc/saldo' })
      const charge = await requestsPerSecond(await charges, {
        method: 'POST',
        path: '/v1/charge',
        body: { items: ITEMS },
      })
      tell({ balance, charge })
    }
  },
}

export const simulatorCallbacks: Benchmark = {
  name: 'simulator-callbacks',
  what: 'callbacks/s of the simulator over mutual TLS, a new connection each, to 50 URLs of a bare https server; the simulator on one core',
  promises: [atLeast(500, 'answered callbacks', (r) => figure(r, 'callbacks'), '/s')],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) tell({ callbacks: await callbacksPerSecond(50, 100) })
  },
}

export const simulatorYear: Benchmark = {
  name: 'simulator-year',
  what: `seconds in which a year passes for ${SUBSCRIPTIONS} monthly subscriptions: ${SUBSCRIPTIONS * CYCLES} charges by card and billet`,
  promises: [atMost(60, 'a year of cycles', (r) => figure(r, 'seconds'), 's')],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) tell({ seconds: await passYear() })
  },
}

interface Bench extends AsyncDisposable {
  readonly simulator: SimulatorProcess
  readonly folder: string
  /** Connections to an interface of the sandbox, with the first account's certificate and a token. */
  open(on: 'account' | 'payment' | 'charges', connections: number): Promise<Api>
}

interface Api {
  /** @throws for another status than 2xx */
  // biome-ignore lint/suspicious/noExplicitAny: answers are read, not typed
  ask(request: ApiRequest | (Omit<ApiRequest, 'method'> & { method: 'PUT' })): Promise<any>
}

const TOKEN_PATHS = { account: '/oauth/token', payment: '/v1/oauth/token', charges: '/v1/authorize' }

/** A simulator in a process of its own, with receivers that have the certificate of `folder`. */
async function startBench(): Promise<Bench> {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'portaria-bench-simulator-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  await makeDevelopmentCertificates(join(folder, 'certs'))
  const simulator = await spawnSimulator(folder, { receiverCa: join(folder, 'certs/server-ca.crt'), cores: CORES })
  opened.defer(() => simulator.stop())
  const { clientId, clientSecret, files } = simulator.applicationOf('sandbox')
  const ca = readFileSync(simulator.serverCa)
  const connect = { ca, cert: readFileSync(files.cert), key: readFileSync(files.key) }
  const closing = opened.move()

  async function open(on: keyof typeof TOKEN_PATHS, connections: number): Promise<Api> {
    const { origin, pathname } = new URL(simulator.baseOf('sandbox', on))
    const pool = new Pool(origin, { connect, connections })
    closing.defer(() => pool.destroy())
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
    const token = await pool.request({
      method: 'POST',
      path: pathname + TOKEN_PATHS[on],
      body: '{"grant_type":"client_credentials"}',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/json' },
    })
    const { access_token } = (await token.body.json()) as { access_token: string }
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    return {
      async ask({ method, path, body }) {
        const sent = body === undefined ? null : JSON.stringify(body)
        const answer = await pool.request({ method, path: pathname + path, headers, body: sent })
        const text = await answer.body.text()
        if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
        return JSON.parse(text)
      },
    }
  }
  return { simulator, folder, open, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

/** The first second is the warm-up. */
async function requestsPerSecond({ ask }: Api, wanted: ApiRequest): Promise<number> {
  const begin = performance.now() + 1000
  const end = begin + 4000
  let answered = 0
  async function askUntilEnd(): Promise<void> {
    while (performance.now() < end) {
      await ask(wanted)
      if (performance.now() >= begin) answered += 1
    }
  }
  await Promise.all(Array.from({ length: 16 }, askUntilEnd))
  return Math.round((answered * 1000) / (end - begin))
}

async function callbacksPerSecond(urls: number, each: number): Promise<number> {
  await using bench = await startBench()
  const { simulator, folder } = bench
  const receiver = await startServer('bare.ts', [trustSimulator(folder)])
  try {
    const payment = await bench.open('payment', 1)
    for (let number = 0; number < urls; number++) {
      const url = `https://localhost:${receiver.port}/${number}`
      await payment.ask({ method: 'PUT', path: '/v1/webhook', body: { url } })
    }
    await simulator.control('PUT', '/clock', { frozen: true })
    const startedAt = performance.now()
    for (let number = 0; number < each; number++) await simulator.control('POST', '/callbacks', { body: { number } })
    // A move of the clock ends when what was due is done.
    await simulator.control('POST', '/clock/advance', { by: '1s' })
    const seconds = (performance.now() - startedAt) / 1000
    const { callbacks } = await simulator.control('GET', '/callbacks?state=delivered&limit=9999')
    if (callbacks.length !== urls * each) throw new Error(`${callbacks.length} of ${urls * each} were delivered`)
    return Math.round((urls * each) / seconds)
  } finally {
    await receiver.stop()
  }
}

/** The bare server takes the callbacks of both environments. @returns the folder of its certificates */
function trustSimulator(folder: string): string {
  const certs = join(folder, 'receiver')
  mkdirSync(join(certs, 'trust'), { recursive: true })
  for (const file of ['server.crt', 'server.key']) copyFileSync(join(folder, 'certs', file), join(certs, file))
  for (const file of ['production.pem', 'sandbox.pem'])
    copyFileSync(join(folder, 'simulator/chains', file), join(certs, 'trust', file))
  return certs
}

/** Half of the subscriptions are paid by card, half by billet. Their creation takes no part in the time. */
async function passYear(): Promise<number> {
  await using bench = await startBench()
  const { control } = bench.simulator
  await control('PUT', '/clock', { now: START, frozen: true })
  const charges = await bench.open('charges', 8)
  const plan = await charges.ask({ method: 'POST', path: '/v1/plan', body: { name: 'Monthly', interval: 1 } })
  let created = 0
  async function createUntilEnough(): Promise<void> {
    while (created < SUBSCRIPTIONS) await subscribe(bench, charges, plan.data.plan_id, created++ % 2 === 0)
  }
  await Promise.all(Array.from({ length: 8 }, createUntilEnough))
  const startedAt = performance.now()
  await control('POST', '/clock/advance', { by: '365d' })
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  const { charges: all } = await control('GET', '/charges')
  if (all.length !== SUBSCRIPTIONS * (CYCLES + 1)) throw new Error(`there are ${all.length} charges`)
  return seconds
}

async function subscribe({ simulator }: Bench, charges: Api, plan: number, isByCard: boolean): Promise<void> {
  const { data } = await charges.ask({
    method: 'POST',
    path: `/v1/plan/${plan}/subscription`,
    body: { items: ITEMS },
  })
  const body = isByCard
    ? {
        credit_card: {
          customer: CUSTOMER,
          payment_token: (await simulator.control('POST', '/cards', {})).payment_token,
        },
      }
    : { banking_billet: { customer: CUSTOMER, expire_at: '2026-01-20' } }
  await charges.ask({ method: 'POST', path: `/v1/subscription/${data.subscription_id}/pay`, body: { payment: body } })
}
