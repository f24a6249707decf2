import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { TLSSocket } from 'node:tls'
import helmet from 'helmet'
import type { Environment } from '../domain/event.ts'
import { pathOfTarget } from '../domain/routes.ts'
import { bareApp, notFound, unexpected } from './callback-app.ts'
import { describeConnection, requestAddress } from './connection.ts'
import { answer, createIntake, type IntakeOptions } from './intake.ts'
import { type ListenerLimits, type RunningListener, serverOptions, startListener } from './listener.ts'
import { type OwnCertificate, serverTlsOptions } from './tls-options.ts'

export interface ChargeListenerOptions extends Omit<IntakeOptions, 'listener' | 'bodyBytes'> {
  readonly host: string
  readonly port: number
  /** null: plain http. */
  readonly own: OwnCertificate | null
  readonly tokens: readonly { readonly environment: Environment; readonly token: string }[]
  readonly isAddressAllowed: (address: string) => boolean
  readonly limits: ListenerLimits
}

export interface ChargeListener extends RunningListener {
  /** For new handshakes; open connections go on. Only where TLS is on. @throws when TLS refuses it; then the old one stays */
  renewOwn(own: OwnCertificate): void
}

const PREFIX = '/charges/'

/** Charge notifications come without a client certificate: the secret in their path stands for it, and decides the environment. */
export async function startChargeListener(options: ChargeListenerOptions): Promise<ChargeListener> {
  const { limits, log, own } = options
  const findEnvironment = compileTokens(options.tokens)
  const onRefused = options.refusals.on('charges')
  const intake = createIntake({ ...options, listener: 'charges', bodyBytes: limits.bodyBytes })
  const app = bareApp()

  app.use(function receiveChargeNotification(request, response, next) {
    const token = tokenOf(request.url)
    const environment = token === null ? null : findEnvironment(token)
    if (token === null || environment === null) {
      onRefused(requestAddress(request), () => ({
        ...describeConnection(request.socket),
        // A path without a token is not shown: a token may stand elsewhere in it.
        ...(token === null ? { code: 'unknown_path' } : { code: 'unknown_token', detail: `${PREFIX}${cut(token)}` }),
      }))
      // Before a body is read: a stranger's bytes are not worth it.
      response.setHeader('connection', 'close')
      next()
      return
    }
    const target = `${PREFIX}${cut(token)}`
    if (request.method !== 'POST') {
      onRefused(requestAddress(request), () => {
        return { ...describeConnection(request.socket), code: 'wrong_method', environment, detail: target }
      })
      answer(response, 405, 'notifications are sent by POST', { allow: 'POST' })
      return
    }
    const tls = request.socket as Partial<TLSSocket>
    intake(request, response, {
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

  const server =
    own === null
      ? createHttpServer(serverOptions(limits), app)
      : createHttpsServer({ ...serverOptions(limits), ...serverTlsOptions(own, limits.handshakeTimeoutMs) }, app)
  const listener = await startListener(server, {
    name: 'chargeNotifications',
    host: options.host,
    port: options.port,
    limits,
    onRefused,
    isAddressAllowed: options.isAddressAllowed,
    now: options.now,
  })
  return {
    ...listener,
    renewOwn(next) {
      if ('setSecureContext' in server) server.setSecureContext(serverTlsOptions(next, limits.handshakeTimeoutMs))
    },
  }
}

/** All that is ever shown of a token. */
function cut(token: string): string {
  return `${token.slice(0, 4)}…`
}

function tokenOf(target: string): string | null {
  const path = pathOfTarget(target)
  if (!path.startsWith(PREFIX)) return null
  const token = path.slice(PREFIX.length).replace(/\/$/, '')
  return token === '' || token.includes('/') ? null : token
}

/** Every token is compared, in constant time: neither which one matched nor how much of it can be measured. */
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
