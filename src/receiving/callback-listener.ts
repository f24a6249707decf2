import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { namedParts } from '../domain/realm.ts'
import { refusalOfRequest } from '../domain/refused-callbacks.ts'
import type { CallerRoutes } from '../domain/routes.ts'
import { issuersOf, type Trust } from '../domain/trust.ts'
import { createLineLimit } from '../platform/line-limit.ts'
import { limitConnections } from '../tls/connection-limiter.ts'
import { describePeerChain, peerCertificate, peerChain } from '../tls/peer-certificate.ts'
import { serverOptions } from '../tls/server-options.ts'
import { mutualTlsOptions, type ServerKeyPair } from '../tls/server-tls-options.ts'
import { createCallbackApp, hasExpired } from './callback-app.ts'
import { type Accepted, type CallbackHandlerOptions, createCallbackHandler } from './callback-handler.ts'
import { describeConnection, shownPath } from './connection.ts'
import { type ListenerLimits, type RunningListener, startListener } from './listener.ts'
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
  /** As in ListenOptions. */
  readonly proxyProtocol: readonly string[]
  readonly matchRoute: CallerRoutes
}

export interface CallbackListener extends RunningListener {
  /** For new handshakes; open connections continue. @throws when TLS refuses the certificate; the earlier one stays in use */
  setServerCertificate(serverCertificate: ServerKeyPair): void
  /**
   * Which callers to accept from now on. Closes exactly the connections of callers that would be refused now, or would get another environment.
   * @returns how many. @throws when TLS refuses the trust; the earlier one stays in use
   */
  renewTrust(trust: Trust): number
}

/**
 * The mutual TLS listener for callbacks. On every path, a caller without a client certificate is refused in the handshake. A caller whose certificate
 * was not signed by an installed issuing certificate is disconnected before any of its bytes is read as HTTP.
 */
export async function startCallbackListener(options: CallbackListenerOptions): Promise<CallbackListener> {
  const { limits, log } = options
  let { serverCertificate, trust } = options
  const callers = new WeakMap<Socket, Accepted['caller']>()
  const connected = new Set<TLSSocket>()
  /** TLS refused the certificate only because of its use, and `usage: any` of its chain accepts that. */
  const waived = new WeakSet<Socket>()
  /** `renewTrust` replaces it. */
  let peers = createPeerIdentification(trust, options.now)
  const onRefused = options.refusals.on('callbacks')
  const mayHaveLine = createLineLimit(options.now)
  const environmentBehind = (socket: Socket) => callers.get(socket)?.environment
  const handleCallback = createCallbackHandler({ ...options, listener: 'callbacks', bodyBytes: limits.bodyBytes })
  const receive = createCallbackApp({
    callerOf: (socket) => callers.get(socket),
    matchRoute: options.matchRoute,
    handleCallback,
    instance: options.instance,
    validatesByGet: (environment) => options.answers?.get(environment)?.validation === 'get',
    onValidated({ environment, remoteAddress }, kind) {
      options.refusals.markProbe(remoteAddress)
      if (mayHaveLine()) log.info({ kind, ...namedParts(environment), remoteAddress }, 'callback.address_tested')
    },
    onRefused(request: IncomingMessage, reason: Reason) {
      const describe = () => {
        const environment = environmentBehind(request.socket)
        const detail = shownPath(request.url ?? '')
        return { ...describeConnection(request.socket), ...refusalOfRequest(reason, request), environment, detail }
      }
      onRefused(request.socket, describe, true)
    },
    log,
  })
  const server = createServer(
    {
      ...serverOptions(limits),
      ...mutualTlsOptions(serverCertificate, trust.authorities, limits.handshakeTimeoutMs),
    },
    receive,
  )
  const connections = limitConnections(server, {
    ...limits,
    onRefused: (caller, why) => onRefused(caller, () => why),
  })

  // Prepended, because Node's listener starts HTTP: after it, a destroy comes too late in TLS 1.3, where the request has run already.
  server.prependListener('secureConnection', function identify(socket: TLSSocket) {
    const identified = peers.identify(socket, waived.has(socket))
    if ('caller' in identified) {
      callers.set(socket, { ...identified.caller, authentication: 'mutual-tls' })
      connected.add(socket)
      connections.authenticated(socket)
      socket.once('close', () => connected.delete(socket))
      return
    }
    onRefused(socket, () => {
      return { ...describeConnection(socket), chain: describePeerChain(peerChain(socket)), ...identified.refusal }
    })
    socket.destroy()
  })

  /** Sets all options together, because `setSecureContext` forgets what is left out. */
  function renewTls(next: { serverCertificate: ServerKeyPair; trust: Trust }): void {
    server.setSecureContext(mutualTlsOptions(next.serverCertificate, next.trust.authorities, limits.handshakeTimeoutMs))
    serverCertificate = next.serverCertificate
    trust = next.trust
  }

  /** Must verify everything else that TLS would refuse, because no later check does. */
  function waivesUsage({ code }: NodeJS.ErrnoException, socket: TLSSocket): boolean {
    if (code !== INVALID_PURPOSE || socket.isSessionReused()) return false
    const [certificate] = peerCertificate(socket)
    if (certificate === undefined || !peers.waivesUsageOf(certificate) || !keepDespiteFlaw(socket)) return false
    waived.add(socket)
    return true
  }

  function isStillTrusted(socket: Socket): boolean {
    const caller = callers.get(socket)
    if (caller?.peer == null || hasExpired(caller)) return false
    return peers.environmentOf(caller.peer, waived.has(socket)) === caller.environment
  }

  function closeUntrusted(): number {
    let closed = 0
    for (const socket of connected) {
      if (socket.destroyed || isStillTrusted(socket)) continue
      // Without an entry, a request that is being read is dropped too.
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
    own: options.refusals.own,
    proxyProtocol: options.proxyProtocol,
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
 * Makes Node keep this connection although its certificate has a flaw. The listener itself needs `rejectUnauthorized: true`, so that OpenSSL
 * refuses callers without a certificate in the handshake. False where a later Node has no such field: then Node refuses the caller.
 */
function keepDespiteFlaw(socket: TLSSocket): boolean {
  const internals = socket as { _rejectUnauthorized?: unknown }
  if (internals._rejectUnauthorized !== true) return false
  internals._rejectUnauthorized = false
  return true
}
