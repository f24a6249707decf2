import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { paymentBody, paymentOf } from './payments.ts'

/**
 * The service, as many connections at once: prepared bytes on raw TLS sockets, each connection sends its next request when the answer to
 * the last one has come. Runs as a process of its own: argv is one JSON object, the result is one JSON line.
 */
export interface LoadOptions {
  readonly port: number
  readonly certs: string
  readonly connections: number
  readonly warmUpMs: number
  readonly measureMs: number
  readonly bodyBytes: number
  /** Default: payment. `charge` and `token` are of kind charge: JSON, and a token form. `values`: as many values in 1 KB as the service sends. */
  readonly content?: keyof typeof CONTENTS | 'values'
  /** Requests a second over all connections; 0: as fast as the answers come. */
  readonly rate: number
  /** A full handshake for every request. */
  readonly reconnect: boolean
  /** Ends after so many requests, which are all measured. Default: `measureMs` ends it. */
  readonly requests?: number
  /** The server is going to crash: connections may end, and the numbers of the acknowledged callbacks are written to this file, one a line. */
  readonly acknowledgedFile?: string
}

export interface LoadResult {
  readonly answered: number
  readonly refused: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The longest time without an answer on any connection. */
  readonly longestGapMs: number
  /** Answers with 200 in the whole run, also before and after the measured part. */
  readonly acknowledged: number
}

const DIGITS = 12

/** The text before and behind the number of a callback, which is followed by a filler. */
const CONTENTS = {
  payment: {
    path: '/callbacks/payment',
    type: 'application/json',
    start: '{"identificador":"',
    middle:
      '","status":{"anterior":"EXECUTADO","atual":"LIQUIDADO"},"valor":"150.10","horario":{"solicitacao":"2026-01-15 12:00:00"},"extras":"',
    end: '"}',
  },
  charge: {
    path: '/callbacks/charge',
    type: 'application/json',
    start: '{"charge_id":"',
    middle: '","status":"paid","custom_id":"',
    end: '"}',
  },
  token: {
    path: '/callbacks/charge',
    type: 'application/x-www-form-urlencoded',
    start: 'notification=',
    middle: '',
    end: '',
  },
} as const

