import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { RouteMatcher } from '../domain/routes.ts'
import type { Trust } from '../domain/trust.ts'
import { createCallbackApp } from './callback-app.ts'
import { type Accepted, createIntake, type IntakeOptions } from './intake.ts'
import { addressOf, type ListenerLimits, type RunningListener, serverOptions, startListener } from './listener.ts'
import { createPeerIdentification } from './peer-identity.ts'
import { createRefusalLog } from './refusal-log.ts'
import { callbackTlsOptions, type OwnCertificate } from './tls-options.ts'

export interface CallbackListenerOptions extends Omit<IntakeOptions, 'listener' | 'bodyBytes'> {
  readonly host: string
  readonly port: number
  readonly own: OwnCertificate
  readonly trust: Trust
  readonly limits: ListenerLimits
  readonly matchRoute: RouteMatcher
}

/**
 * The dedicated listener: a caller without a client certificate is refused in the handshake, on every path; one whose certificate no
 * installed issuing certificate signed is cut off before anything that it wrote is looked at.
 */
export function startCallbackListener(options: CallbackListenerOptions): Promise<RunningListener> {
  const { limits, log } = options
  const callers = new WeakMap<Socket, Accepted['caller']>()
  const identifyPeer = createPeerIdentification(options.trust)
  const logRefusal = createRefusalLog(log, 'callbacks', options.now)
  const intake = createIntake({ ...options, listener: 'callbacks', bodyBytes: limits.bodyBytes })
  const app = createCallbackApp({
    callerOf: (socket) => callers.get(socket),
    matchRoute: options.matchRoute,
    intake,
    log,
  })
  const server = createServer(
    {
      ...serverOptions(limits),
      ...callbackTlsOptions(options.own, options.trust.authorities, limits.handshakeTimeoutMs),
    },
    app,
  )

  // Prepended, for Node's own listener starts HTTP: a destroy behind it comes too late in TLS 1.3, the request has run by then.
  server.prependListener('secureConnection', function identify(socket: TLSSocket) {
    const identified = identifyPeer(socket)
    if ('caller' in identified) {
      callers.set(socket, { ...identified.caller, remoteAddress: addressOf(socket), authentication: 'mutual-tls' })
      return
    }
    logRefusal({
      reason: identified.refusal,
      remoteAddress: addressOf(socket),
      tlsVersion: socket.getProtocol() ?? undefined,
    })
    socket.destroy()
  })

  return startListener(server, {
    name: 'callbacks',
    host: options.host,
    port: options.port,
    limits,
    onRefused: logRefusal,
  })
}
