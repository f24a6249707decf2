import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { callBack } from '../support/calls.ts'
import {
  BASE_CALLBACKS,
  createSite,
  type SpawnedGateway,
  serviceCredentials,
  spawnGateway,
  type TestSite,
} from '../support/gateway.ts'
import { scrape } from '../support/metrics.ts'
import { until } from '../support/until.ts'

const MIB = 1024 ** 2
/** A quarter of the defaults: the same numbers of bodies, in less time. */
const [BODY_BYTES, QUEUE_BYTES] = [MIB / 4, 16 * MIB]
/** What the garbage collector may leave for later. */
const UNCOLLECTED_BYTES = 64 * MIB
/** What a connection takes by itself. */
const CONNECTION_BYTES = 32 * 1024
const TINY_CHUNKS = 128 * 1024
const TOKEN = randomBytes(32).toString('hex')
/** Plain connections on the charge listener, and TLS connections of the service. */
const [PLAIN, TLS] = [1800, 100]
const ALL_BUT_ONE_BYTE = Buffer.alloc(BODY_BYTES - 1, 'x')

interface Caller {
  readonly socket: Socket
  answer: string
}

async function startSite(): Promise<TestSite> {
  const site = await createSite({
    callbacks: { ...BASE_CALLBACKS, limits: { maxConnections: 4000, requestTimeout: '15s', body: '256KiB' } },
    storage: { url: 'sqlite:data/portaria.db', minFreeSpace: '256MiB', queue: { bytes: '16MiB' } },
    chargeNotifications: {
      host: '127.0.0.1',
      port: 0,
      allowedAddresses: ['127.0.0.0/8'],
      tokens: [{ environment: 'production', tokenFile: 'token' }],
    },
    api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', metrics: 'open' },
  })
  writeFileSync(join(site.folder, 'token'), `${TOKEN}\n`, { mode: 0o600 })
  return site
}

/** What a process has in memory, in bytes. */
function memoryOf(gateway: SpawnedGateway): number {
  const status = readFileSync(`/proc/${gateway.process.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

function follow(socket: Socket): Caller {
  onTestFinished(() => void socket.destroy())
  const caller = { socket, answer: '' }
  socket.on('data', (chunk: Buffer) => {
    caller.answer += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  return caller
}

const statusOf = ({ answer }: Caller) => /^HTTP\/1\.1 ([0-9]{3})/.exec(answer)?.[1] ?? 'none'

/** A connection from one of 32 addresses. */
async function open(gateway: SpawnedGateway, site: TestSite, index: number): Promise<Caller> {
  const at = { host: '127.0.0.1', localAddress: `127.0.0.${2 + (index % 32)}` }
  const isPlain = index < PLAIN
  const socket = isPlain
    ? connect({ ...at, port: gateway.charges?.port ?? 0 })
    : connectTls({ ...at, port: gateway.callbacks.port, servername: 'localhost', ...serviceCredentials(site) })
  await once(socket, isPlain ? 'connect' : 'secureConnect')
  return follow(socket)
}

function sendHalf({ socket }: Caller): Promise<unknown> {
  const target = 'encrypted' in socket ? '/callbacks/payment' : `/charges/${TOKEN}`
  socket.write(`POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`)
  return new Promise((sent) => socket.write(ALL_BUT_ONE_BYTE, sent))
}

const bodyBytes = async (gateway: SpawnedGateway) => (await scrape(gateway)).portaria_request_body_bytes

it('1,900 half-sent bodies take the memory of the queue, not their own, and leave good callers theirs', async () => {
  const site = await startSite()
  const gateway = await spawnGateway(site)
  const good = { callbacks: gateway.callbacks, site }
  // Memory that a process which receives takes once and for all.
  const dropped = { body: ALL_BUT_ONE_BYTE, headers: { 'content-encoding': 'gzip' } }
  for (let i = 0; i < 200; i++) await callBack(good, dropped).catch(() => undefined)
  const before = memoryOf(gateway)

  let peak = before
  const callers: Caller[] = []
  const statuses: number[] = []
  for (let index = 0; index < PLAIN + TLS; index++) {
    const caller = await open(gateway, site, index)
    callers.push(caller)
    await sendHalf(caller)
    peak = Math.max(peak, memoryOf(gateway))
    if (index % 20 === 0) statuses.push((await callBack(good, { body: `{"identificador":"${index}"}` })).status)
    if (index % 100 === 0) expect(await bodyBytes(gateway)).toBeLessThanOrEqual(QUEUE_BYTES)
  }

  expect(peak - before).toBeLessThan(2 * QUEUE_BYTES + UNCOLLECTED_BYTES + callers.length * CONNECTION_BYTES)
  expect(new Set(statuses.filter((status) => status !== 200))).toEqual(new Set(statuses.includes(503) ? [503] : []))
  // A caller that is refused learns it at once, and nothing is held for it.
  await until(() => callers.filter((caller) => statusOf(caller) === 'none').length <= QUEUE_BYTES / BODY_BYTES)
  await until(() => callers.every(({ socket }) => socket.closed), Boolean, 40_000)
  const ends = callers.map(statusOf)
  expect(new Set(ends)).toEqual(new Set(['503', '408']))
  expect(await bodyBytes(gateway)).toBe(0)
  const whole = await callBack(good, { body: `["${'y'.repeat(BODY_BYTES - 4)}"]` })
  expect(whole.status).toBe(200)
})

it('bodies in chunks of one byte take little more memory than their bytes', async () => {
  const site = await startSite()
  const gateway = await spawnGateway(site)
  // The garbage of receiving so many chunks, which the process takes once and for all.
  await receiveTinyChunks(gateway, () => Promise.resolve())
  const before = memoryOf(gateway)
  await receiveTinyChunks(gateway, async () => {
    expect(memoryOf(gateway) - before).toBeLessThan(UNCOLLECTED_BYTES)
  })
})

/** Sends four bodies in chunks of one byte, and ends them after `held`. Kept as they came, the chunks would take 150 MiB. */
async function receiveTinyChunks(gateway: SpawnedGateway, held: () => Promise<void>): Promise<void> {
  const head = `POST /charges/${TOKEN} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`
  const chunks = Buffer.from('1\r\nx\r\n'.repeat(TINY_CHUNKS))
  const callers = Array.from({ length: 4 }, () => {
    return follow(connect({ host: '127.0.0.1', port: gateway.charges?.port ?? 0 }))
  })
  for (const { socket } of callers) socket.write(head)
  for (const { socket } of callers) socket.write(chunks)
  await until(async () => (await bodyBytes(gateway)) === 4 * TINY_CHUNKS)
  await held()
  for (const { socket } of callers) socket.write('0\r\n\r\n')
  await until(() => callers.every((caller) => statusOf(caller) === '200'))
  expect(await bodyBytes(gateway)).toBe(0)
}
