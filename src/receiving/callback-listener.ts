import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { RouteMatcher } from '../domain/routes.ts'
import { issuersOf, type Trust } from '../domain/trust.ts'
import { limitConnections } from '../tls/connection-limiter.ts'
import { describePeerChain, peerCertificate, peerChain } from '../tls/peer-certificate.ts'
import { addressOf } from '../tls/remote-address.ts'
import { mutualTlsOptions, type ServerKeyPair } from '../tls/server-tls-options.ts'
import { createCallbackApp } from './callback-app.ts'
import { type Accepted, type CallbackHandlerOptions, createCallbackHandler } from './callback-handler.ts'
import { describeConnection, requestAddress, shownPath } from './connection.ts'
import { type ListenerLimits, type RunningListener, serverOptions, startListener } from './listener.ts'
import { createPeerIdentification, INVALID_PURPOSE } from './peer-identity.ts'
import type { Reason } from './refusal-reasons.ts'

export interface CallbackListenerOptions extends Omit<CallbackHandlerOptions, 'listener' | 'bodyBytes'> {
  readonly host: string
  readonly port: number
  /** As in ListenOptions. */
  readonly socket?: number | undefined
  readonly serverCertificate: ServerKeyPair
  readonly trust: Trust
  readonly limits: ListenerLimits
  readonly matchRoute: RouteMatcher
}

export interface CallbackListener extends RunningListener {
  /** For new handshakes; open connections go on. @throws when TLS refuses it; then the old one stays */
  setServerCertificate(serverCertificate: ServerKeyPair): void
  /**
   * Whom to let in from now on. Exactly those connections are closed whose caller would be refused now, or would count for another environment;
   * returns how many. @throws when TLS refuses it; then the old trust stays
   */
  renewTrust(trust: Trust): number
}

/**
 * The dedicated listener: a caller without a client certificate is refused in the handshake, on every path; one whose certificate no
 * installed issuing certificate signed is cut off before anything that it wrote is looked at.
 */
export async function startCallbackListener(options: CallbackListenerOptions): Promise<CallbackListener> {
  const { limits, log } = options
  let { serverCertificate, trust } = options
  const callers = new WeakMap<Socket, Accepted['caller']>()
  const connected = new Set<TLSSocket>()
  /** TLS refused their certificate for its use alone, and `usage: any` of their chain lets them in. */
  const waived = new WeakSet<Socket>()
  let peers = createPeerIdentification(trust, options.now)
  const onRefused = options.refusals.on('callbacks')
  const environmentBehind = (socket: Socket) => callers.get(socket)?.environment
  const handleCallback = createCallbackHandler({ ...options, listener: 'callbacks', bodyBytes: limits.bodyBytes })
  const app = createCallbackApp({
    callerOf: (socket) => callers.get(socket),
    matchRoute: options.matchRoute,
    handleCallback,
    instance: options.instance,
    onRefused(request: IncomingMessage, reason: Reason) {
      onRefused(requestAddress(request), () => {
        const environment = environmentBehind(request.socket)
        return { ...describeConnection(request.socket), ...reason, environment, detail: shownPath(request.url ?? '') }
      })
    },
    log,
  })
  const server = createServer(
    {
      ...serverOptions(limits),
      ...mutualTlsOptions(serverCertificate, trust.authorities, limits.handshakeTimeoutMs),
    },
    app,
  )
  const connections = limitConnections(server, {
    ...limits,
    onRefused: (address, why) => onRefused(address, () => why),
  })

  // Prepended, for Node's own listener starts HTTP: a destroy behind it comes too late in TLS 1.3, the request has run by then.
  server.prependListener('secureConnection', function identify(socket: TLSSocket) {
    const identified = peers.identify(socket, waived.has(socket))
    if ('caller' in identified) {
      callers.set(socket, { ...identified.caller, remoteAddress: addressOf(socket), authentication: 'mutual-tls' })
      connected.add(socket)
      connections.authenticated(socket)
      socket.once('close', () => connected.delete(socket))
      return
    }
    onRefused(addressOf(socket), () => {
      return { ...describeConnection(socket), chain: describePeerChain(peerChain(socket)), ...identified.refusal }
    })
    socket.destroy()
  })

  /** The complete set each time: what is left out would be forgotten. */
  function renewTls(next: { serverCertificate: ServerKeyPair; trust: Trust }): void {
    server.setSecureContext(mutualTlsOptions(next.serverCertificate, next.trust.authorities, limits.handshakeTimeoutMs))
    serverCertificate = next.serverCertificate
    trust = next.trust
  }

  /** Everything else that TLS would refuse must be verified by then: nothing comes after this. */
  function waivesUsage({ code }: NodeJS.ErrnoException, socket: TLSSocket): boolean {
    if (code !== INVALID_PURPOSE || socket.isSessionReused()) return false
    const [certificate] = peerCertificate(socket)
    if (certificate === undefined || !peers.waivesUsageOf(certificate) || !keepDespiteFlaw(socket)) return false
    waived.add(socket)
    return true
  }

  function isStillTrusted(socket: Socket): boolean {
    const caller = callers.get(socket)
    return caller?.peer != null && peers.environmentOf(caller.peer, waived.has(socket)) === caller.environment
  }

  function closeUntrusted(): number {
    let closed = 0
    for (const socket of connected) {
      if (socket.destroyed || isStillTrusted(socket)) continue
      // Without an entry not even a request that is being read is taken any more.
      callers.delete(socket)
      socket.destroy()
      closed++
    }
    return closed
  }

  const listener = await startListener(server, {
    name: 'callbacks',
    host: options.host,
    port: options.port,
    socket: options.socket,
    limits,
    connections,
    onRefused,
    environmentBehind,
    environmentOf: (certificate) => issuersOf(certificate, trust.issuing)[0]?.environment,
    excuses: waivesUsage,
    now: options.now,
  })
  return {
    ...listener,
    setServerCertificate: (next) => renewTls({ serverCertificate: next, trust }),
    renewTrust(next) {
      renewTls({ serverCertificate, trust: next })
      peers = createPeerIdentification(next, options.now)
      return closeUntrusted()
    },
  }
}

/**
 * Has Node keep this one connection although its certificate has a flaw. The listener itself goes on with `rejectUnauthorized: true`, so that
 * OpenSSL refuses a caller without a certificate in the handshake. False where a later Node decides otherwise: then it refuses the caller.
 */
function keepDespiteFlaw(socket: TLSSocket): boolean {
  const serverCertificate = socket as { _rejectUnauthorized?: unknown }
  if (serverCertificate._rejectUnauthorized !== true) return false
  serverCertificate._rejectUnauthorized = false
  return true
}
