import type { X509Certificate } from 'node:crypto'
import { connect as connectSocket, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as startHandshake } from 'node:tls'
import type { buildConnector } from 'undici'
import {
  type AddressRules,
  checkDestinationUrl,
  forbiddenAddressText,
  isSameAddress,
  plainHttpText,
} from '../domain/address-rules.ts'
import { type ForwardingCode, forwardingText } from '../domain/forwarding/forwarding-texts.ts'
import { messageOf, PortariaError } from '../platform/errors.ts'
import { readServerSafely } from '../platform/peer-certificates.ts'
import { hostOf } from '../platform/url-host.ts'
import { NameFailure, type Resolve, silentText } from './name-resolver.ts'

export interface AddressGuard {
  readonly rules: AddressRules
  readonly resolve: Resolve
}

/** `ca` replaces the public roots; `cert` and `key` are shown to receivers that ask for a client certificate. All PEM. */
export type ConnectorTls = Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>

export interface ConnectorOptions extends AddressGuard {
  /** Limit for name look-up, connection and handshake together. */
  readonly connectTimeoutMs: number
  readonly tls?: ConnectorTls | undefined
  /** Called with the server certificate after each handshake in which it was trusted. */
  readonly onCertificate?: ((certificate: X509Certificate) => void) | undefined
}

export type ConnectStage = 'name' | 'connection' | 'handshake'

/** Why a connection failed, in words for operators. The code, if any, is the system's. */
export class ConnectFailure extends Error {
  readonly stage: ConnectStage
  readonly code: string | undefined

