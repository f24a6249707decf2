import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { messageOf, PortariaError } from '../domain/errors.ts'

export interface ListenerLimits {
  readonly bodyBytes: number
  readonly headersBytes: number
  readonly handshakeTimeoutMs: number
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  readonly sockets: number
}

export interface Refusal {
  /** In words, for an operator. */
  readonly reason: string
  readonly remoteAddress: string
  readonly tlsVersion?: string | undefined
}

export interface RunningListener {
  readonly host: string
  readonly port: number
  /** Stops accepting, lets requests finish for at most `graceMs`, then closes what is left. */
  stop(graceMs: number): Promise<void>
}

export interface ListenOptions {
  /** Configuration key of the listener, for texts. */
  readonly name: string
  readonly host: string
  readonly port: number
  readonly limits: ListenerLimits
  readonly onRefused: (refusal: Refusal) => void
  readonly isAddressAllowed?: (address: string) => boolean
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
  }
}

/** @throws PortariaError `listen_failed` */
export async function startListener(
  server: HttpServer | HttpsServer,
  options: ListenOptions,
): Promise<RunningListener> {
  const sockets = new Set<Socket>()
  const handshaking = new Map<string, Socket>()
  const failedHandshakes = new WeakSet<Socket>()
  const latestResponses = new WeakMap<Socket, ServerResponse>()
  server.maxConnections = options.limits.sockets
  // The last resort: whoever takes no bytes and sends none, an answer it never reads included.
  server.timeout = Math.max(options.limits.keepAliveTimeoutMs, options.limits.requestTimeoutMs) + IDLE_SLACK_MS

  server.on('connection', (socket: Socket) => {
    if (options.isAddressAllowed?.(addressOf(socket)) === false) {
      options.onRefused({ reason: 'its address is not allowed', remoteAddress: addressOf(socket) })
      socket.destroy()
      return
    }
    const key = endpointOf(socket)
    sockets.add(socket)
    if ('setSecureContext' in server) admitHandshake(handshaking, key, socket, options)
    socket.once('close', () => {
      sockets.delete(socket)
      if (handshaking.get(key) === socket) handshaking.delete(key)
    })
  })
  server.on('secureConnection', (socket: TLSSocket) => handshaking.delete(endpointOf(socket)))
  // Prepended, for Node's own listener passes the error on as a clientError.
  server.prependListener('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    options.onRefused({
      reason: handshakeReason(error, socket),
      remoteAddress: addressOf(socket),
      // Asking a destroyed socket ends the whole process (a segmentation fault in Node 24): its TLS is gone.
      tlsVersion: socket.destroyed ? undefined : (socket.getProtocol() ?? undefined),
    })
    failedHandshakes.add(socket)
    socket.destroy()
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    latestResponses.set(request.socket, response)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (failedHandshakes.has(socket)) return
    if (error.code !== 'ECONNRESET')
      options.onRefused({ reason: `bad request: ${error.code ?? error.message}`, remoteAddress: addressOf(socket) })
    answerInTurn(latestResponses.get(socket), error, socket)
  })
  server.on('drop', (dropped?: { remoteAddress?: string }) => {
    options.onRefused({ reason: 'too many connections', remoteAddress: dropped?.remoteAddress ?? 'unknown' })
  })

  await listen(server, options)
  const address = server.address() as AddressInfo
  return {
    host: address.address,
    port: address.port,
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
        for (const socket of handshaking.values()) socket.destroy()
      })
    },
  }
}

/** Stalled handshakes never take more than half of the places: the oldest of them makes room. */
function admitHandshake(handshaking: Map<string, Socket>, key: string, socket: Socket, options: ListenOptions): void {
  handshaking.set(key, socket)
  if (handshaking.size <= options.limits.sockets / 2) return
  const [oldest] = handshaking
  if (oldest === undefined) return
  handshaking.delete(oldest[0])
  options.onRefused({ reason: 'stalled handshake, its place was needed', remoteAddress: addressOf(oldest[1]) })
  oldest[1].destroy()
}

function handshakeReason(error: NodeJS.ErrnoException, socket: TLSSocket): string {
  // For a bad certificate Node reports a mere reset; the reason stands on the socket.
  const unverified = socket.authorizationError as unknown
  if (unverified !== undefined && unverified !== null) return `bad client certificate: ${String(unverified)}`
  switch (error.code) {
    case 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE':
      return 'no client certificate'
    case 'ERR_SSL_UNSUPPORTED_PROTOCOL':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return 'TLS too old, or not TLS at all'
    case 'ERR_SSL_NO_SHARED_CIPHER':
      return 'no common cipher'
    case 'ERR_TLS_HANDSHAKE_TIMEOUT':
      return 'stalled handshake'
    default:
      return `handshake failed: ${error.code ?? error.message}`
  }
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

function listen(server: HttpServer | HttpsServer, { name, host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new PortariaError(
          'listen_failed',
          `cannot listen on ${name}.host ${host}, ${name}.port ${port}: ${messageOf(error)}; free the port, or choose another`,
          { cause: error },
        ),
      )
    })
    server.listen({ host, port }, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}

/** Without the IPv4-mapped form that a dual-stack socket gives. */
export function addressOf(socket: { remoteAddress?: string | undefined }): string {
  return (socket.remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/, '')
}

export function requestAddress(request: IncomingMessage): string {
  return addressOf(request.socket)
}

function endpointOf(socket: Socket): string {
  return `${socket.remoteAddress}:${socket.remotePort}`
}
