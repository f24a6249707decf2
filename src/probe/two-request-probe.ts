import type { ClientRequest, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { performance } from 'node:perf_hooks'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import {
  type Ending,
  judgeTogether,
  judgeWithCertificate,
  judgeWithoutCertificate,
  PROBED_TLS_VERSIONS,
  type ProbedRequest,
  type ProbeRow,
  type TlsVersion,
} from '../domain/refusal-rules.ts'
import { PortariaError } from '../platform/errors.ts'
import { request as httpRequest } from '../platform/http.ts'
import { readServerSafely } from '../platform/peer-certificates.ts'
import { say } from '../platform/said.ts'
import { endingOfError, NO_CONNECTION, type Phase } from './ending-of-error.ts'
import { describeCertificate, distrustText, hostOf, type ServerCertificate } from './server-certificate.ts'

export const PROBE_BODY = '{"evento":"teste_webhook"}'
export const PROBE_TIMEOUT_MS = 60_000

const CONNECT_TIMEOUT_MS = 10_000
const ANSWER_LIMIT_BYTES = 1024 * 1024

export interface ProbeOptions {
  /** An https: URL. */
  readonly url: URL
  /** The client certificate, PEM, full chain. */
  readonly certificate: string
  /** Its private key, PEM. */
  readonly privateKey: string
  /** Trusted authorities of the server certificate, PEM; null: the public ones. */
  readonly authorities: readonly string[] | null
  /** Accepts any server certificate. */
  readonly isInsecure: boolean
  readonly body: Uint8Array
  /** Time limit of each request, from connecting to the end of the answer. */
  readonly timeoutMs: number
  /** Gives the port to connect from, for each connection; left out, or undefined: any. */
  readonly reservePort?: () => Promise<number | undefined>
  /** Called when a request begins. */
  readonly onRequest?: (planned: PlannedRequest) => void
}

export interface ProbeReport {
  readonly url: string
  readonly ok: boolean
  readonly rows: readonly ProbeRow[]
  /** null: no handshake got that far. */
  readonly serverCertificate: ServerCertificate | null
}

export interface PlannedRequest {
  readonly request: ProbedRequest
  readonly tlsVersion: TlsVersion
}

interface Exchange {
  readonly ending: Ending
  readonly serverCertificate: ServerCertificate | null
}

/**
 * Makes the service's two requests in TLS 1.2 and in TLS 1.3, one after the other, each on a new connection and TLS session. The rows report
 * failures of the server.
 *
 * @throws the signal's reason when aborted; PortariaError `trust_missing` for an empty list of authorities; errors of node:tls for a certificate and
 * key that do not match
 */
export async function probeEndpoint(options: ProbeOptions, signal?: AbortSignal): Promise<ProbeReport> {
  // For Node an empty list means all public authorities.
  if (options.authorities?.length === 0)
    throw new PortariaError('trust_missing', say`The list of authorities is empty: give at least one certificate`)
  const rows: ProbeRow[] = []
  let serverCertificate: ServerCertificate | null = null
  for (const planned of planRequests()) {
    options.onRequest?.(planned)
    const startedAt = performance.now()
    const localPort = await options.reservePort?.()
    const exchange = await makeRequest({ ...options, localPort }, planned, signal)
    const judge = planned.request === 'with certificate' ? judgeWithCertificate : judgeWithoutCertificate
    const verdict = judge(exchange.ending)
    rows.push({ ...planned, ...verdict, durationMs: Math.round(performance.now() - startedAt) })
    serverCertificate ??= exchange.serverCertificate
  }
  const judged = judgeTogether(rows)
  return { url: options.url.href, ok: judged.every((row) => row.ok), rows: judged, serverCertificate }
}

function planRequests(): PlannedRequest[] {
  const requests: ProbedRequest[] = ['without certificate', 'with certificate']
  return requests.flatMap((request) => PROBED_TLS_VERSIONS.map((tlsVersion) => ({ request, tlsVersion })))
}

/** The state of a request under way. */
interface Progress {
  phase: Phase
  serverCertificate: ServerCertificate | null
}

type Settle = (ending: Ending) => void

/** The options of one request. */
interface RequestOptions extends ProbeOptions {
  readonly localPort: number | undefined
}

function makeRequest(options: RequestOptions, planned: PlannedRequest, signal?: AbortSignal): Promise<Exchange> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const socket = openSocket(options, planned)
    const progress: Progress = { phase: 'connect', serverCertificate: null }
    const connectTimer = setTimeout(
      () => {
        if (progress.phase === 'connect') settle({ kind: 'unreachable', reason: NO_CONNECTION })
      },
      Math.min(CONNECT_TIMEOUT_MS, options.timeoutMs),
    )
    const timer = setTimeout(
      () => settle({ kind: 'timeout', during: progress.phase === 'answer' ? 'answer' : 'handshake' }),
      options.timeoutMs,
    )
    signal?.addEventListener('abort', abort)
    converse({ socket, options, planned, progress, settle })

    function close(): void {
      clearTimeout(connectTimer)
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      socket.destroy()
    }
    // Later calls are consequences of the first ending, and a promise keeps its first value.
    function settle(ending: Ending): void {
      close()
      resolve({ ending, serverCertificate: progress.serverCertificate })
    }
    function abort(): void {
      close()
      reject(signal?.reason)
    }
  })
}

