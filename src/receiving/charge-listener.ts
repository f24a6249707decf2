import type { IncomingMessage } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { TLSSocket } from 'node:tls'
import helmet from 'helmet'
import type { RefusedCaller } from '../domain/refusal.ts'
import { refusalOfRequest } from '../domain/refused-callbacks.ts'
import { createServer as createHttpServer } from '../platform/http.ts'
import { limitConnections } from '../tls/connection-limiter.ts'
import { serverOptions } from '../tls/server-options.ts'
import { type ServerKeyPair, serverTlsOptions } from '../tls/server-tls-options.ts'
import { answerFlaw, bareApp, notFound, unexpected, withEnd } from './callback-app.ts'
import { answer, type CallbackHandlerOptions, createCallbackHandler } from './callback-handler.ts'
import { describeConnection, requestAddress } from './connection.ts'
import { type ListenerLimits, type RunningListener, startListener } from './listener.ts'
import { compileTokens, type PathToken, type PresentedToken } from './path-tokens.ts'

export interface ChargeListenerOptions extends Omit<CallbackHandlerOptions, 'listener' | 'bodyBytes'> {
  readonly host: string
  readonly port: number
  /** As in ListenOptions. */
  readonly socket?: number | undefined
  /** null: plain http. */
  readonly serverCertificate: ServerKeyPair | null
  readonly tokens: readonly PathToken[]
  readonly isAddressAllowed: (address: string) => boolean
  /** As in ListenOptions. */
  readonly proxyProtocol: readonly string[]
  readonly limits: ListenerLimits
}

export interface ChargeListener extends RunningListener {
  /** For new handshakes; open connections continue. Only with TLS. @throws when TLS refuses the certificate; the earlier one stays in use */
  setServerCertificate(serverCertificate: ServerKeyPair): void
}

/** Without the path, which may contain a token in another place. */
const UNKNOWN_PATH: RefusedCaller = { code: 'unknown_path' }

/** For callbacks that come without a client certificate. The token in their URL authenticates them, and decides kind and environment. */
export async function startChargeListener(options: ChargeListenerOptions): Promise<ChargeListener> {
  const { limits, log, serverCertificate, instance } = options
  const readTarget = compileTokens(options.tokens)
  const onRefused = options.refusals.on('charges')
  const handleCallback = createCallbackHandler({ ...options, listener: 'charges', bodyBytes: limits.bodyBytes })
  const app = bareApp()

  function refuse(request: IncomingMessage, refused: RefusedCaller): void {
    const describe = () => ({ ...describeConnection(request.socket), ...refused })
    onRefused(request.socket, describe, refused.environment !== undefined)
  }

  app.use(function receiveWithToken(request, response, next) {
    if (answerFlaw(request, response, { instance, onRefused: (reason) => refuse(request, reason) })) return
    const presented = readTarget(request.url)
    if (presented === null || presented.found === null || presented.hasRest) {
      refuse(request, refusalOf(request, presented))
      // Before the body is read, so that an untrusted caller costs little.
      response.setHeader('connection', 'close')
      next()
      return
    }
    connections.authenticated(request.socket)
    const { kind, environment } = presented.found
    const target = presented.shown
    if (request.method !== 'POST') {
      refuse(request, { ...refusalOfRequest({ code: 'wrong_method' }, request), environment, detail: target })
      answer(response, 405, 'callbacks are sent by POST', { allow: 'POST' })
      return
    }
    const tls = request.socket as Partial<TLSSocket>
    handleCallback(request, response, {
      kind,
      target,
      caller: {
        environment,
        authentication: 'path-token',
        remoteAddress: requestAddress(request),
        peer: null,
        tlsVersion: tls.getProtocol?.() ?? null,
        cipher: tls.getCipher?.().name ?? null,
      },
    })
  })
  app.use(helmet(), notFound, unexpected(log))

  const receive = withEnd(app, (request, response) => {
    refuse(request, UNKNOWN_PATH)
    notFound(request, response)
  })
  const server =
    serverCertificate === null
      ? createHttpServer(serverOptions(limits), receive)
      : createHttpsServer(
          { ...serverOptions(limits), ...serverTlsOptions(serverCertificate, limits.handshakeTimeoutMs) },
          receive,
        )
  const connections = limitConnections(server, {
    ...limits,
    onRefused: (caller, why) => onRefused(caller, () => why),
  })
  const listener = await startListener(server, {
    name: 'chargeNotifications',
    host: options.host,
    port: options.port,
    socket: options.socket,
    limits,
    connections,
    onRefused,
    own: options.refusals.own,
    proxyProtocol: options.proxyProtocol,
    isAddressAllowed: options.isAddressAllowed,
    now: options.now,
  })
  return {
    ...listener,
    setServerCertificate(next) {
      if ('setSecureContext' in server) server.setSecureContext(serverTlsOptions(next, limits.handshakeTimeoutMs))
    },
  }
}

/** With a token of ours in front, the path is that of a callback which is lost. */
function refusalOf(request: IncomingMessage, presented: PresentedToken | null): RefusedCaller {
  if (presented === null) return UNKNOWN_PATH
  const { shown, found, isMissing, hasRest } = presented
  if (found !== null)
    return { ...refusalOfRequest(UNKNOWN_PATH, request), environment: found.environment, detail: shown }
  if (hasRest) return UNKNOWN_PATH
  return { code: isMissing ? 'unknown_path' : 'unknown_token', detail: shown }
}
