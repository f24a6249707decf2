import type { X509Certificate } from 'node:crypto'
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Environment } from '../domain/event.ts'
import { messageOf, PortariaError } from '../platform/errors.ts'
import { admitFirst, type ConnectionLimiter } from '../tls/connection-limiter.ts'
import { answerHalfClosed } from '../tls/half-close.ts'
import { addressOf } from '../tls/remote-address.ts'
import { describeConnection } from './connection.ts'
import { type Handshakes, watchHandshakes } from './handshakes.ts'
import { CONNECT_REFUSED, type Reason, reasonOfRequest } from './refusal-reasons.ts'
import type { OnRefused } from './refusals.ts'

export interface ListenerLimits {
  readonly bodyBytes: number
  readonly headersBytes: number
  readonly handshakeTimeoutMs: number
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  readonly maxConnections: number
  readonly connectionsPerAddress: number
}

export interface RunningListener {
  readonly host: string
  readonly port: number
  /** How many connections are open. */
  connections(): number
  /** Stops accepting, lets requests finish for at most `graceMs`, then closes what is left. */
  stop(graceMs: number): Promise<void>
}

export interface ListenOptions {
  /** Configuration key of the listener, for texts. */
  readonly name: string
  readonly host: string
  readonly port: number
  /** A descriptor of a socket that listens already, in place of host and port. */
  readonly socket?: number | undefined
  readonly limits: ListenerLimits
  readonly connections: ConnectionLimiter
  readonly onRefused: OnRefused
  readonly isAddressAllowed?: (address: string) => boolean
  /** Of whose chain a certificate would be, if it were good; left out where none is asked for. */
  readonly environmentOf?: (certificate: X509Certificate) => Environment | undefined
  /** As in HandshakeOptions. */
  readonly excuses?: (flaw: NodeJS.ErrnoException, socket: TLSSocket) => boolean
  /** Of whose chain the caller behind a connection is; undefined: nobody knows. */
  readonly environmentBehind?: (socket: Socket) => Environment | undefined
  readonly now: () => number
}

/** How often connections that have become idle are closed while the listener stops. */
const SWEEP_MS = 200

const IDLE_SLACK_MS = 60_000

/** Node's own options of both server classes, from the limits. */
export function serverOptions(limits: ListenerLimits) {
  return {
    maxHeaderSize: limits.headersBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // How often the two request timeouts are looked at; Node's 30 s would make 10 s mean 40 s.
    connectionsCheckingInterval: 1000,
    noDelay: true,
    // Node would answer by itself, and nobody would be told: the apps look for it.
    requireHostHeader: false,
  }
}

/** @throws PortariaError `listen_failed` */
export async function startListener(
  server: HttpServer | HttpsServer,
  options: ListenOptions,
): Promise<RunningListener> {
  const sockets = new Set<Socket>()
  const handshakes = watch(server, options)
  const latestResponses = new WeakMap<Socket, ServerResponse>()
  const reported = new WeakSet<Socket>()
  answerHalfClosed(server)
  // The last resort: whoever takes no bytes and sends none, an answer it never reads included.
  server.timeout = Math.max(options.limits.keepAliveTimeoutMs, options.limits.requestTimeoutMs) + IDLE_SLACK_MS

  admitFirst(server, (socket) => {
    if (options.isAddressAllowed?.(addressOf(socket)) === false) {
      options.onRefused(addressOf(socket), () => ({ code: 'address_not_allowed' }))
      socket.destroy()
      return false
    }
    if (!options.connections.admit(socket)) return false
    sockets.add(socket)
    handshakes?.admit(socket)
    socket.once('close', () => sockets.delete(socket))
    return true
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    latestResponses.set(request.socket, response)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (handshakes?.hasFailed(socket) === true) return
    const latest = latestResponses.get(socket)
    const reason = reasonOfRequest(error)
    // What is left of a broken request breaks the reader again.
    if (reason !== null && !reported.has(socket) && !isAnsweredHalfRead(latest)) {
      reported.add(socket)
      refuse(socket, reason)
    }
    answerInTurn(latest, error, socket)
  })
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    // Node hands the connection over bare: an error that nobody listens for would end the process, and nobody would look at the timeout.
    for (const event of ['error', 'timeout']) socket.on(event, () => socket.destroy())
    if (socket.destroyed) return
    refuse(socket, CONNECT_REFUSED)
    closeInTurn(latestResponses.get(socket), socket)
  })
  function refuse(socket: Socket, reason: Reason): void {
    options.onRefused(addressOf(socket), () => {
      return { ...describeConnection(socket), ...reason, environment: options.environmentBehind?.(socket) }
    })
  }

  await listen(server, options)
  // Such as EMFILE: one that cannot be accepted is refused, and ends nothing.
  server.on('error', ({ code: rawCode = 'unknown' }: NodeJS.ErrnoException) => {
    options.onRefused('unknown', () => ({ code: 'too_many_connections', rawCode }))
  })
  const address = boundAddress(server)
  return {
    host: address.address,
    port: address.port,
    connections: options.connections.count,
    stop(graceMs) {
      return new Promise((resolve) => {
        const deadline = setTimeout(() => {
          for (const socket of sockets) socket.destroy()
        }, graceMs)
        // Node would go on serving a busy keep-alive connection until the deadline cuts off whatever is under way on it.
        server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
          response.shouldKeepAlive = false
        })
        const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
        server.close(() => {
          clearTimeout(deadline)
          clearInterval(sweep)
          resolve()
        })
        server.closeIdleConnections()
        // Handshakes that are still under way carry no request yet.
        handshakes?.end()
      })
    },
  }
}

