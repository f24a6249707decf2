import { readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, inject, it, onTestFinished } from 'vitest'
import { allEvents, callApi, callBack, keepAliveAgent } from '../support/calls.ts'
import { BASE_CALLBACKS, createSite, type SpawnedGateway, spawnGateway, type TestSite } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const MIB = 1024 ** 2
const CALLERS = 4
const WAITING = 300
/** How often each hostile answer is given. */
const ROUNDS = 4
/** One without an end occupies a query for 20 s, the limit of a request. */
const ENDLESS_ROUNDS = 2
/** Twice of what was measured: sixteen queries are under way at once, and half of them have 10,000 entries. */
const MOST_GROWTH_MIB = 700
/** Four times what was measured on a busy machine. */
const LONGEST_CALLBACK_MS = 8_000

type Answer = (response: ServerResponse) => void

function answering(body: string | Buffer, headers: Record<string, string> = {}): Answer {
  return (response) => void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)
}

function entries(count: number, more = ''): string {
  return `{"data":[${Array.from({ length: count }, (_, index) => `{"id":${index + 1}${more}}`)}]}`
}

function* manyEntries(bytes: number): Generator<string> {
  const chunk = '{"id":1},'.repeat(7_000)
  yield '{"data":['
  for (let left = bytes; left > 0; left -= chunk.length) yield chunk
  yield '{"id":1}]}'
}

const TINY = entries(74_000)
/** The most entries that are taken, in nearly 1 MiB. */
const MOST = answering(entries(10_000, `,"note":"${'x'.repeat(76)}"`))

const HOSTILE: Readonly<Record<string, Answer>> = {
  'of 64 MiB': (response) => void Readable.from(manyEntries(64 * MIB)).pipe(response.writeHead(200)),
  'without an end': (response) => {
    const timer = setInterval(() => response.write(' '), 50)
    response.once('close', () => clearInterval(timer)).write('{"data":[')
  },
  compressed: answering(gzipSync(TINY), { 'content-encoding': 'gzip' }),
  nested: answering('['.repeat(MIB)),
  'of tiny entries': answering(TINY),
  'that is cut': (response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{"data":[', () => reset(response))
  },
}

const WELL_BEHAVED = [1, 2, 3].map((id) => ({ id, identifiers: { charge_id: 4711 }, status: { current: `s${id}` } }))

it('hostile answers of the service cost no callback, no event and little memory', async () => {
  const service = await startHostileService()
  const site = await createSiteFor(service.url)
  const gateway = await spawnGateway(site)
  const at = { site, callbacks: gateway.callbacks }
  const callbacks = startCalling(at)
  await until(() => callbacks.answered.length >= 50)
  const memory = followMemory(gateway)

  const waiting = Array.from({ length: WAITING }, (_, index) => `charge-${index}`)
  await sendTokens(at, waiting)
  const isDone = () => Object.entries(service.counts).every(([name, count]) => count >= roundsOf(name))
  await until(isDone, Boolean, 120_000)
  expect((await callApi(gateway.api, '/healthz', { token: null })).status).toBe(200)
  service.behave()
  await sendTokens(at, ['well-behaved'])
  const resolved = () => allEvents(gateway.api, '&kind=charge&subject=4711')
  await until(async () => (await resolved()).length >= WELL_BEHAVED.length, Boolean, 60_000)
  await sendTokens(at, ['well-behaved'])
  await until(() => service.behaved() >= 2, Boolean, 60_000)
  await callbacks.stop()

  const statuses = callbacks.answered.map(({ status }) => status)
  const longestMs = Math.round(Math.max(...callbacks.answered.map(({ ms }) => ms)))
  console.log(JSON.stringify({ callbacks: statuses.length, longestMs, ...memory, ...service.counts }))
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  expect(longestMs).toBeLessThan(LONGEST_CALLBACK_MS)
  expect(memory.peakMiB - memory.beforeMiB).toBeLessThan(MOST_GROWTH_MIB)
  expect((await resolved()).map(({ status }) => status)).toEqual(['s1', 's2', 's3'])
}, 240_000)

/** Answers queries of tokens with one hostile answer and one that is only large, in turn, until it behaves. */
async function startHostileService() {
  const counts = Object.fromEntries(Object.keys(HOSTILE).map((name) => [name, 0]))
  let turn = 0
  let isHostile = true
  let behaved = 0
  function answerQuery(token: string, response: ServerResponse): void {
    if (!isHostile && token !== 'well-behaved') return void response.writeHead(404).end('{}')
    if (!isHostile) {
      behaved++
      return answering(JSON.stringify({ data: WELL_BEHAVED }))(response)
    }
    if (++turn % 2 === 1) return MOST(response)
    const names = Object.keys(HOSTILE).filter((one) => (counts[one] ?? 0) < roundsOf(one))
    const name = names[Math.floor(turn / 2) % names.length]
    if (name === undefined) return MOST(response)
    counts[name] = (counts[name] ?? 0) + 1
    HOSTILE[name]?.(response)
  }
  const tls = {
    cert: readFileSync(join(inject('testCa'), 'server.crt')),
    key: readFileSync(join(inject('testCa'), 'server.key')),
  }
  const server = createServer(tls, (request, response) => {
    request.resume()
    const token = /^\/v1\/notification\/(.+)$/.exec(request.url ?? '')?.[1]
    if (token !== undefined) answerQuery(token, response)
    else answering('{"access_token":"token-of-the-hostile-service","expires_in":600}')(response)
  })
  server.on('connection', (socket: Socket) => void tcpSockets.set(socket.remotePort, socket))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `https://localhost:${port}`,
    counts,
    /** Answers about the token `well-behaved`. */
    behaved: () => behaved,
    behave() {
      isHostile = false
    },
  }
}

/** By their ports: only the socket below TLS can be reset. */
const tcpSockets = new Map<number | undefined, Socket>()

function reset({ socket }: ServerResponse): void {
  tcpSockets.get(socket?.remotePort)?.resetAndDestroy()
}

function roundsOf(name: string): number {
  return name === 'without an end' ? ENDLESS_ROUNDS : ROUNDS
}

async function createSiteFor(url: string): Promise<TestSite> {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'client-secret'), 'secret-of-the-campaign', { mode: 0o600 })
  const kinds = { ...BASE_CALLBACKS.kinds, charge: { path: '/callbacks/charge' } }
  const service = {
    environment: 'production',
    clientId: 'client-of-the-campaign',
    clientSecret: 'client-secret',
    authorities: 'certs/server-ca.crt',
    baseAddresses: { charges: url },
  }
  return createSite({ callbacks: { ...BASE_CALLBACKS, kinds }, service: [service] }, folder)
}

