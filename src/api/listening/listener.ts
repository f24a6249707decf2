import { chmodSync, unlinkSync } from 'node:fs'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { type AddressInfo, connect, type ListenOptions, type Socket } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { RefusedCaller } from '../../domain/refusal.ts'
import type { ClientTrust } from '../../domain/trust.ts'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { createServer } from '../../platform/http.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { say } from '../../platform/said.ts'
import { admitFirst, limitConnections } from '../../tls/connection-limiter.ts'
import { answerHalfClosed } from '../../tls/half-close.ts'
import type { ConnectionLimits } from '../../tls/making-room.ts'
import { createRequestTurns, endBehindUpgrades, readInSlices, serveInOrder } from '../../tls/pipelining.ts'
import { createCallerReader } from '../../tls/proxied-connections.ts'
import { addressOf } from '../../tls/remote-address.ts'
import { type RequestLimits, serverOptions } from '../../tls/server-options.ts'
import { type ServerKeyPair, serverTlsOptions } from '../../tls/server-tls-options.ts'
import { reportAuthenticated } from '../auth/authenticated-connections.ts'
import {
  type CertificateReading,
  checkPeerCertificates,
  clientCertificateOptions,
} from '../auth/client-certificates.ts'
import { hasPeerExpired } from '../auth/peer-certificate.ts'
import { answerUnreadableRequests } from './unreadable-requests.ts'

export interface RunningApi {
  readonly host: string
  readonly port: number
  /** Number of open connections. */
  connections(): number
  /** Only with TLS. Applies to new handshakes; open connections stay. @throws when TLS rejects the certificate; the old one stays in use */
  setServerCertificate(serverCertificate: ServerKeyPair): void
  /**
   * Only with client certificates. Applies to new handshakes. With other authorities, connections with a peer certificate are closed; with another
   * revocation list, those that it concerns. @throws when TLS rejects it
   */
  renewClientTrust(trust: ClientTrust): void
  stop(): Promise<void>
}

export interface ApiLimits extends ConnectionLimits, RequestLimits {
  readonly handshakeTimeoutMs: number
}

/** For the operator's commands, each of which has one connection while it runs. */
const CONTROL_LIMITS = {
  headersBytes: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
}
/** Part of the budget of file descriptors. */
export const CONTROL_CONNECTIONS = 64

const IDLE_SLACK_MS = 60_000

function apiServerOptions(limits: RequestLimits) {
  // Without it Node reads the body that a GET does not have, in several turns behind its answer: a tenth of the CPU time of a short answer.
  return { ...serverOptions(limits), optimizeEmptyRequests: true }
}

/** @throws PortariaError `listen_failed` */
export async function startApiListener(
  app: RequestListener,
  at: {
    host: string
    port: number
    socket?: number | undefined
    tls: ServerKeyPair | null
    clients?: ClientCertificates | null
    limits: ApiLimits
    /** Networks of load balancers: from there a connection begins with a PROXY protocol header, which states its caller. */
    proxyProtocol: readonly string[]
    /** Whether a command on this machine makes the connection. */
    isOwn: (socket: Socket) => boolean
    onRefused: (remoteAddress: string, describe: () => RefusedCaller) => void
  },
): Promise<RunningApi> {
  let { tls: serverCertificate, clients = null } = at
  const { limits, onRefused } = at
  const options = apiServerOptions(limits)
  // Always the complete set: `setSecureContext` resets omitted options.
  const tls = (serverCertificate: ServerKeyPair, clients: ClientCertificates | null) => ({
    ...serverTlsOptions(serverCertificate, limits.handshakeTimeoutMs),
    ...(clients !== null && clientCertificateOptions(clients.trust.authorities, clients.isRequired)),
  })
  const turns = createRequestTurns()
  const receive = serveInOrder(serverCertificate === null ? app : refuseExpired(app), turns, isForHealth)
  const server =
    serverCertificate === null
      ? createServer(options, receive)
      : createTlsServer({ ...options, ...tls(serverCertificate, clients) }, receive)
  // For connections without any traffic. Longer than a request may wait for events.
  server.timeout = Math.max(limits.keepAliveTimeoutMs, limits.requestTimeoutMs) + IDLE_SLACK_MS
  const connections = limitConnections(server, {
    ...limits,
    onRefused: (caller, why) => onRefused(addressOf(caller), () => why),
  })
  const certificates = clients === null || !isTls(server) ? null : checkClients(server, clients)
  function checkClients(server: TlsServer, first: ClientCertificates) {
    return checkPeerCertificates(server, {
      reading: first.reading,
      trust: () => (clients ?? first).trust,
      onRefused: (socket, code) => onRefused(addressOf(socket), () => ({ code })),
    })
  }
  answerHalfClosed(server)
  readInSlices(server, serverCertificate === null ? 'connection' : 'secureConnection')
  endBehindUpgrades(server)
  reportAuthenticated(server, connections.authenticated)
  const readCaller = createCallerReader({
    networks: at.proxyProtocol,
    timeoutMs: limits.handshakeTimeoutMs,
    admitUnread: connections.admitUnread,
    isOwn: at.isOwn,
    onRefused: (socket, refusal) => onRefused(addressOf(socket), () => refusal),
  })
  admitFirst(server, connections.admit, readCaller)
  server.on('connection', turns.accepted)
  answerUnreadableRequests(server)
  if (at.socket === undefined)
    await listen(server, { host: at.host, port: at.port }, `api.host ${at.host}, api.port ${at.port}`)
  else await listen(server, { fd: at.socket }, 'the socket that was passed for api')
  // A connection that cannot be accepted (such as EMFILE) is recorded as refused.
  server.on('error', ({ code: rawCode = 'unknown' }: NodeJS.ErrnoException) => {
    onRefused('unknown', () => ({ code: 'too_many_connections', rawCode }))
  })
  const address = server.address()
  const problem = at.socket === undefined ? null : problemOfSocket(address, serverCertificate)
  if (problem !== null) {
    // No request has been served yet: accepted connections wait for the event loop.
    server.close()
    throw new PortariaError('listen_failed', `the socket that was passed for api ${problem}`)
  }
  const { address: host, port } = address as AddressInfo
  return {
    host,
    port,
    connections: connections.count,
    setServerCertificate(next) {
      if (!isTls(server)) return
      server.setSecureContext(tls(next, clients))
      serverCertificate = next
    },
    renewClientTrust(trust) {
      if (!isTls(server) || serverCertificate === null || clients === null) return
      const next = { ...clients, trust }
      const isSame = isDeepStrictEqual(trust.authorities, clients.trust.authorities)
      if (isSame) {
        // Another revocation list concerns few of the clients, and no handshake.
        clients = next
        certificates?.closeRevoked()
        return
      }
      server.setSecureContext(tls(serverCertificate, next))
      clients = next
      certificates?.closeAll()
      // A handshake that began before is judged by the earlier authorities when it ends.
      connections.closeHandshakes()
    },
    stop() {
      connections.closeHandshakes()
      return stop(server)
    },
  }
}

