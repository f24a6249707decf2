import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { createDispatcher } from '../../src/delivery/dispatcher.ts'
import { handedDeliveriesOf } from '../../src/delivery/handed-deliveries.ts'
import { createSender } from '../../src/delivery/send.ts'
import { compileAddressRules } from '../../src/domain/address-rules.ts'
import { openStore } from '../../src/store/open-store.ts'
import { certificateFor } from '../delivery/receiver.ts'
import { aCallback, aDestination } from '../support/builders.ts'
import { allEvents, callApi, callBack, keepAliveAgent } from '../support/calls.ts'
import {
  answering,
  answeringWithoutEnd,
  closing,
  dribbling,
  type Fault,
  hangingUp,
  silence,
  startFaultyReceiver,
  wrongCertificate,
} from '../support/faulty-receiver.ts'
import { createSite, recordingLog, type SpawnedGateway, spawnGateway, type TestSite } from '../support/gateway.ts'
import { violationsOf } from '../support/invariants.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const LONG_DUE = { stuckAfterMs: 20_000 }
const LIMIT_MS = 60_000

/**
 * What becomes of what a faulty destination gets. `kept`: its circuit opens, and everything waits behind it. `delivered`: the status was
 * good, and decides. `exhausted`: it answers, but never well, so the schedule is used up. `paused`: 410, kept until it is resumed.
 */
type End = 'kept' | 'delivered' | 'exhausted' | 'paused'

interface Trouble {
  readonly name: string
  readonly fault: Fault | null
  readonly end: End
  readonly isTls?: boolean
}

