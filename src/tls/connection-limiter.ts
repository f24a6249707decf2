import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressOf, networkOf } from './remote-address.ts'

export interface ConnectionLimits {
  /** Most connections at one time. */
  readonly maxConnections: number
  /** Most of them from one IPv4 address, or from one IPv6 /64. */
  readonly connectionsPerAddress: number
}

/** A connection that was refused, or closed to make room for another. */
export interface ConnectionRefusal {
  readonly code: 'too_many_connections' | 'too_many_from_address' | 'stalled_handshake' | 'idle_connection'
  readonly reason?: string
  readonly rawCode?: string
}

/** Asks about each connection before Node does anything with it, TLS included. False: it was destroyed. */
export function admitFirst(server: Server, admit: (socket: Socket) => boolean): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (admit(socket)) for (const listener of listeners) listener.call(server, socket)
  })
}

export interface ConnectionLimiter {
  /** A connection was accepted. False: there is no room, and it was closed. */
  admit(socket: Socket): boolean
  /** Its caller has proven who it is: it is no longer closed to make room for unknown ones. */
  authenticated(socket: Socket): void
  /** It was closed here, and that was reported. */
  hasMadeRoom(socket: Socket): boolean
  /** How many are open. */
  count(): number
}

interface Connection {
  readonly share: Share
  readonly endpoint: string
  /** As it was accepted. */
  readonly accepted: Socket
  /** The socket on which requests come: the accepted one, or TLS on top of it. */
  stream: Socket
  isHandshakeDone: boolean
  isAuthenticated: boolean
  /** When it was accepted, or began its latest request. */
  activeAt: number
  latest: ServerResponse | undefined
}

/** Unauthenticated ones in the order of their latest activity. */
interface Group {
  readonly unauthenticated: Set<Connection>
  readonly authenticated: Set<Connection>
}

interface Share extends Group {
  readonly network: string
}

/** Handshakes and first requests take less; an unauthenticated connection that was not active for so long makes room first. */
const STALLED_MS = 1000
/** In a flood of new connections each address gets so many at one time that have yet to authenticate, and more where others hold many. */
const SMALL_BURST = 16
const FLOOD_SHARE = 0.75
/** One place in so many is for connections that have yet to authenticate: idle authenticated ones make room for them. */
const NEWCOMER_PLACES = 8

/**
 * Keeps a listener's connections within its limits, and lets newcomers in all the same. Node's own `maxConnections` would turn everybody
 * away as soon as idle strangers hold every place. Who makes room, in this order: an unauthenticated connection (never more than half of the
 * places), an authenticated one between two requests, never one in the middle of a request.
 */
export function limitConnections(
  server: Server,
  options: ConnectionLimits & {
    readonly onRefused: (remoteAddress: string, refusal: ConnectionRefusal) => void
    /** In ms, monotonic. */
    readonly now?: () => number
  },
): ConnectionLimiter {
  const { maxConnections: places, connectionsPerAddress, onRefused, now = () => performance.now() } = options
  const isTls = 'setSecureContext' in server
  const all: Group = { unauthenticated: new Set(), authenticated: new Set() }
  const shares = new Map<string, Share>()
  const bySocket = new WeakMap<object, Connection>()
  /** TLS gives no way from its socket to the one below. */
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
    // Their sets are in the order of activity; the authenticated ones need none.
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
      const closing = whoMakesRoom(share, connectionsPerAddress, () => firstOf(share.unauthenticated))
      if (closing === undefined) return tooManyFrom(share)
      close(closing, tooManyFrom(share))
    }
    if (all.unauthenticated.size >= places / 2) {
      const closing = unauthenticatedToClose()
      // Refused before TLS begins: of all that can be done with a flood this costs least.
      if (closing !== undefined && isFlooding(share, closing)) return tooManyAtOnce(share)
      if (closing !== undefined) close(closing, neededPlaceOf(closing))
    }
    if (sizeOf(all) < places) return null
    const closing = whoMakesRoom(all, places, unauthenticatedToClose)
    if (closing === undefined) return { code: 'too_many_connections' }
    close(closing, neededPlaceOf(closing))
    return null
  }

  /** The longest stalled one. Where all are fresh somebody opens many quickly: whoever holds most of them. */
  function unauthenticatedToClose(): Connection | undefined {
    const oldest = firstOf(all.unauthenticated)
    if (oldest === undefined || now() - oldest.activeAt >= STALLED_MS) return oldest
    let largest = oldest.share
    for (const share of shares.values()) if (share.unauthenticated.size > largest.unauthenticated.size) largest = share
    return firstOf(largest.unauthenticated)
  }

  /** All are fresh, and of those who open so many it is one. */
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
    // Nobody was refused whose caller is known and had its answer.
    if (!isAuthenticated) onRefused(addressOf(accepted), refusal)
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

  /** Authenticated ones leave a few places to those that have yet to authenticate, but only between two requests. */
  function whoMakesRoom(group: Group, limit: number, unauthenticatedToClose: () => Connection | undefined) {
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
        onRefused(addressOf(socket), refusal)
        socket.destroy()
        return false
      }
      // It may have left with its last connection, to make room.
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
    count: () => sizeOf(all),
  }
}

/**
 * The connections that Node's parser sees between two requests: nothing else knows of a request whose headers have not ended. Where a later Node
 * has no such list, such a request does not count.
 */
function idleStreams(server: Server): ReadonlySet<Socket> | null {
  const symbol = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connections',
  )
  const { [symbol ?? '']: list } = server as unknown as Record<symbol | string, { idle?: () => { socket: Socket }[] }>
  return typeof list?.idle === 'function' ? new Set(list.idle().map(({ socket }) => socket)) : null
}

/** Between two requests: the latest is read and answered, and nothing of a next one has come. */
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
