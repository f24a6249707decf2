import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type ConnectionLimits, type ConnectionRefusal, createRoomMaker } from './making-room.ts'
import { type Connection, createOpenConnections, sizeOf } from './open-connections.ts'
import { addressOf, networkOf, type RemoteEnd } from './remote-address.ts'

/** Calls `admit` for each connection before Node uses it, TLS included. `admit` destroys the connection where it returns false. */
export function admitFirst(server: Server, admit: (socket: Socket) => boolean): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (admit(socket)) for (const listener of listeners) listener.call(server, socket)
  })
}

export interface ConnectionLimiter {
  /** Call for each accepted connection. False: there is no room, and the connection was closed. */
  admit(socket: Socket): boolean
  /** The caller is authenticated: only idle time makes its connection give way to others. */
  authenticated(socket: Socket): void
  /** The limiter closed this connection and reported it. */
  hasMadeRoom(socket: Socket): boolean
  /** Closes the connections whose TLS handshake is under way. */
  closeHandshakes(): void
  /** How many are open. */
  count(): number
}

/**
 * Keeps a listener's connections within its limits and accepts new ones nevertheless: others make room for them. With Node's `maxConnections`, idle
 * untrusted callers could take every place.
 */
export function limitConnections(
  server: Server,
  options: ConnectionLimits & {
    readonly onRefused: (caller: RemoteEnd, refusal: ConnectionRefusal) => void
    /** In ms, monotonic. */
    readonly now?: () => number
  },
): ConnectionLimiter {
  const { onRefused, now = () => performance.now() } = options
  const isTls = 'setSecureContext' in server
  const connections = createOpenConnections()
  const makeRoomFor = createRoomMaker(connections, { server, limits: options, close, now })
  const bySocket = new WeakMap<object, Connection>()
  /** By endpoint, because a TLS socket has no reference to its TCP socket. */
  const byEndpoint = new Map<string, Connection>()
  const madeRoom = new WeakSet<Socket>()

  server.on('secureConnection', (socket: Socket) => {
    const connection = connectionOf(socket)
    if (connection !== undefined) connection.isHandshakeDone = true
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = connectionOf(request.socket)
    if (connection === undefined) return
    connection.latest = response
    connections.used(connection, now())
  })

  function connectionOf(socket: Socket): Connection | undefined {
    const known = bySocket.get(socket)
    if (known !== undefined) return known
    const connection = byEndpoint.get(endpointOf(socket))
    if (connection === undefined) return undefined
    connection.stream = socket
    bySocket.set(socket, connection)
    return connection
  }

  function close(connection: Connection, refusal: ConnectionRefusal): void {
    const { accepted, stream, isAuthenticated } = connection
    // An authenticated caller had its answer, so closing its connection is no refusal.
    if (!isAuthenticated) onRefused(accepted, refusal)
    madeRoom.add(accepted)
    remove(connection)
    stream.destroy()
  }

  function remove(connection: Connection): void {
    connections.remove(connection)
    if (byEndpoint.get(connection.endpoint) === connection) byEndpoint.delete(connection.endpoint)
  }

  return {
    admit(socket) {
      const share = connections.shareOf(networkOf(addressOf(socket)))
      const refusal = makeRoomFor(share)
      if (refusal !== null) {
        onRefused(socket, refusal)
        socket.destroy()
        return false
      }
      const connection: Connection = {
        share,
        endpoint: endpointOf(socket),
        accepted: socket,
        stream: socket,
        isHandshakeDone: !isTls,
        isAuthenticated: false,
        activeAt: now(),
        latest: undefined,
      }
      connections.add(connection)
      if (isTls) byEndpoint.set(connection.endpoint, connection)
      else bySocket.set(socket, connection)
      socket.once('close', () => remove(connection))
      return true
    },
    authenticated(socket) {
      const connection = connectionOf(socket)
      if (connection !== undefined && !connection.isAuthenticated) connections.authenticated(connection)
    },
    hasMadeRoom: (socket) => madeRoom.has(socket),
    closeHandshakes() {
      for (const { isHandshakeDone, accepted } of connections.all.unauthenticated)
        if (!isHandshakeDone) accepted.destroy()
    },
    count: () => sizeOf(connections.all),
  }
}

function endpointOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}
