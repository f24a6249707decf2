import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls, type TLSSocket } from 'node:tls'

/**
 * Pollers that wait for the same event: prepared bytes on raw sockets, so that the generator costs little beside the gateway.
 * Runs as a process of its own: argv is one JSON object, the result is one JSON line.
 */
export interface PollOptions {
  readonly apiPort: number
  /** Of the gateway: the CPU time of its threads is read. */
  readonly pid: number
  readonly port: number
  readonly certs: string
  readonly pollers: number
  /** Access tokens, used in turn: no client may have more than a tenth of the places. */
  readonly tokens: readonly string[]
  /** How often all wait and are woken by one event. */
  readonly wakeUps: number
}

export interface WakeUp {
  /** From the answer to the callback until the last answer has arrived. */
  readonly lastMs: number
  readonly firstMs: number
  /** CPU of the gateway's main thread meanwhile, and of all its threads. */
  readonly mainMs: number
  readonly cpuMs: number
}

/** Requests that are answered behind all that wait. */
const SENTINELS = 3
const PAUSE_MS = 500

export async function measureWakeUps(options: PollOptions): Promise<readonly WakeUp[]> {
  const pollers = await openAll(options)
  const results: WakeUp[] = []
  let next = 'latest'
  for (let i = 0; i < options.wakeUps; i++) {
    const answers = poll(pollers, options, next)
    await allWait(options)
    const service = await connectService(options)
    const before = cpuTimes(options.pid)
    await sendCallback(service, i)
    const from = performance.now()
    const { firstAt, lastAt, texts } = await answers.all
    const after = cpuTimes(options.pid)
    service.destroy()
    next = requireAlike(texts)
    const rounded = (ms: number) => Math.round(ms * 10) / 10
    results.push({
      lastMs: rounded(lastAt - from),
      firstMs: rounded(firstAt - from),
      mainMs: rounded(after.main - before.main),
      cpuMs: rounded(after.all - before.all),
    })
  }
  for (const { socket } of pollers) socket.destroy()
  return results
}

/**
 * A connection that keeps the bytes of an answer as they come. Answers are read when all have come: a generator that reads each at once uses as much
 * CPU time as the gateway, and its time would be part of the figures.
 */
interface Poller {
  readonly socket: Socket
  readonly answer: Buffer
  length: number
  onBytes: (poller: Poller) => void
  onClose: () => void
}

/** For all connections: Node calls back before it reads from the next one. */
const RECEIVED = Buffer.allocUnsafe(64 * 1024)
/** More than a head and one event take. */
const ANSWER_BYTES = 8 * 1024

/** Each is authenticated at once: the gateway closes unauthenticated connections where they have half of the places. */
async function openAll({ apiPort, pollers, tokens }: PollOptions): Promise<Poller[]> {
  const opened: Poller[] = []
  while (opened.length < pollers) {
    const poller = openPoller(apiPort)
    const answered = new Promise((resolve) => (poller.onBytes = resolve))
    poller.socket.write(requestOf('limit=1', tokens, opened.length))
    await answered
    opened.push(poller)
  }
  return opened
}

function openPoller(port: number): Poller {
  function receive(length: number): boolean {
    RECEIVED.copy(poller.answer, poller.length, 0, length)
    poller.length += length
    poller.onBytes(poller)
    return true
  }
  const socket = connect({ port, host: '127.0.0.1', onread: { buffer: RECEIVED, callback: receive } }).setNoDelay(true)
  const callbacks = { onBytes: () => undefined, onClose: () => undefined }
  const poller: Poller = { socket, answer: Buffer.alloc(ANSWER_BYTES), length: 0, ...callbacks }
  socket.once('close', () => poller.onClose())
  return poller
}

function requestOf(query: string, tokens: readonly string[], index: number): string {
  const token = tokens[index % tokens.length]
  return `GET /v1/events?${query} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`
}

/** The gateway reads in turn: it answers a request that was sent later when it has looked for all earlier ones. */
async function allWait(options: PollOptions): Promise<void> {
  for (let i = 0; i < SENTINELS; i++) {
    const [sentinel] = await openAll({ ...options, pollers: 1 })
    sentinel?.socket.destroy()
    await pause(PAUSE_MS)
  }
}

/** Sends a request on each connection. */
function poll(pollers: readonly Poller[], { tokens }: PollOptions, after: string) {
  const done = Promise.withResolvers<{ firstAt: number; lastAt: number; texts: readonly string[] }>()
  const onClose = () => done.reject(new Error('a poller was closed'))
  let [firstAt, left, length] = [0, pollers.length, 0]

  function onBytes(poller: Poller): void {
    firstAt ||= performance.now()
    // All answers are equally long: only the first one is read at once.
    length ||= lengthOf(textOf(poller))
    const isComplete = poller.length >= length
    if (isComplete && --left === 0) done.resolve({ firstAt, lastAt: performance.now(), texts: pollers.map(textOf) })
  }

  pollers.forEach((poller, index) => {
    Object.assign(poller, { length: 0, onBytes, onClose })
    poller.socket.write(requestOf(`wait=30&after=${after}`, tokens, index))
  })
  return { all: done.promise }
}

function textOf({ answer, length }: Poller): string {
  return answer.toString('latin1', 0, length)
}

/** Of an answer with its head. NaN: its head is incomplete. */
function lengthOf(text: string): number {
  const end = text.indexOf('\r\n\r\n')
  return end === -1 ? Number.NaN : end + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
}

/** The cursor of the next page. @throws unless each answer has the one new event */
function requireAlike(texts: readonly string[]): string {
  const bodies = new Set(texts.map((text) => text.slice(text.indexOf('\r\n\r\n') + 4)))
  const [body = ''] = bodies
  if (bodies.size !== 1) throw new Error(`the pollers got ${bodies.size} different answers: ${[...bodies][1]}`)
  const { data, next } = JSON.parse(body) as { data?: readonly unknown[]; next: string }
  if (data?.length !== 1) throw new Error(`not one event: ${texts[0]?.slice(0, 500)}`)
  return next
}

async function connectService({ port, certs }: PollOptions): Promise<TLSSocket> {
  const socket = connectTls({
    host: '127.0.0.1',
    port,
    servername: 'localhost',
    ca: readFileSync(`${certs}/server-ca.crt`),
    cert: readFileSync(`${certs}/service/production-client.crt`),
    key: readFileSync(`${certs}/service/production-client.key`),
  })
  await once(socket, 'secureConnect')
  return socket
}

async function sendCallback(socket: TLSSocket, n: number): Promise<void> {
  const body = `{"identificador":"${Date.now()}-${n}","status":"LIQUIDADO","extras":"${'x'.repeat(900)}"}`
  const head = `POST /callbacks/payment HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  socket.write(head + body)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (!answer.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error(answer.toString('latin1'))
}

/** CPU time so far, in ms. */
function cpuTimes(pid: number): { readonly main: number; readonly all: number } {
  const ofThread = (id: number | string) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  const threads = readdirSync(`/proc/${pid}/task`)
  return { main: ofThread(pid), all: threads.reduce((sum, id) => sum + ofThread(id), 0) }
}

if (import.meta.main) {
  const results = await measureWakeUps(JSON.parse(process.argv[2] ?? '{}') as PollOptions)
  process.stdout.write(`${JSON.stringify(results)}\n`)
  process.exit(0)
}