export async function generateLoad(options: LoadOptions): Promise<LoadResult> {
  const tls = {
    host: '127.0.0.1',
    port: options.port,
    servername: 'localhost',
    ca: readFileSync(`${options.certs}/server-ca.crt`),
    cert: readFileSync(`${options.certs}/service/production-client.crt`),
    key: readFileSync(`${options.certs}/service/production-client.key`),
  }
  const prepared = prepareRequests(options)
  const latencies: number[] = []
  let answered = 0
  let refused = 0
  let acknowledged = 0
  const numbers: string[] | undefined = options.acknowledgedFile === undefined ? undefined : []
  let lastAnswerAt = 0
  let longestGapMs = 0
  let isMeasuring = false
  let isOver = false
  // Distinct in every run, so that nothing is a duplicate.
  let sequence = (Date.now() % 1_000_000) * 1_000_000

  function openConnection(): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect(tls, () => resolve(socket))
      socket.setNoDelay(true)
      socket.once('error', reject)
    })
  }

  function exchange(socket: TLSSocket, number: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const { bytes: template, sequenceAt } = prepared[number % prepared.length] as Prepared
      const bytes = Buffer.from(template)
      const digits = String(number).padStart(DIGITS, '0')
      for (const at of sequenceAt) bytes.write(digits, at, 'latin1')
      let seen = ''
      const onData = (chunk: Buffer) => {
        seen += chunk.toString('latin1')
        const end = seen.indexOf('\r\n\r\n')
        if (end === -1) return
        const length = Number(/content-length: (\d+)/i.exec(seen)?.[1] ?? 0)
        if (seen.length < end + 4 + length) return
        socket.off('data', onData)
        resolve(Number(seen.slice(9, 12)))
      }
      socket.on('data', onData)
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('closed')))
      socket.write(bytes)
    })
  }

  async function runConnection(): Promise<void> {
    let socket = await openConnection()
    while (!isOver) {
      if (options.rate > 0) await pause((options.connections * 1000 * 2 * Math.random()) / options.rate)
      const startedAt = performance.now()
      if (options.reconnect) {
        socket.destroy()
        socket = await openConnection()
      }
      const number = sequence++
      const status = await exchange(socket, number)
      socket
        .removeAllListeners('error')
        .removeAllListeners('close')
        .on('error', () => undefined)
      if (status === 200) {
        acknowledged++
        numbers?.push(String(number).padStart(DIGITS, '0'))
      }
      if (isMeasuring) count(status, performance.now() - startedAt)
    }
    socket.destroy()
  }

  function count(status: number, latencyMs: number): void {
    if (status === 200) answered++
    else refused++
    latencies.push(latencyMs)
    const now = performance.now()
    longestGapMs = Math.max(longestGapMs, now - lastAnswerAt)
    lastAnswerAt = now
    if (latencies.length === options.requests) isOver = true
  }

  const running = Array.from({ length: options.connections }, () =>
    numbers === undefined ? runConnection() : runConnection().catch(() => undefined),
  )
  await pause(options.warmUpMs)
  isMeasuring = true
  const from = performance.now()
  lastAnswerAt = from
  await (options.requests === undefined ? pause(options.measureMs) : Promise.all(running))
  isMeasuring = false
  const seconds = (performance.now() - from) / 1000
  isOver = true
  await Promise.allSettled(running)
  if (options.acknowledgedFile !== undefined) writeFileSync(options.acknowledgedFile, (numbers ?? []).join('\n'))
  latencies.sort((a, b) => a - b)
  const rounded = (ms: number) => Math.round(ms * 1000) / 1000
  const at = (share: number) => rounded(latencies[Math.floor(latencies.length * share)] ?? 0)
  return {
    answered,
    refused,
    perSecond: Math.round(answered / seconds),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    longestGapMs: rounded(longestGapMs),
    acknowledged,
  }
}

interface Prepared {
  readonly bytes: Buffer
  /** Where the number of the callback is written. */
  readonly sequenceAt: readonly number[]
}

/** Bodies that take turns. */
const VARIANTS = 200

function prepareRequests({ bodyBytes, content = 'payment' }: LoadOptions): Prepared[] {
  if (content === 'values') return Array.from({ length: VARIANTS }, (_, n) => prepareWithValues(n))
  const { path, type, start, middle, end } = CONTENTS[content]
  const filler = 'x'.repeat(Math.max(0, bodyBytes - start.length - DIGITS - middle.length - end.length))
  const body = Buffer.from(`${start}${'0'.repeat(DIGITS)}${middle}${filler}${end}`)
  return [prepareRequest(path, type, { body, sequenceAt: [start.length] })]
}

function prepareRequest(path: string, type: string, { body, sequenceAt }: { body: Buffer; sequenceAt: number[] }) {
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\nuser-agent: service/1.0\r\ncontent-length: ${body.length}\r\n\r\n`
  return { bytes: Buffer.concat([Buffer.from(head), body]), sequenceAt: sequenceAt.map((at) => head.length + at) }
}

/** What differs between any two payments ends with the number of the callback. */
function prepareWithValues(n: number): Prepared {
  const { id, txid, endToEndId, ...rest } = paymentOf(n)
  const number = '#'.repeat(DIGITS)
  const withNumber = (text: string) => `${text.slice(0, -DIGITS)}${number}`
  const ids = { id: withNumber(id), txid: withNumber(txid), endToEndId: withNumber(endToEndId) }
  const body = paymentBody({ ...rest, ...ids })
  const sequenceAt: number[] = []
  for (let at = body.indexOf(number); at !== -1; at = body.indexOf(number, at + DIGITS)) sequenceAt.push(at)
  return prepareRequest('/callbacks/payment', 'application/json', { body, sequenceAt })
}

if (import.meta.main) {
  const result = await generateLoad(JSON.parse(process.argv[2] ?? '{}') as LoadOptions)
  process.stdout.write(`${JSON.stringify(result)}\n`)
  process.exit(0)
}
