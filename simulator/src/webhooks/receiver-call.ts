import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { isIP } from 'node:net'
import { performance } from 'node:perf_hooks'
import { pipeline } from 'node:stream/promises'
import { setTimeout as setTimeoutAsync } from 'node:timers/promises'
import { checkServerIdentity, type SecureContext, type SecureVersion, type TLSSocket } from 'node:tls'
import ipaddr from 'ipaddr.js'
import type { Credentials } from './secure-contexts.ts'
import { secureContextFor } from './secure-contexts.ts'

/** How a call to a receiver ended. */
export type CallOutcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly headers: Readonly<Record<string, string | string[] | undefined>>
      /** Its first 1000 characters. */
      readonly body: string
    }
  /** `reason` is Node's or OpenSSL's text, `code` its error code; '' without. */
  | {
      readonly kind: 'unreachable' | 'handshake_failed' | 'untrusted' | 'not_http'
      readonly reason: string
      readonly code: string
    }
  | { readonly kind: 'name_unknown'; readonly reason: string }
  /** Neither loopback nor a private network. */
  | { readonly kind: 'forbidden_address'; readonly reason: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'timeout' }

export interface ReceiverCall {
  /** https; charge notifications also go to http, where nothing of TLS applies. */
  readonly url: URL
  /** null: the call shows no certificate. */
  readonly credentials: Credentials | null
  readonly body: string | Buffer
  /** '': the request says nothing about it. */
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
  /** From connecting to the end of the answer. */
  readonly timeoutMs: number
  /** PEM of authorities besides the public ones. */
  readonly receiverCa: string | null
  readonly allowPublicAddresses: boolean
  /** Default: TLS 1.2 to 1.3. */
  readonly tlsVersion?: SecureVersion
  /** Sends no server name (RFC 6066 section 3). */
  readonly withoutServerName?: boolean
  /** Closes the connection: after the handshake, after half of the body, or after the last byte of the request. */
  readonly cut?: 'before_request' | 'half_body' | 'after_request'
  /** Ends with the status of the answer, whose body may never come. */
  readonly isStatusEnough?: boolean
  /** Takes no answer, and closes the connection so long after the last byte of the request. */
  readonly abandonAfterMs?: number
  /** Waits for the answer, which then counts as too late. */
  readonly isTooLate?: boolean
  /** Sends the body in pieces during this time. */
  readonly bodyOverMs?: number
  /** The IP address to connect to; left out: that of the URL's name. */
  readonly address?: string
  /** In place of the usual context, and the receiver may show any certificate. */
  readonly unverified?: { readonly secureContext: SecureContext; readonly session?: Buffer | undefined }
  /** Called when the handshake is over. */
  readonly onSecured?: (socket: TLSSocket) => void
  /** Called as soon as the status of the answer is there. */
  readonly onAnswer?: (status: number) => void
}

/** When a call came how far, in ms since its begin; null: it did not. */
export interface Timing {
  readonly connected: number | null
  /** The handshake is over. */
  readonly secured: number | null
  /** The last byte of the request was sent. */
  readonly sent: number | null
  /** The first byte of the answer came. */
  readonly answered: number | null
}

export interface FinishedCall {
  readonly outcome: CallOutcome
  /** Real time, in ms since 1970. */
  readonly startedAt: number
  readonly timing: Timing
  readonly durationMs: number
}

const KEPT_ANSWER_CHARACTERS = 1000
const PRIVATE_RANGES = ['loopback', 'private', 'uniqueLocal']

/** POSTs the body on a connection of its own, and reads at most the beginning of the answer. Never rejects but with the signal's reason. */
export async function callReceiver(call: ReceiverCall, signal: AbortSignal): Promise<FinishedCall> {
  const startedAt = Date.now()
  const begin = performance.now()
  const elapsed = () => Math.round(performance.now() - begin)
  const timing: Record<keyof Timing, number | null> = { connected: null, secured: null, sent: null, answered: null }
  const reach = (mark: keyof Timing) => (timing[mark] = elapsed())
  const address = await addressOf(call)
  const outcome = typeof address === 'string' ? await exchange(call, address, { signal, reach }) : address
  signal.throwIfAborted()
  return { outcome, startedAt, timing, durationMs: elapsed() }
}

async function addressOf({ url, address, allowPublicAddresses }: ReceiverCall): Promise<string | CallOutcome> {
  if (address !== undefined) return address
  const addresses = await addressesOf(hostOf(url))
  if (addresses instanceof Error) return { kind: 'name_unknown', reason: addresses.message }
  const foreign = addresses.find(({ address }) => !PRIVATE_RANGES.includes(ipaddr.process(address).range()))
  if (foreign !== undefined && !allowPublicAddresses)
    return {
      kind: 'forbidden_address',
      reason: `${foreign.address} is a public address: the simulator calls it only with the setting webhooks.allowPublicAddresses`,
    }
  return addresses[0]?.address ?? { kind: 'name_unknown', reason: 'the name has no address' }
}

const KNOWN_FOR_MS = 1000
const known = new Map<string, { readonly at: number; readonly addresses: Promise<LookupAddress[] | Error> }>()

