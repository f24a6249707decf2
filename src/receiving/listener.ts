import type { X509Certificate } from 'node:crypto'
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Realm } from '../domain/realm.ts'
import { PortariaError, systemWords } from '../platform/errors.ts'
import { say } from '../platform/said.ts'
import { onceClosed, refuseInTurn } from '../tls/broken-requests.ts'
import { admitFirst, type ConnectionLimiter } from '../tls/connection-limiter.ts'
import { answerHalfClosed } from '../tls/half-close.ts'
import { endBehindUpgrades, keepPipelinedBytes } from '../tls/pipelining.ts'
import { type CallerReader, createCallerReader } from '../tls/proxied-connections.ts'
import { addressOf } from '../tls/remote-address.ts'
import { describeConnection } from './connection.ts'
import { type Handshakes, watchHandshakes } from './handshakes.ts'
import type { OwnConnections } from './own-connections.ts'
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
  /** Stops accepting, waits at most `graceMs` for requests, then closes the remaining connections. */
  stop(graceMs: number): Promise<void>
}

export interface ListenOptions {
  /** Configuration key of the listener, for error texts. */
  readonly name: string
  readonly host: string
  readonly port: number
  /** The file descriptor of a listening socket, in place of host and port. */
  readonly socket?: number | undefined
  readonly limits: ListenerLimits
  readonly connections: ConnectionLimiter
  readonly onRefused: OnRefused
  readonly own: OwnConnections
  /** Networks of load balancers: from there a connection begins with a PROXY protocol header, which states its caller. */
  readonly proxyProtocol: readonly string[]
  readonly isAddressAllowed?: (address: string) => boolean
  /** As in HandshakeOptions. */
  readonly environmentOf?: (certificate: X509Certificate) => Realm | undefined
  /** As in HandshakeOptions. */
  readonly excuses?: (flaw: NodeJS.ErrnoException, socket: TLSSocket) => boolean
  /** The environment of a connection's caller; undefined: unknown. */
  readonly environmentBehind?: (socket: Socket) => Realm | undefined
  readonly now: () => number
}

/** How often idle connections are closed while the listener stops. */
const SWEEP_MS = 200

const IDLE_SLACK_MS = 60_000

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
  keepPipelinedBytes(server)
  endBehindUpgrades(server)
  // The last resort for a caller that neither reads nor sends, for example one that never reads its answer.
  server.timeout = Math.max(options.limits.keepAliveTimeoutMs, options.limits.requestTimeoutMs) + IDLE_SLACK_MS

  const admit = (socket: Socket) => {
    options.own.accepted(socket)
    if (options.isAddressAllowed?.(addressOf(socket)) === false) {
      options.onRefused(socket, () => ({ code: 'address_not_allowed' }))
      socket.destroy()
      return false
    }
    if (!options.connections.admit(socket)) return false
    sockets.add(socket)
    handshakes?.admit(socket)
    socket.once('close', () => sockets.delete(socket))
    return true
  }
  admitFirst(server, admit, readerOf(options))
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
    // The rest of a broken request causes more errors.
    if (reason !== null && !reported.has(socket) && !isAnsweredHalfRead(latest)) {
      reported.add(socket)
      refuse(socket, reason)
    }
    // After a TLS error (a renegotiation, a bad record) an answer can no longer be sent: it would leave the connection open forever.
    if (!isErrorOfHttp(error) || takesNoAnswers(error, socket)) socket.destroy()
    else refuseInTurn({ socket, latest, refuse: () => answerBadRequest(error, socket) })
  })
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    // Node removes its listeners: an unhandled error would end the process, and the timeout would have no effect.
    for (const event of ['error', 'timeout']) socket.on(event, () => socket.destroy())
    if (socket.destroyed) return
    refuse(socket, CONNECT_REFUSED)
    const latest = latestResponses.get(socket)
    // Earlier requests on the connection get their answers first.
    if (latest === undefined) socket.destroy()
    else onceClosed(latest, () => socket.destroySoon())
  })
  function refuse(socket: Socket, reason: Reason): void {
    const environment = options.environmentBehind?.(socket)
    const describe = () => ({ ...describeConnection(socket), ...reason, environment })
    options.onRefused(socket, describe, environment !== undefined)
  }

  await listen(server, options)
  // For example EMFILE: a connection that cannot be accepted is a refusal.
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
        // Otherwise Node would serve a busy keep-alive connection until the deadline interrupts a request.
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
        // A handshake under way has no request yet.
        handshakes?.end()
        options.connections.closeHandshakes()
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

function readerOf({ proxyProtocol, limits, connections, own, onRefused }: ListenOptions): CallerReader | null {
  return createCallerReader({
    networks: proxyProtocol,
    timeoutMs: limits.handshakeTimeoutMs,
    admitUnread: connections.admitUnread,
    isOwn: own.expects,
    onRefused: (socket, refusal) => onRefused(socket, () => refusal),
  })
}

/** The request was refused before its end, so errors in its rest are no second refusal. */
function isAnsweredHalfRead(latest: ServerResponse | undefined): boolean {
  return latest?.writableEnded === true && !latest.req.complete
}

/** `end()` alone would leave a stalled connection open forever. */
function answerBadRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request'
  if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  socket.destroySoon()
}

/** Its answers wait for it, and so does the rest of its requests, until they are late. */
function takesNoAnswers({ code }: NodeJS.ErrnoException, socket: Socket): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.writableLength > 0
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
      const text = `cannot listen on ${place}: ${systemWords(error)}; ${advice}`
      reject(new PortariaError('listen_failed', text, { cause: error }))
    })
    server.listen(socket === undefined ? { host, port } : { fd: socket }, () => {
      server.removeAllListeners('error')
      // accept(2) without a descriptor: the connection waits or is dropped, and the process continues.
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
    say`a socket was passed that is none of TCP: write ListenStream= with a port into its unit`,
  )
}
