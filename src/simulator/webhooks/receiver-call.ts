import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { isIP } from 'node:net'
import { performance } from 'node:perf_hooks'
import { checkServerIdentity, rootCertificates, type SecureVersion, type TLSSocket } from 'node:tls'
import ipaddr from 'ipaddr.js'

/** How a call to a receiver ended. */
export type CallOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'name_unknown' | 'unreachable' | 'handshake_failed' | 'untrusted'; readonly reason: string }
  /** Neither loopback nor a private network. */
  | { readonly kind: 'forbidden_address'; readonly reason: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'timeout' }

/** A certificate chain and its key, PEM. */
export interface Credentials {
  readonly certificate: string
  readonly privateKey: string
}

export interface ReceiverCall {
  /** https; charge notifications also go to http, where nothing of TLS applies. */
  readonly url: URL
  /** null: the call shows no certificate. */
  readonly credentials: Credentials | null
  readonly body: string
  readonly contentType: string
  /** From connecting to the end of the answer. */
  readonly timeoutMs: number
  /** PEM of authorities besides the public ones. */
  readonly receiverCa: string | null
  readonly allowPublicAddresses: boolean
  /** Default: TLS 1.2 to 1.3. */
  readonly tlsVersion?: SecureVersion
  /** Sends no server name (RFC 6066 section 3). */
  readonly withoutServerName?: boolean
}

export interface FinishedCall {
  readonly outcome: CallOutcome
  readonly durationMs: number
}

const KEPT_ANSWER_CHARACTERS = 1000
const PRIVATE_RANGES = ['loopback', 'private', 'uniqueLocal']

/** POSTs the body on a connection of its own, and reads at most the beginning of the answer. Never rejects but with the signal's reason. */
export async function callReceiver(call: ReceiverCall, signal: AbortSignal): Promise<FinishedCall> {
  const startedAt = performance.now()
  const address = await addressOf(call)
  const outcome = typeof address === 'string' ? await exchange(call, address, signal) : address
  signal.throwIfAborted()
  return { outcome, durationMs: Math.round(performance.now() - startedAt) }
}

async function addressOf({ url, allowPublicAddresses }: ReceiverCall): Promise<string | CallOutcome> {
  const addresses = await lookup(hostOf(url), { all: true }).catch((error: Error) => error)
  if (addresses instanceof Error) return { kind: 'name_unknown', reason: addresses.message }
  const foreign = addresses.find(({ address }) => !PRIVATE_RANGES.includes(ipaddr.process(address).range()))
  if (foreign !== undefined && !allowPublicAddresses)
    return {
      kind: 'forbidden_address',
      reason: `${foreign.address} is a public address: the simulator calls it only with the setting webhooks.allowPublicAddresses`,
    }
  return addresses[0]?.address ?? { kind: 'name_unknown', reason: 'the name has no address' }
}

function exchange(call: ReceiverCall, address: string, signal: AbortSignal): Promise<CallOutcome> {
  return new Promise((resolve) => {
    let phase: 'connect' | 'handshake' | 'answer' = 'connect'
    const isPlain = call.url.protocol === 'http:'
    const sent = (isPlain ? requestPlain : request)({ ...optionsOf(call, address), signal })
    const timer = setTimeout(() => settle({ kind: 'timeout' }), call.timeoutMs)
    // Later endings are consequences of the first, and a promise keeps its first value.
    function settle(outcome: CallOutcome): void {
      clearTimeout(timer)
      sent.destroy()
      resolve(outcome)
    }
    sent.on('socket', (socket) => {
      socket.once('connect', () => (phase = isPlain ? 'answer' : 'handshake'))
      socket.once('secureConnect', () => (phase = 'answer'))
    })
    sent.on('error', (error: NodeJS.ErrnoException) => settle(outcomeOf(error, phase, sent.socket as TLSSocket | null)))
    sent.on('response', (response) => {
      readAnswer(response).then(
        (body) => settle({ kind: 'answered', status: response.statusCode ?? 0, body }),
        () => settle({ kind: 'closed' }),
      )
    })
    sent.end(call.body)
  })
}

function optionsOf(call: ReceiverCall, address: string): RequestOptions {
  const { url, credentials, receiverCa, tlsVersion } = call
  const host = hostOf(url)
  return {
    method: 'POST',
    host: address,
    port: url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : url.port,
    path: `${url.pathname}${url.search}`,
    servername: isIP(host) === 0 && call.withoutServerName !== true ? host : '',
    agent: false,
    minVersion: tlsVersion ?? 'TLSv1.2',
    maxVersion: tlsVersion ?? 'TLSv1.3',
    ca: receiverCa === null ? [...rootCertificates] : [...rootCertificates, receiverCa],
    checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
    ...(credentials !== null && { cert: credentials.certificate, key: credentials.privateKey }),
    headers: {
      host: url.host,
      'content-type': call.contentType,
      'content-length': Buffer.byteLength(call.body),
      'user-agent': 'Portaria-simulator',
    },
  }
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** A receiver may refuse after the handshake of TLS 1.3: its alert is then the answer. */
function outcomeOf(
  error: NodeJS.ErrnoException,
  phase: 'connect' | 'handshake' | 'answer',
  socket: TLSSocket | null,
): CallOutcome {
  const reason = error.message
  if (phase === 'connect') return { kind: 'unreachable', reason }
  if (socket?.authorizationError !== undefined && socket.authorizationError !== null)
    return { kind: 'untrusted', reason }
  if (error.code === 'ERR_TLS_CERT_ALTNAME_INVALID') return { kind: 'untrusted', reason }
  if (phase === 'handshake' || isAlert(error)) return { kind: 'handshake_failed', reason }
  return { kind: 'closed' }
}

function isAlert({ code = '' }: NodeJS.ErrnoException): boolean {
  return code.startsWith('ERR_SSL_')
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response) {
    text += chunk
    if (text.length >= KEPT_ANSWER_CHARACTERS) break
  }
  return text.slice(0, KEPT_ANSWER_CHARACTERS)
}
