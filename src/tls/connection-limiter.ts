import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressOf, networkOf, type RemoteEnd } from './remote-address.ts'

export interface ConnectionLimits {
  /** Limit of open connections. */
  readonly maxConnections: number
  /** Limit of open connections from one IPv4 address, or from one IPv6 /64. */
  readonly connectionsPerAddress: number
}

/** Why a connection was refused, or closed to make room for another. */
export interface ConnectionRefusal {
  readonly code: 'too_many_connections' | 'too_many_from_address' | 'stalled_handshake' | 'idle_connection'
  readonly reason?: string
  readonly rawCode?: string
}

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

interface Connection {
  readonly share: Share
  readonly endpoint: string
  /** The TCP socket. */
  readonly accepted: Socket
  /** The socket with the requests: the TCP socket, or TLS on top of it. */
  stream: Socket
  isHandshakeDone: boolean
  isAuthenticated: boolean
  /** When the connection was accepted, or its latest request began; in ms, monotonic. */
  activeAt: number
  latest: ServerResponse | undefined
}

/** Unauthenticated connections are in the order of their latest activity. */
interface Group {
  readonly unauthenticated: Set<Connection>
  readonly authenticated: Set<Connection>
}

interface Share extends Group {
  readonly network: string
}

/** Handshakes and first requests take less. An unauthenticated connection that was inactive for this time makes room first. */
const STALLED_MS = 1000
/** In a flood of new connections, each address may have this many unauthenticated ones, and more where other addresses have many. */
const SMALL_BURST = 16
const FLOOD_SHARE = 0.75
/** This fraction of the places is for unauthenticated connections: idle authenticated ones make room for them. */
const NEWCOMER_PLACES = 8

/**
 * Keeps a listener's connections within its limits and accepts new ones nevertheless. With Node's `maxConnections`, idle untrusted callers could take
 * every place. These make room, in this order: an unauthenticated connection (they never have more than half of the places), then an authenticated
 * one between two requests. A connection in the middle of a request never makes room.
 */