  constructor(stage: ConnectStage, message: string, options: { code?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ConnectFailure'
    this.stage = stage
    this.code = options.code
  }
}

/**
 * undici's `connect` with the address rules. Every address of the name is checked, and the connection goes to a checked address, so a DNS answer
 * that changes later has no effect. Fails with PortariaError `address_forbidden` or with ConnectFailure.
 */
export function createGuardedConnector(options: ConnectorOptions): buildConnector.connector {
  return function connectGuarded(target, callback) {
    openConnection(target, options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

/** A connection without TLS to a host, under the same rules. @throws PortariaError `address_forbidden`, ConnectFailure */
export async function connectPlain(host: string, port: number, guard: Omit<ConnectorOptions, 'tls'>): Promise<Socket> {
  const limits = { ...guard, deadline: performance.now() + guard.connectTimeoutMs }
  const limitMs = guard.connectTimeoutMs * NAME_SHARE
  // What is sent over it is encrypted later.
  const addresses = await resolveChecked(host.replace(/\.+$/, ''), 'https:', { ...guard, limitMs })
  return connectToFirst(addresses, port, limits)
}

/**
 * The same rules for a URL that is saved or tested: checks every address that its host has now. Returns the addresses.
 * @throws PortariaError `address_forbidden`, or `request_invalid` when the URL is unusable or its name does not resolve; what `resolve` throws
 */
export async function checkReachableAddress(
  text: string,
  guard: AddressGuard & { readonly timeoutMs: number },
): Promise<readonly string[]> {
  const url = checkDestinationUrl(text, guard.rules)
  try {
    return await resolveChecked(hostOf(url), url.protocol, { ...guard, limitMs: guard.timeoutMs })
  } catch (error) {
    if (!(error instanceof ConnectFailure)) throw error
    const text = `${hostOf(url)}: ${error.message}; correct the URL, or the name in DNS`
    throw new PortariaError('request_invalid', text, { cause: error })
  }
}

type Timed<T> = T & { readonly deadline: number }
type Limited<T> = T & { readonly limitMs: number }

/** The share of the connection time for the look-up, so that silent name servers fail as such and not as a missing answer. */
const NAME_SHARE = 0.75

async function openConnection(target: buildConnector.Options, options: ConnectorOptions): Promise<Socket> {
  const limits = { ...options, deadline: performance.now() + options.connectTimeoutMs }
  const host = target.hostname.replace(/\.+$/, '')
  const isTls = target.protocol === 'https:'
  const nameLimitMs = options.connectTimeoutMs * NAME_SHARE
  const addresses = await resolveChecked(host, target.protocol, { ...options, limitMs: nameLimitMs })
  const port = Number(target.port || (isTls ? 443 : 80))
  const socket = await connectToFirst(addresses, port, limits)
  if (!isTls) return socket
  try {
    return await secure(socket, host, limits)
  } catch (error) {
    // Also where the client certificate or a CA cannot be read, before any handshake.
    socket.destroy()
    throw error instanceof ConnectFailure ? error : handshakeFailure(error)
  }
}

async function resolveChecked(
  host: string,
  protocol: string,
  guard: Limited<AddressGuard>,
): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await resolveAll(host, guard) : [host]
  for (const address of addresses) {
    const reason = guard.rules.reasonAgainst(address)
    if (reason !== null) throw new PortariaError('address_forbidden', forbiddenAddressText(host, address, reason))
    if (protocol !== 'https:' && !guard.rules.allowsPlainHttp(address)) {
      throw new PortariaError('address_forbidden', plainHttpText(host, address))
    }
  }
  return addresses
}

async function resolveAll(host: string, { resolve, limitMs }: Limited<AddressGuard>): Promise<readonly string[]> {
  const late = new ConnectFailure('name', silentText(limitMs))
  try {
    const addresses = await within(resolve(host), { limitMs, late })
    if (addresses.length > 0) return addresses
  } catch (error) {
    if (error === late || error instanceof PortariaError) throw error
    const detail = codeOf(error) ?? messageOf(error)
    const text = error instanceof NameFailure ? error.message : forwardingText('name_lookup_failed', { detail })
    throw new ConnectFailure('name', text, { cause: error })
  }
  throw new ConnectFailure('name', forwardingText('name_without_address'))
}

/** Rejects with `late` at the limit; the promise itself continues. */
async function within<T>(promise: Promise<T>, limit: { limitMs: number; late: Error }): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(limit.late), limit.limitMs)
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

function remainingMs(deadline: number): number {
  return Math.max(1, deadline - performance.now())
}

/** Tries one address after the other. Each has an even share of the remaining time, so that a silent one leaves time for the others. */
async function connectToFirst(addresses: readonly string[], port: number, limits: Timed<object>): Promise<Socket> {
  let failure: unknown
  for (const [index, address] of addresses.entries()) {
    const share = remainingMs(limits.deadline) / (addresses.length - index)
    try {
      return await connectTo(address, port, share)
    } catch (error) {
      if (error instanceof PortariaError) throw error
      failure = error
    }
  }
  throw failure
}

async function connectTo(address: string, port: number, timeoutMs: number): Promise<Socket> {
  // Without autoSelectFamily: the connection goes to the checked address, and nothing is resolved here.
  const socket = connectSocket({ host: address, port, autoSelectFamily: false, noDelay: true, keepAlive: true })
  const timedOut = new ConnectFailure('connection', forwardingText('no_connection_in_time'), { code: 'ETIMEDOUT' })
  await settled(socket, 'connect', { timeoutMs, timedOut, failed: connectionFailure })
  const { remoteAddress } = socket
  if (remoteAddress !== undefined && isSameAddress(remoteAddress, address)) return socket
  socket.destroy()
  if (remoteAddress === undefined)
    throw new ConnectFailure('connection', forwardingText('reset'), { code: 'ECONNRESET' })
  const text = forbiddenAddressText(address, null, `the connection came out at ${remoteAddress}`)
  throw new PortariaError('address_forbidden', text)
}

async function secure(socket: Socket, host: string, limits: Timed<ConnectorOptions>): Promise<Socket> {
  const isName = isIP(host) === 0
  const secured = startHandshake({
    ...limits.tls,
    socket,
    // The name that the certificate must have. SNI takes no addresses (RFC 6066 section 3).
    host,
    ...(isName && { servername: host }),
    // Explicit, so that no environment variable and no default of Node weakens them.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
  })
  readServerSafely(secured)
  const timedOut = new ConnectFailure('handshake', forwardingText('handshake_late'), { code: 'ETIMEDOUT' })
  await settled(secured, 'secureConnect', {
    timeoutMs: remainingMs(limits.deadline),
    timedOut,
    failed: handshakeFailure,
  })
  const certificate = secured.getPeerX509Certificate()
  if (certificate !== undefined) limits.onCertificate?.(certificate)
  return secured
}

interface Settling {
  readonly timeoutMs: number
  readonly timedOut: ConnectFailure
  readonly failed: (error: Error) => ConnectFailure
}

/** Waits for the event; otherwise destroys the socket and rejects. */
async function settled(socket: Socket, event: 'connect' | 'secureConnect', settling: Settling): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(settling.timedOut), settling.timeoutMs)
  // This listener stays: an error between two owners of the socket must not end the process, and Node does not destroy a socket for
  // an alert of TLS 1.3 (no client certificate, say), so that "closed" would be all that its owner learns.
  socket.on('error', (error) => {
    reject(settling.failed(error))
    socket.destroy(error)
  })
  socket.once('close', () => reject(settling.failed(new Error('the connection was closed'))))
  socket.once(event, resolve)
  try {
    await promise
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

const CONNECTION_FAILURES = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'host_unreachable',
  ENETUNREACH: 'network_unreachable',
  ECONNRESET: 'reset',
  ETIMEDOUT: 'no_connection_in_time',
} as const satisfies Readonly<Record<string, ForwardingCode>>

function connectionFailure(error: Error): ConnectFailure {
  const code = codeOf(error)
  const known = Object.entries(CONNECTION_FAILURES).find(([name]) => name === code)?.[1]
  const text =
    known === undefined ? forwardingText('no_connection', { detail: code ?? error.message }) : forwardingText(known)
  return new ConnectFailure('connection', text, { code, cause: error })
}

/** Without the code, because undici treats some TLS codes specially. */
function handshakeFailure(error: unknown): ConnectFailure {
  return new ConnectFailure('handshake', forwardingText('handshake', { detail: handshakeWords(error) }), {
    cause: error,
  })
}

/** The reason alone: OpenSSL adds source positions, and Node adds a hint for the command line. */
export function handshakeWords(error: unknown): string {
  const isOpensslError = error instanceof Error && 'reason' in error && typeof error.reason === 'string'
  const text = isOpensslError ? String(error.reason) : messageOf(error)
  return text.replace(/; if the root CA .*$/, '')
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