/** Calls at the same time share one look-up. */
export function addressesOf(host: string): Promise<LookupAddress[] | Error> {
  const now = performance.now()
  const found = known.get(host)
  if (found !== undefined && now - found.at < KNOWN_FOR_MS) return found.addresses
  const addresses = lookup(host, { all: true }).catch((error: Error) => error)
  for (const [name, { at }] of known) if (now - at >= KNOWN_FOR_MS) known.delete(name)
  known.set(host, { at: now, addresses })
  return addresses
}

interface Progress {
  readonly signal: AbortSignal
  readonly reach: (mark: keyof Timing) => void
}

function exchange(call: ReceiverCall, address: string, { signal, reach }: Progress): Promise<CallOutcome> {
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
      // Node reads it behind the handshake, and a key on a curve without a NIST name ends the process there.
      if (call.unverified !== undefined) Object.assign(socket, { getPeerCertificate: () => ({}) })
      socket.once('connect', () => {
        phase = isPlain ? 'answer' : 'handshake'
        reach('connected')
      })
      socket.once('secureConnect', () => {
        phase = 'answer'
        reach('secured')
        call.onSecured?.(socket as TLSSocket)
      })
      // At this moment the last part of the handshake is not sent yet: end() sends it, destroy() would not.
      if (call.cut === 'before_request')
        socket.once(isPlain ? 'connect' : 'secureConnect', () => socket.end(() => settle({ kind: 'closed' })))
    })
    sent.on('finish', () => {
      reach('sent')
      if (call.cut === 'after_request') settle({ kind: 'closed' })
      if (call.abandonAfterMs !== undefined) setTimeout(() => settle({ kind: 'timeout' }), call.abandonAfterMs).unref()
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isVerified = call.unverified === undefined
      settle(outcomeOf(error, phase, isVerified ? (sent.socket as TLSSocket | null) : null))
    })
    sent.on('upgrade', ({ statusCode: status = 0, headers }, socket) => {
      socket.destroy()
      settle({ kind: 'answered', status, headers, body: '' })
    })
    sent.on('response', (response) => {
      if (call.abandonAfterMs !== undefined) return
      reach('answered')
      const { statusCode: status = 0, headers } = response
      call.onAnswer?.(status)
      if (call.isStatusEnough) return settle({ kind: 'answered', status, headers, body: '' })
      readAnswer(response).then(
        (body) => settle(call.isTooLate ? { kind: 'timeout' } : { kind: 'answered', status, headers, body }),
        () => settle({ kind: 'closed' }),
      )
    })
    send(sent, call, { signal, onCut: () => settle({ kind: 'closed' }) })
  })
}

/** Nothing is sent before the first byte of the body is given. */
function send(
  sent: ClientRequest,
  { cut, body, bodyOverMs }: ReceiverCall,
  { signal, onCut }: { readonly signal: AbortSignal; readonly onCut: () => void },
): void {
  if (cut === 'before_request') return
  // The callback comes when the bytes are with the system.
  if (cut === 'half_body') return void sent.write(Buffer.from(body).subarray(0, Buffer.byteLength(body) / 2), onCut)
  if (bodyOverMs === undefined) return void sent.end(body)
  // An abandoned call destroys the request, and with it the pieces.
  pipeline(inPieces(Buffer.from(body), bodyOverMs), sent, { signal }).catch(() => undefined)
}

const PIECES = 10

async function* inPieces(body: Buffer, overMs: number): AsyncGenerator<Buffer> {
  const size = Math.max(1, Math.ceil(body.length / PIECES))
  for (let at = 0; at < body.length; at += size) {
    if (at > 0) await setTimeoutAsync(overMs / (PIECES - 1), undefined, { ref: false })
    yield body.subarray(at, at + size)
  }
}

function optionsOf(call: ReceiverCall, address: string): RequestOptions {
  const { url, credentials, receiverCa, tlsVersion, unverified } = call
  const host = hostOf(url)
  return {
    method: 'POST',
    host: address,
    port: url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : url.port,
    path: `${url.pathname}${url.search}`,
    servername: isIP(host) === 0 && call.withoutServerName !== true ? host : '',
    agent: false,
    ...(url.protocol === 'https:' &&
      (unverified === undefined
        ? { secureContext: secureContextFor({ credentials, receiverCa, tlsVersion }) }
        : { ...unverified, rejectUnauthorized: false })),
    checkServerIdentity: (_name, certificate) =>
      unverified === undefined ? checkServerIdentity(host, certificate) : undefined,
    headers: {
      ...call.headers,
      host: url.host,
      ...(call.contentType !== '' && { 'content-type': call.contentType }),
      'content-length': Buffer.byteLength(call.body),
      'user-agent': 'Portaria-simulator',
    },
  }
}

export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** A receiver may refuse after the handshake of TLS 1.3: its alert is then the answer. */
function outcomeOf(
  error: NodeJS.ErrnoException,
  phase: 'connect' | 'handshake' | 'answer',
  socket: TLSSocket | null,
): CallOutcome {
  const { message: reason, code = '' } = error
  if (phase === 'connect') return { kind: 'unreachable', reason, code }
  const distrust = socket?.authorizationError ?? null
  if (distrust !== null) return { kind: 'untrusted', reason, code: String(distrust) }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return { kind: 'untrusted', reason, code }
  if (phase === 'handshake' || code.startsWith('ERR_SSL_')) return { kind: 'handshake_failed', reason, code }
  return code.startsWith('HPE_') ? { kind: 'not_http', reason, code } : { kind: 'closed' }
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