/** A load balancer asks for it within a time limit, and sends no callback to a node that does not answer. */
function isForHealth({ url }: IncomingMessage): boolean {
  return url === '/readyz' || url === '/healthz'
}

/** A peer certificate may expire while its connection is open. Then its connection is closed, as in a new handshake. */
function refuseExpired(app: RequestListener): RequestListener {
  return function receive(request, response) {
    if (hasPeerExpired(request.socket)) request.socket.destroy()
    else app(request, response)
  }
}

/** The address of a passed socket is known only now; that of the configuration was checked when it was read. */
function problemOfSocket(address: AddressInfo | string | null, serverCertificate: ServerKeyPair | null): string | null {
  if (typeof address !== 'object' || address === null)
    return 'is none of TCP: write ListenStream= with a port into its unit'
  if (serverCertificate !== null || isLoopback(address.address)) return null
  const advice = `add certificate and privateKey, or write ListenStream=127.0.0.1:${address.port} into its unit`
  return `listens on ${address.address}, which is not a loopback address, so the API must have TLS: ${advice}`
}

/** The certificate authorities whose client certificates are accepted. */
export interface ClientCertificates {
  readonly trust: ClientTrust
  /** Whether handshakes without a certificate fail. */
  readonly isRequired: boolean
  readonly reading: CertificateReading
}

function isTls(server: Server): server is TlsServer {
  return 'setSecureContext' in server
}

/**
 * The control socket, with mode 0600: the file mode is the authentication.
 * @throws PortariaError `listen_failed`
 */
export async function startControlListener(app: RequestListener, path: string): Promise<{ stop(): Promise<void> }> {
  if (Buffer.byteLength(path) > 107) {
    throw new PortariaError(
      'listen_failed',
      say`the control socket's path ${{ path }} is longer than the 107 bytes that the system allows: give storage.url, or with PostgreSQL node.folder, a shorter folder`,
    )
  }
  if (await answers(path)) {
    throw new PortariaError(
      'listen_failed',
      say`another gateway answers at ${{ path }}: give each database a folder of its own, with PostgreSQL each node (node.folder)`,
    )
  }
  const server = createServer(apiServerOptions(CONTROL_LIMITS), app)
  server.maxConnections = CONTROL_CONNECTIONS
  answerHalfClosed(server)
  const mask = process.umask(0o177)
  try {
    await listen(server, { path }, path)
  } finally {
    process.umask(mask)
  }
  chmodSync(path, 0o600)
  return { stop: () => stop(server) }
}

/** Whether a process listens on the socket; removes the socket file of a process that ended. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') unlinkSync(path)
      resolve(false)
    })
  })
}

function listen(server: Server, options: ListenOptions | { fd: number }, place: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new PortariaError(
          'listen_failed',
          say`cannot listen on ${{ place }}: ${{ error: systemWords(error) }}; free it, or choose another`,
          { cause: error },
        ),
      )
    })
    server.listen(options, () => {
      server.removeAllListeners('error')
      // accept(2) can fail without a free descriptor; the process must continue.
      server.on('error', () => undefined)
      resolve()
    })
  })
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), 1000)
    server.close(() => {
      clearTimeout(deadline)
      resolve()
    })
    server.closeIdleConnections()
  })
}