export function limitConnections(
  server: Server,
  options: ConnectionLimits & {
    readonly onRefused: (caller: RemoteEnd, refusal: ConnectionRefusal) => void
    /** In ms, monotonic. */
    readonly now?: () => number
  },
): ConnectionLimiter {
  const { maxConnections: places, connectionsPerAddress, onRefused, now = () => performance.now() } = options
  const isTls = 'setSecureContext' in server
  const all: Group = { unauthenticated: new Set(), authenticated: new Set() }
  const shares = new Map<string, Share>()
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
    connection.activeAt = now()
    // Only the unauthenticated set is in the order of activity.
    if (!connection.isAuthenticated) moveToEnd(connection)
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

  /** null: there is room. */
  function makeRoomFor(share: Share): ConnectionRefusal | null {
    if (sizeOf(share) >= connectionsPerAddress) {
      const closing = connectionToClose(share, connectionsPerAddress, () => firstOf(share.unauthenticated))
      if (closing === undefined) return tooManyFrom(share)
      close(closing, tooManyFrom(share))
    }
    if (all.unauthenticated.size >= places / 2) {
      const closing = unauthenticatedToClose()
      // A refusal before TLS is the cheapest answer to a flood.
      if (closing !== undefined && isFlooding(share, closing)) return tooManyAtOnce(share)
      if (closing !== undefined) close(closing, neededPlaceOf(closing))
    }
    if (sizeOf(all) < places) return null
    const closing = connectionToClose(all, places, unauthenticatedToClose)
    if (closing === undefined) return { code: 'too_many_connections' }
    close(closing, neededPlaceOf(closing))
    return null
  }

  /** The connection that stalled longest. Where none stalled, one from the address with the most, which opens many quickly. */
  function unauthenticatedToClose(): Connection | undefined {
    const oldest = firstOf(all.unauthenticated)
    if (oldest === undefined || now() - oldest.activeAt >= STALLED_MS) return oldest
    let largest = oldest.share
    for (const share of shares.values()) if (share.unauthenticated.size > largest.unauthenticated.size) largest = share
    return firstOf(largest.unauthenticated)
  }

  /** No connection stalled, and this address is among those that open many. */
  function isFlooding({ unauthenticated }: Share, { share, activeAt }: Connection): boolean {
    const most = Math.max(SMALL_BURST, share.unauthenticated.size * FLOOD_SHARE)
    return now() - activeAt < STALLED_MS && unauthenticated.size >= most
  }

  function tooManyAtOnce({ network }: Share): ConnectionRefusal {
    return { code: 'too_many_from_address', reason: `too many new connections from ${network} at one time` }
  }

  function tooManyFrom({ network }: Share): ConnectionRefusal {
    const reason = `too many connections from ${network} (limits.connectionsPerAddress is ${connectionsPerAddress})`
    return { code: 'too_many_from_address', reason }
  }

  function neededPlaceOf({ isHandshakeDone }: Connection): ConnectionRefusal {
    return isTls && !isHandshakeDone
      ? { code: 'stalled_handshake', reason: 'stalled handshake, its place was needed' }
      : { code: 'idle_connection' }
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
    const { share, endpoint } = connection
    for (const group of [all, share]) {
      group.unauthenticated.delete(connection)
      group.authenticated.delete(connection)
    }
    if (sizeOf(share) === 0) shares.delete(share.network)
    if (byEndpoint.get(endpoint) === connection) byEndpoint.delete(endpoint)
  }

  function moveToEnd(connection: Connection): void {
    for (const { unauthenticated } of [all, connection.share]) {
      if (unauthenticated.delete(connection)) unauthenticated.add(connection)
    }
  }

  /** Authenticated connections leave a few places to unauthenticated ones, but only between two requests. */
  function connectionToClose(group: Group, limit: number, unauthenticatedToClose: () => Connection | undefined) {
    const isManyUnauthenticated = group.unauthenticated.size >= Math.max(1, Math.floor(limit / NEWCOMER_PLACES))
    if (isManyUnauthenticated) return unauthenticatedToClose()
    return longestIdle(group.authenticated) ?? unauthenticatedToClose()
  }

  function longestIdle(connections: Iterable<Connection>): Connection | undefined {
    const idle = idleStreams(server)
    let longest: Connection | undefined
    for (const connection of connections) {
      const isLonger = longest === undefined || connection.activeAt < longest.activeAt
      if (isLonger && isIdle(connection, idle)) longest = connection
    }
    return longest
  }

  return {
    admit(socket) {
      const network = networkOf(addressOf(socket))
      const known: Share = shares.get(network) ?? { network, unauthenticated: new Set(), authenticated: new Set() }
      const refusal = makeRoomFor(known)
      if (refusal !== null) {
        onRefused(socket, refusal)
        socket.destroy()
        return false
      }
      // The share may have been removed when its last connection made room.
      const share = shares.get(network) ?? known
      shares.set(network, share)
      const connection: Connection = {
        ...{ share, endpoint: endpointOf(socket), accepted: socket, stream: socket },
        ...{ isHandshakeDone: false, isAuthenticated: false, activeAt: now(), latest: undefined },
      }
      for (const group of [all, share]) group.unauthenticated.add(connection)
      if (isTls) byEndpoint.set(connection.endpoint, connection)
      else bySocket.set(socket, connection)
      socket.once('close', () => remove(connection))
      return true
    },
    authenticated(socket) {
      const connection = connectionOf(socket)
      if (connection === undefined || connection.isAuthenticated) return
      connection.isAuthenticated = true
      for (const group of [all, connection.share]) {
        if (group.unauthenticated.delete(connection)) group.authenticated.add(connection)
      }
    },
    hasMadeRoom: (socket) => madeRoom.has(socket),
    closeHandshakes() {
      for (const { isHandshakeDone, accepted } of all.unauthenticated) if (!isHandshakeDone) accepted.destroy()
    },
    count: () => sizeOf(all),
  }
}

/**
 * The connections that are between two requests according to Node's parser, which alone knows of a request whose headers are incomplete. Where a
 * later Node has no such list, such a request does not count.
 */
function idleStreams(server: Server): ReadonlySet<Socket> | null {
  const symbol = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connections',
  )
  const { [symbol ?? '']: list } = server as unknown as Record<symbol | string, { idle?: () => { socket: Socket }[] }>
  return typeof list?.idle === 'function' ? new Set(list.idle().map(({ socket }) => socket)) : null
}

/** Whether the latest request is read and answered, and no byte of the next one has come. */
function isIdle({ stream, latest }: Connection, idle: ReadonlySet<Socket> | null): boolean {
  if (latest === undefined) return stream.bytesRead === 0
  return latest.writableFinished && latest.req.complete && (idle === null || idle.has(stream))
}

function endpointOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}

function sizeOf({ unauthenticated, authenticated }: Group): number {
  return unauthenticated.size + authenticated.size
}

function firstOf<T>(set: ReadonlySet<T>): T | undefined {
  const [first] = set
  return first
}
