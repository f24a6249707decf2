import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { TLSSocket } from 'node:tls'
import helmet from 'helmet'
import type { Environment } from '../domain/event.ts'
import type { RefusedCaller } from '../domain/refusal.ts'
import { BEHIND_TOKEN, refusalOfRequest } from '../domain/refused-callbacks.ts'
import { pathOfTarget } from '../domain/routes.ts'
import { createServer as createHttpServer } from '../platform/http.ts'
import { limitConnections } from '../tls/connection-limiter.ts'
import { serverOptions } from '../tls/server-options.ts'
import { type ServerKeyPair, serverTlsOptions } from '../tls/server-tls-options.ts'
import { answerFlaw, bareApp, notFound, unexpected, withEnd } from './callback-app.ts'
import { answer, type CallbackHandlerOptions, createCallbackHandler } from './callback-handler.ts'
import { describeConnection, requestAddress } from './connection.ts'
import { type ListenerLimits, type RunningListener, startListener } from './listener.ts'

export interface ChargeListenerOptions extends Omit<CallbackHandlerOptions, 'listener' | 'bodyBytes'> {
  readonly host: string
  readonly port: number
  /** As in ListenOptions. */
  readonly socket?: number | undefined
  /** null: plain http. */
  readonly serverCertificate: ServerKeyPair | null
  readonly tokens: readonly { readonly environment: Environment; readonly token: string }[]
  readonly isAddressAllowed: (address: string) => boolean
  /** As in ListenOptions. */
  readonly proxyProtocol: readonly string[]
  readonly limits: ListenerLimits
}

export interface ChargeListener extends RunningListener {
  /** For new handshakes; open connections continue. Only with TLS. @throws when TLS refuses the certificate; the earlier one stays in use */
  setServerCertificate(serverCertificate: ServerKeyPair): void
}

const PREFIX = '/charges/'
/** Without the path, which may contain a token in another place. */
const UNKNOWN_PATH: RefusedCaller = { code: 'unknown_path' }

/** Charge callbacks come without a client certificate. The token in their path authenticates them and decides the environment. */
export async function startChargeListener(options: ChargeListenerOptions): Promise<ChargeListener> {
  const { limits, log, serverCertificate, instance } = options
  const findEnvironment = compileTokens(options.tokens)
  const onRefused = options.refusals.on('charges')
  const handleCallback = createCallbackHandler({ ...options, listener: 'charges', bodyBytes: limits.bodyBytes })
  const app = bareApp()

  function refuse(request: IncomingMessage, refused: RefusedCaller): void {
    const describe = () => ({ ...describeConnection(request.socket), ...refused })
    onRefused(request.socket, describe, refused.environment !== undefined)
  }

  app.use(function receiveChargeNotification(request, response, next) {
    if (answerFlaw(request, response, { instance, onRefused: (reason) => refuse(request, reason) })) return
    const [token = '', ...behind] = segmentsOf(request.url)
    const environment = token === '' ? null : findEnvironment(token)
    if (environment === null || behind.length > 0) {
      refuse(request, refusalOf(request, { token, behind, environment }))
      // Before the body is read, so that an untrusted caller costs little.
      response.setHeader('connection', 'close')
      next()
      return
    }
    connections.authenticated(request.socket)
    const target = shown(token)
    if (request.method !== 'POST') {
      refuse(request, { ...refusalOfRequest({ code: 'wrong_method' }, request), environment, detail: target })
      answer(response, 405, 'callbacks are sent by POST', { allow: 'POST' })
      return
    }
    const tls = request.socket as Partial<TLSSocket>
    handleCallback(request, response, {
      kind: 'charge',
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

/** The part of a token that may be logged and stored. */
function shown(token: string): string {
  return `${PREFIX}${token.slice(0, 4)}…`
}

/** The token, and what is behind it. */
function segmentsOf(target: string): string[] {
  const path = pathOfTarget(target)
  return path.startsWith(PREFIX) ? path.slice(PREFIX.length).replace(/\/$/, '').split('/') : []
}

interface Refused {
  readonly token: string
  readonly behind: readonly string[]
  readonly environment: Environment | null
}

/** With a token of ours in front, the path is that of a notification which is lost. */
function refusalOf(request: IncomingMessage, { token, behind, environment }: Refused): RefusedCaller {
  if (environment !== null) {
    const refused = refusalOfRequest({ code: 'unknown_path' }, request)
    return { ...refused, environment, detail: `${shown(token)}${BEHIND_TOKEN}` }
  }
  return token === '' || behind.length > 0 ? UNKNOWN_PATH : { code: 'unknown_token', detail: shown(token) }
}

/** Compares every token in constant time, so that timing reveals neither which one matched nor how far. */
function compileTokens(tokens: ChargeListenerOptions['tokens']): (token: string) => Environment | null {
  const digests = tokens.map(({ environment, token }) => ({ environment, digest: sha256(token) }))
  return function findEnvironment(token) {
    const digest = sha256(token)
    let found: Environment | null = null
    for (const known of digests) {
      if (timingSafeEqual(known.digest, digest)) found = known.environment
    }
    return found
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