interface Conversation {
  readonly socket: TLSSocket
  readonly options: ProbeOptions
  readonly planned: PlannedRequest
  readonly progress: Progress
  readonly settle: Settle
}

function converse(conversation: Conversation): void {
  const { socket, options, planned, progress, settle } = conversation
  const startedAt = performance.now()
  // After the request is sent, HTTP reports how it ends.
  socket.on('error', (error) => {
    if (progress.phase !== 'answer') settle(endingOfError(error, progress.phase))
  })
  socket.on('close', () => {
    if (progress.phase !== 'answer') settle({ kind: 'closed' })
  })
  socket.once('connect', () => {
    progress.phase = 'handshake'
  })
  socket.once('secureConnect', () => {
    progress.phase = 'verdict'
    progress.serverCertificate = describeCertificate(socket, options.url)
    if (planned.tlsVersion === 'TLSv1.2') return ask(conversation)
    afterVerdict(socket, 2 * (performance.now() - startedAt) + 100, () => ask(conversation))
  })
}

function ask({ socket, options, planned, progress, settle }: Conversation): void {
  const isCertified = planned.request === 'with certificate'
  const distrust = options.isInsecure || socket.authorized ? null : distrustText(socket.authorizationError)
  if (distrust !== null && isCertified) {
    settle({ kind: 'untrusted', reason: distrust })
    return
  }
  progress.phase = 'answer'
  // Any server may be asked whether it refuses, but the operator's data goes to a trusted server only.
  const body = distrust === null ? options.body : new Uint8Array()
  sendRequest({ socket, url: options.url, body, isStatusEnough: !isCertified, settle })
}

/**
 * In TLS 1.3 the server's alert comes after the client's handshake, and writing before it can turn it into a plain reset. So this waits for the
 * server's session ticket, which shows that the server accepts, or for a few round trips.
 */
function afterVerdict(socket: TLSSocket, longestMs: number, go: () => void): void {
  let isOver = false
  const timer = setTimeout(proceed, longestMs)
  socket.once('session', afterTicket)
  socket.once('close', () => clearTimeout(timer))
  // The ticket event comes from within OpenSSL's read; data written there is never sent.
  function afterTicket(): void {
    setImmediate(proceed)
  }
  function proceed(): void {
    clearTimeout(timer)
    socket.removeListener('session', afterTicket)
    if (isOver || socket.destroyed) return
    isOver = true
    go()
  }
}

function openSocket(
  { url, certificate, privateKey, authorities, localPort }: RequestOptions,
  planned: PlannedRequest,
): TLSSocket {
  const host = hostOf(url)
  const connection: ConnectionOptions & { autoSelectFamilyAttemptTimeout: number; localPort: number | undefined } = {
    host,
    port: url.port === '' ? 443 : Number(url.port),
    localPort,
    // RFC 6066 section 3: no IP address, no trailing dot.
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    minVersion: planned.tlsVersion,
    maxVersion: planned.tlsVersion,
    // Trust is checked after the handshake and before anything is sent, so that a refusal and missing trust are distinguished.
    rejectUnauthorized: false,
    autoSelectFamilyAttemptTimeout: 2000,
    ...(authorities === null ? {} : { ca: [...authorities] }),
    ...(planned.request === 'with certificate' ? { cert: certificate, key: privateKey } : {}),
  }
  const socket = connect(connection)
  readServerSafely(socket)
  return socket
}

interface Sending {
  readonly socket: TLSSocket
  readonly url: URL
  readonly body: Uint8Array
  readonly isStatusEnough: boolean
  readonly settle: Settle
}

function sendRequest({ socket, url, body, isStatusEnough, settle }: Sending): void {
  const request: ClientRequest = httpRequest({
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    createConnection: () => socket,
    headers: {
      host: url.host,
      'content-type': 'application/json',
      'content-length': body.length,
      'user-agent': 'Portaria-probe',
      accept: '*/*',
      connection: 'close',
    },
  })
  request.on('error', (error) => settle(endingOfError(error, 'answer')))
  request.on('upgrade', ({ statusCode }) => settle(answered(statusCode, undefined)))
  request.on('response', (response) => {
    if (isStatusEnough) return settle(answered(response.statusCode, response.headers.location))
    // For a reset in the middle of the answer, the request's event comes before the response's.
    request.removeAllListeners('error')
    request.on('error', () => settle({ kind: 'cut-off', status: response.statusCode ?? 0 }))
    readAnswer(response, settle)
  })
  request.end(body)
}

function readAnswer(response: IncomingMessage, settle: Settle): void {
  const whole = answered(response.statusCode, response.headers.location)
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > ANSWER_LIMIT_BYTES) settle(whole)
  })
  response.on('end', () => settle(whole))
  response.on('error', () => settle({ kind: 'cut-off', status: response.statusCode ?? 0 }))
}

function answered(status: number | undefined, location: string | undefined): Ending {
  return { kind: 'answered', status: status ?? 0, location: location ?? null }
}
