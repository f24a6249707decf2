import { chmodSync, unlinkSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type ListenOptions } from 'node:net'
import { messageOf, PortariaError } from '../domain/errors.ts'

export interface RunningApi {
  readonly host: string
  readonly port: number
  /** For new handshakes; open connections go on. Only where TLS is on. @throws when TLS refuses it; then the old one stays */
  renewOwn(own: OwnCertificate): void
  stop(): Promise<void>
}

/** PEM, full chain, and key. */
export interface OwnCertificate {
  readonly cert: string
  readonly key: string
}

const LIMITS = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  connectionsCheckingInterval: 1000,
}

/** @throws PortariaError `listen_failed` */
export async function startApiListener(
  app: RequestListener,
  at: { host: string; port: number; tls: OwnCertificate | null },
): Promise<RunningApi> {
  const server =
    at.tls === null ? createServer(LIMITS, app) : createTlsServer({ ...LIMITS, ...tlsOptions(at.tls) }, app)
  await listen(server, { host: at.host, port: at.port }, `api.host ${at.host}, api.port ${at.port}`)
  const address = server.address() as AddressInfo
  return {
    host: address.address,
    port: address.port,
    renewOwn(own) {
      if ('setSecureContext' in server) server.setSecureContext(tlsOptions(own))
    },
    stop: () => stop(server),
  }
}

/** The complete set each time: `setSecureContext` forgets what is left out. */
function tlsOptions({ cert, key }: OwnCertificate) {
  return { cert, key, minVersion: 'TLSv1.2' as const }
}

/**
 * The control socket: mode 0600, the file mode is the authentication.
 * @throws PortariaError `listen_failed`
 */
export async function startControlListener(app: RequestListener, path: string): Promise<{ stop(): Promise<void> }> {
  if (Buffer.byteLength(path) > 107) {
    throw new PortariaError(
      'listen_failed',
      `the control socket's path ${path} is longer than the 107 bytes that the system allows: give storage.url a shorter folder`,
    )
  }
  if (await answers(path)) {
    throw new PortariaError(
      'listen_failed',
      `another gateway answers at ${path}: give each database a folder of its own`,
    )
  }
  const server = createServer(LIMITS, app)
  const mask = process.umask(0o177)
  try {
    await listen(server, { path }, path)
  } finally {
    process.umask(mask)
  }
  chmodSync(path, 0o600)
  return { stop: () => stop(server) }
}

/** Whether somebody listens; what a dead process left behind is removed. */
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

function listen(server: Server, options: ListenOptions, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new PortariaError(
          'listen_failed',
          `cannot listen on ${words}: ${messageOf(error)}; free it, or choose another`,
          { cause: error },
        ),
      )
    })
    server.listen(options, () => {
      server.removeAllListeners('error')
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
