import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type ConnectionLimits, type ConnectionRefusal, createRoomMaker } from './making-room.ts'
import { type Connection, createOpenConnections, type Share, sizeOf } from './open-connections.ts'
import type { CallerReader } from './proxied-connections.ts'
import { addressOf, networkOf, type RemoteEnd } from './remote-address.ts'

/**
 * Calls `admit` for each connection before Node uses it, TLS included. `admit` destroys the connection where it returns false.
 * @param readCaller finds out before whose connection it is; null: it is that of its remote address
 */
export function admitFirst(
  server: Server,
  admit: (socket: Socket) => boolean,
  readCaller: CallerReader | null = null,
): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const accept = () => {
      if (admit(socket)) for (const listener of listeners) listener.call(server, socket)
    }
    if (readCaller === null) accept()
    else readCaller(socket, accept)
  })
}

export interface ConnectionLimiter {
  /** As `admit`, for a connection whose caller is read from it: it has a place, and no share of an address. `admit` may follow. */
  admitUnread(socket: Socket): boolean
  /** Call for each accepted connection. False: there is no room, and the connection was closed. */
  admit(socket: Socket): boolean
  /** The caller is authenticated: only idle time makes its connection give way to others. */
  authenticated(socket: Socket): void
  /** The limiter closed this connection and reported it. */
  hasMadeRoom(socket: Socket): boolean
  /** Closes the connections whose TLS handshake is under way, or whose caller is being read. */
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
  const room = createRoomMaker(connections, { server, limits: options, close, now })
  const bySocket = new WeakMap<object, Connection>()
  /** By endpoint, because a TLS socket has no reference to its TCP socket. */
  const byEndpoint = new Map<string, Connection>()
  const unread = new WeakMap<Socket, Connection>()
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
    if (connections.unread.delete(connection)) return
    connections.remove(connection)
    if (byEndpoint.get(connection.endpoint) === connection) byEndpoint.delete(connection.endpoint)
  }

  /** @returns null: it was closed */
  function take(socket: Socket, share: Share, refusal: ConnectionRefusal | null): Connection | null {
    if (refusal !== null) {
      onRefused(socket, refusal)
      socket.destroy()
      return null
    }
    return {
      share,
      endpoint: endpointOf(socket),
      accepted: socket,
      stream: socket,
      isHandshakeDone: false,
      isAuthenticated: false,
      activeAt: now(),
      latest: undefined,
    }
  }

  return {
    admitUnread(socket) {
      // Of no share: a load balancer's address has the connections of all callers.
      const share = connections.shareOf(`${networkOf(addressOf(socket))} without a PROXY protocol header`)
      const connection = take(socket, share, room.forUnread())
      if (connection === null) return false
      connections.unread.add(connection)
      unread.set(socket, connection)
      socket.once('close', () => remove(connection))
      return true
    },
    admit(socket) {
      const known = unread.get(socket)
      if (known !== undefined) remove(known)
      const share = connections.shareOf(networkOf(addressOf(socket)))
      const connection = take(socket, share, room.forCaller(share))
      if (connection === null) return false
      connections.add(connection)
      socket.once('close', () => remove(connection))
      connection.isHandshakeDone = !isTls
      if (isTls) byEndpoint.set(connection.endpoint, connection)
      else bySocket.set(socket, connection)
      return true
    },
    authenticated(socket) {
      const connection = connectionOf(socket)
      if (connection !== undefined && !connection.isAuthenticated) connections.authenticated(connection)
    },
    hasMadeRoom: (socket) => madeRoom.has(socket),
    closeHandshakes() {
      for (const { isHandshakeDone, accepted } of [...connections.all.unauthenticated, ...connections.unread])
        if (!isHandshakeDone) accepted.destroy()
    },
    count: () => sizeOf(connections.all) + connections.unread.size,
  }
}

function endpointOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}