/** Answers when the caller has given up. */
const late: Fault = (socket) => {
  socket.once('end', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')).resume()
}

const ok = 'HTTP/1.1 200 OK\r\n'
const status = (line: string, headers = '') =>
  answering(`HTTP/1.1 ${line}\r\n${headers}connection: close\r\ncontent-length: 0\r\n\r\n`, 'close')

async function troubles(): Promise<Trouble[]> {
  const wrong = wrongCertificate(await certificateFor('localhost'))
  return [
    { name: 'down', fault: null, end: 'kept' },
    { name: 'silent', fault: silence, end: 'kept' },
    { name: 'late', fault: late, end: 'kept' },
    { name: 'dribbling', fault: dribbling, end: 'kept' },
    {
      name: 'endless-body',
      fault: answeringWithoutEnd(`${ok}transfer-encoding: chunked\r\n\r\n`, CHUNK, 5),
      end: 'delivered',
    },
    { name: 'endless-headers', fault: answeringWithoutEnd(ok, `x-more: ${'x'.repeat(1000)}\r\n`, 5), end: 'kept' },
    { name: 'endless-100', fault: answeringWithoutEnd('', 'HTTP/1.1 100 Continue\r\n\r\n', 20), end: 'kept' },
    { name: 'endless-102', fault: answeringWithoutEnd('', 'HTTP/1.1 102 Processing\r\n\r\n', 20), end: 'kept' },
    { name: 'garbage', fault: answering(Buffer.from([0, 255, 7, 13, 10, 13, 10, 1, 2, 3])), end: 'kept' },
    { name: 'hanging-up', fault: hangingUp, end: 'kept' },
    { name: 'closing', fault: closing, end: 'kept' },
    { name: 'closing-in-headers', fault: answering(`${ok}content-le`, 'close'), end: 'kept' },
    { name: 'closing-in-body', fault: answering(`${ok}content-length: 100\r\n\r\nthank`, 'close'), end: 'delivered' },
    { name: 'no-tls', fault: answering('220 mail.example ESMTP\r\n'), end: 'kept', isTls: true },
    { name: 'silent-tls', fault: silence, end: 'kept', isTls: true },
    { name: 'wrong-certificate', fault: wrong, end: 'kept', isTls: true },
    { name: 'failing', fault: status('500 Internal Server Error'), end: 'kept' },
    { name: 'busy', fault: status('429 Too Many Requests', 'retry-after: 1\r\n'), end: 'kept' },
    { name: 'redirecting', fault: status('302 Found', 'location: http://127.0.0.1:9/\r\n'), end: 'exhausted' },
    { name: 'not-found', fault: status('404 Not Found'), end: 'exhausted' },
    { name: 'gone', fault: status('410 Gone'), end: 'paused' },
  ]
}

const CHUNK = `4000\r\n${'x'.repeat(0x4000)}\r\n`

it('destinations in every kind of trouble cost healthy ones nothing, end as designed, and get everything once they are well', async () => {
  const site = await createSite({
    forwarding: {
      allowedNetworks: ['127.0.0.0/8', '::1'],
      schedule: ['0s', '100ms', '200ms'],
      timeout: '1s',
      catchUpRate: 'unlimited',
      circuit: { failures: 5, probeInterval: '500ms' },
    },
  })
  const file = join(site.folder, 'data/portaria.db')
  const gateway = await spawnGateway(site)
  const faulty = await Promise.all((await troubles()).map((trouble) => startTrouble(gateway, site, trouble)))
  const healthy = await Promise.all(
    ['well-1', 'well-2', 'well-3'].map((name) => startTrouble(gateway, site, { name, fault: null, end: 'delivered' })),
  )
  for (const { receiver } of healthy) await receiver.heal()

  await notify(gateway, site, { from: 0, count: 40 })
  await arrivedAt(healthy, 40)
  expect(violationsOf(file, { ...LONG_DUE, now: Date.now() }), 'while they were in trouble').toEqual([])

  for (const { name, end } of faulty) {
    const reached = await until(
      () => stateOf(file, name),
      (state) => hasEnded(state, end, 40),
      LIMIT_MS,
    ).catch(() => stateOf(file, name))
    expect(hasEnded(reached, end, 40), `${name} should be ${end}: ${JSON.stringify(reached)}`).toBe(true)
  }
  // What was sent while their circuits are open, or their probes run, is no one's trouble but their own either.
  await notify(gateway, site, { from: 40, count: 40 })
  await arrivedAt(healthy, 80)
  expect(violationsOf(file, { ...LONG_DUE, now: Date.now() }), 'when they had ended').toEqual([])

  await until(
    () => faulty.filter(({ end }) => end === 'exhausted').map(({ name }) => stateOf(file, name)),
    (states) => states.every((state) => hasEnded(state, 'exhausted', 80)),
    LIMIT_MS,
  )
  const used = faulty.map(({ name }) => [name, stateOf(file, name)] as const)
  for (const { receiver } of faulty) await receiver.heal()
  const events = await allEvents(gateway.api)
  for (const { name, end } of faulty) {
    if (end === 'paused') await ask(gateway, `/v1/destinations/${name}/resume`)
    if (end === 'exhausted')
      for (const { id } of events) await ask(gateway, `/v1/events/${id}/replay?destination=${name}`)
  }
  await until(
    () => [...faulty, ...healthy].map(({ name }) => [name, stateOf(file, name)] as const),
    (states) => states.every(([, { delivered }]) => delivered === 80),
    LIMIT_MS,
  )
  const missed = [...faulty, ...healthy].flatMap(({ name, end, receiver }) => {
    const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
    return end === 'delivered' && receiver.faults > 0
      ? []
      : events.filter(({ id }) => !ids.has(id)).map(({ id }) => `${name}: ${id}`)
  })
  expect({ events: events.length, missed }).toEqual({ events: 80, missed: [] })
  expect(violationsOf(file, { ...LONG_DUE, now: Date.now() }), 'when all were well').toEqual([])
  for (const { receiver } of healthy) expect(receiver.received).toHaveLength(80)
  console.log(used.map(([name, { attempts, steps }]) => `${name}: ${attempts} attempts, ${steps} steps`).join('\n'))
  gateway.process.kill('SIGTERM')
  expect(await gateway.exited).toBe(0)
})

async function startTrouble(gateway: SpawnedGateway, site: TestSite, { name, fault, end, isTls = false }: Trouble) {
  const tls = { cert: readFileSync(join(site.certs, 'server.crt')), key: readFileSync(join(site.certs, 'server.key')) }
  const receiver = await startFaultyReceiver({ fault, ...(isTls && { tls }) })
  const authorities = readFileSync(join(site.certs, 'server-ca.crt'), 'utf8')
  const where = isTls
    ? { url: `https://localhost:${receiver.port}/`, authorities }
    : { url: `http://127.0.0.1:${receiver.port}/` }
  await ask(gateway, '/v1/destinations', { name, ...where })
  return { name, end, receiver }
}

async function ask(gateway: SpawnedGateway, path: string, body: unknown = {}): Promise<void> {
  const answer = await callApi(gateway.api, path, { method: 'POST', body })
  expect(answer.status, `${path}: ${answer.body}`).toBeLessThan(300)
}

async function notify(gateway: SpawnedGateway, site: TestSite, { from, count }: { from: number; count: number }) {
  const agent = keepAliveAgent(site)
  const numbers = Array.from({ length: count }, (_, index) => from + index)
  const answers = await Promise.all(
    numbers.map((n) => callBack({ callbacks: gateway.callbacks, site }, { body: `{"identificador":"${n}"}`, agent })),
  )
  agent.destroy()
  expect(answers.map((answer) => answer.status)).toEqual(numbers.map(() => 200))
}

function arrivedAt(healthy: readonly { receiver: { received: readonly unknown[] } }[], count: number) {
  return until(
    () => healthy.map(({ receiver }) => receiver.received.length),
    (counts) => counts.every((n) => n === count),
    LIMIT_MS,
  )
}

interface State {
  readonly state: string
  readonly isOpen: number
  readonly waiting: number
  readonly delivered: number
  readonly exhausted: number
  readonly attempts: number
  readonly steps: number
}

function stateOf(file: string, name: string): State {
  const db = new Database(file, { readonly: true })
  try {
    return db
      .prepare(`
        select t.state, t.circuit_opened_at is not null as isOpen, sum(d.state in ('pending', 'blocked')) as waiting,
          sum(d.state = 'delivered') as delivered, sum(d.state = 'exhausted') as exhausted, sum(d.attempts) as attempts, sum(d.retries_used) as steps
        from destinations t join deliveries d on d.destination_id = t.id where t.name = ?`)
      .get(name) as State
  } finally {
    db.close()
  }
}

function hasEnded(is: State, end: End, count: number): boolean {
  if (end === 'kept') return is.isOpen === 1 && is.state === 'active' && is.waiting === count
  if (end === 'paused') return is.isOpen === 0 && is.state === 'paused' && is.waiting === count && is.steps === 0
  return is.isOpen === 0 && is.state === 'active' && is[end] === count
}

it('a name whose answer changes between check and connect reaches nothing that is forbidden, and gets everything once it is honest', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'portaria.db')
  const store = await openStore({ file, deduplicationWindowMs: 86_400_000, queue: { events: 1000, bytes: 1 << 24 } })
  const reached: string[] = []
  const ids = new Set<unknown>()
  // On every address: what the rules forbid, 127.0.0.2, would be reached if only somebody connected to it.
  const server = createServer((request, response) => {
    ids.add(request.headers['webhook-id'])
    response.setHeader('connection', 'close').end()
  })
  server.on('connection', (socket: Socket) => reached.push(String(socket.localAddress)))
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  onTestFinished(() => void server.close().closeAllConnections())

  let asked = 0
  let isHonest = false
  const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1', '127.0.0.2'], ['127.0.0.2', '127.0.0.1'], []]
  const resolve = async () => (isHonest ? ['127.0.0.1'] : (answers[asked++ % answers.length] ?? []))
  const sender = createSender({
    rules: compileAddressRules(['127.0.0.1']),
    version: '0',
    instance: 'portaria-test',
    now: Date.now,
    resolve,
  })
  const dispatcher = createDispatcher({
    store,
    sender,
    log: recordingLog([]),
    now: Date.now,
    random: Math.random,
    policy: { schedule: Array<number>(50).fill(10), jitter: 0, maxAgeMs: 3_600_000, retryAfterLimitMs: 100 },
    circuit: { failures: 5, probeIntervalMs: 20 },
    catchUpRate: null,
    sendBlockedReason: () => null,
  })
  const url = `http://rebinding.example:${(server.address() as AddressInfo).port}/`
  const { id } = await store.createDestination(aDestination({ url, timeoutMs: 2000 }), Date.now())
  await dispatcher.refresh()
  for (let n = 0; n < 100; n++) {
    const callback = aCallback({ text: `{"n":${n}}`, receivedAt: Date.now() })
    dispatcher.send(handedDeliveriesOf(callback, await store.storeCallback(callback)))
    dispatcher.wake([id])
  }
  await until(() => asked > 100, Boolean, LIMIT_MS)
  expect(violationsOf(file, { ...LONG_DUE, now: Date.now() })).toEqual([])
  isHonest = true
  await until(() => stateOf(file, 'books').delivered === 100, Boolean, LIMIT_MS)
  await dispatcher.stop(0)
  await store.close()
  expect({ arrived: ids.size, reached: [...new Set(reached)] }).toEqual({ arrived: 100, reached: ['127.0.0.1'] })
  expect(violationsOf(file, { ...LONG_DUE, now: Date.now() })).toEqual([])
})