interface Calling extends Pick<SpawnedGateway, 'callbacks'> {
  readonly site: TestSite
}

async function sendTokens(gateway: Calling, tokens: readonly string[]): Promise<void> {
  const agent = keepAliveAgent(gateway.site)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const send = (token: string) =>
    callBack(gateway, { agent, path: '/callbacks/charge', headers, body: `notification=${token}` })
  const answers = await Promise.all(tokens.map(send))
  agent.destroy()
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
}

/** Payments from four callers, one after the other, until it is stopped. */
function startCalling(gateway: Calling) {
  const answered: { readonly status: number; readonly ms: number }[] = []
  const agent = keepAliveAgent(gateway.site, CALLERS)
  let isStopped = false
  async function call(caller: number): Promise<void> {
    for (let number = 0; !isStopped; number++) {
      const from = performance.now()
      const { status } = await callBack(gateway, { agent, body: `{"identificador":"c${caller}-${number}"}` })
      answered.push({ status, ms: performance.now() - from })
      await wait(5)
    }
  }
  const callers = Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)))
  // A failure is that of `stop`.
  callers.catch(() => undefined)
  return {
    answered,
    async stop() {
      isStopped = true
      await callers
      agent.destroy()
    },
  }
}

/** Measured until the test is over. */
function followMemory({ process: { pid } }: SpawnedGateway) {
  const rssMiB = () =>
    Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
  const memory = { beforeMiB: rssMiB(), peakMiB: 0 }
  const timer = setInterval(() => {
    memory.peakMiB = Math.max(memory.peakMiB, rssMiB())
  }, 100)
  onTestFinished(() => clearInterval(timer))
  return memory
}