function watch(server: HttpServer | HttpsServer, options: ListenOptions): Handshakes | null {
  if (!('setSecureContext' in server)) return null
  return watchHandshakes(server, {
    ...options,
    environmentOf: options.environmentOf,
    hasMadeRoom: options.connections.hasMadeRoom,
  })
}

/** It was refused before its end: how the rest of it breaks is no second refusal. */
function isAnsweredHalfRead(latest: ServerResponse | undefined): boolean {
  return latest?.writableEnded === true && !latest.req.complete
}

/** What stands before it on the connection still gets its answer. */
function closeInTurn(latest: ServerResponse | undefined, socket: Socket): void {
  if (latest === undefined || latest.closed) socket.destroy()
  else latest.once('close', () => socket.destroySoon())
}

/** Every request gets one answer, in order, whatever is found wrong behind it. */
function answerInTurn(latest: ServerResponse | undefined, error: NodeJS.ErrnoException, socket: Socket): void {
  if (latest === undefined || !isErrorOfHttp(error) || latest.writableFinished === latest.req.complete)
    answerBadRequest(error, socket)
  else if (latest.writableFinished) socket.destroySoon()
  else {
    latest.once('close', () => {
      if (socket.writable) answerBadRequest(error, socket)
    })
  }
}

/**
 * Only `end()` would leave a stalled connection open for ever. So would any answer after an error of TLS itself (a renegotiation, a bad record):
 * it can no longer be sent, and whoever waits for its end waits for ever.
 */
function answerBadRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request'
  if (socket.writable && isErrorOfHttp(error)) {
    socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
    socket.destroySoon()
  } else socket.destroy()
}

function isErrorOfHttp({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' || code?.startsWith('HPE_') === true
}

function listen(
  server: HttpServer | HttpsServer,
  { name, host, port, socket, onRefused }: ListenOptions,
): Promise<void> {
  const [place, advice] =
    socket === undefined
      ? [`${name}.host ${host}, ${name}.port ${port}`, 'free the port, or choose another']
      : [`the socket that was passed for ${name}`, 'write ListenStream= with a port into its unit']
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const text = `cannot listen on ${place}: ${messageOf(error)}; ${advice}`
      reject(new PortariaError('listen_failed', text, { cause: error }))
    })
    server.listen(socket === undefined ? { host, port } : { fd: socket }, () => {
      server.removeAllListeners('error')
      // accept(2) without a descriptor: the connection waits or is dropped, and the process goes on.
      server.on('error', () => onRefused('unknown', () => ({ code: 'too_many_connections' })))
      resolve()
    })
  })
}

/** @throws PortariaError `listen_failed` for a passed socket that has no address and port */
function boundAddress(server: HttpServer | HttpsServer): AddressInfo {
  const address = server.address()
  if (typeof address === 'object' && address !== null) return address
  server.close()
  throw new PortariaError(
    'listen_failed',
    'a socket was passed that is none of TCP: write ListenStream= with a port into its unit',
  )
}
