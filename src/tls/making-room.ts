import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type Connection, type Group, type OpenConnections, type Share, sizeOf } from './open-connections.ts'

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

export interface RoomOptions {
  readonly server: Server
  readonly limits: ConnectionLimits
  readonly close: (connection: Connection, refusal: ConnectionRefusal) => void
  /** In ms, monotonic. */
  readonly now: () => number
}

/** Handshakes and first requests take less. An unauthenticated connection that was inactive for this time makes room first. */
const STALLED_MS = 1000
/** In a flood of new connections, each address may have this many unauthenticated ones, and more where other addresses have many. */
const SMALL_BURST = 16
const FLOOD_SHARE = 0.75
/** This fraction of the places is for unauthenticated connections: idle authenticated ones make room for them. */
const NEWCOMER_PLACES = 8
/** Connections whose caller is being read have at most this fraction of the places. */
const UNREAD_PLACES = 8

/** Both close connections, and return why there is no room nevertheless; null: there is. */
export interface RoomMaker {
  /**
   * For one more of a share. These make room, in this order: an unauthenticated connection (they never have more than half of the places), then an
   * authenticated one between two requests. A connection in the middle of a request never makes room.
   */
  forCaller(share: Share): ConnectionRefusal | null
  /** For one whose caller is being read. Where they have all their places, the oldest of them makes room: a load balancer sends its header at once. */
  forUnread(): ConnectionRefusal | null
}

export function createRoomMaker(connections: OpenConnections, options: RoomOptions): RoomMaker {
  const { server, limits, close, now } = options
  const { maxConnections: places, connectionsPerAddress } = limits
  const { all, unread } = connections
  const isFull = () => sizeOf(all) + unread.size >= places

  /** The connection that stalled longest. Where none stalled, one from the address with the most, which opens many quickly. */
  function unauthenticatedToClose(): Connection | undefined {
    const oldest = firstOf(all.unauthenticated)
    if (oldest === undefined || isStalled(oldest)) return oldest
    return firstOf(connections.largestShare(oldest.share).unauthenticated)
  }

  function isStalled({ activeAt }: Connection): boolean {
    return now() - activeAt >= STALLED_MS
  }

  /** No connection stalled, and this address is among those that open many. */
  function isFlooding({ unauthenticated }: Share, closing: Connection): boolean {
    const most = Math.max(SMALL_BURST, closing.share.unauthenticated.size * FLOOD_SHARE)
    return !isStalled(closing) && unauthenticated.size >= most
  }

  /** Authenticated connections leave a few places to unauthenticated ones, but only between two requests. */
  function connectionToClose(group: Group, limit: number, newcomer: () => Connection | undefined) {
    const isManyUnauthenticated = group.unauthenticated.size >= Math.max(1, Math.floor(limit / NEWCOMER_PLACES))
    if (isManyUnauthenticated) return newcomer()
    return longestIdle(group.authenticated, idleStreams(server)) ?? newcomer()
  }

  function closeForPlace(closing: Connection | undefined): ConnectionRefusal | null {
    if (closing === undefined) return { code: 'too_many_connections' }
    close(closing, neededPlaceOf(closing))
    return null
  }

  function forCaller(share: Share): ConnectionRefusal | null {
    const limit = connectionsPerAddress
    if (sizeOf(share) >= limit) {
      const refusal = tooManyFrom(share, limit)
      const closing = connectionToClose(share, limit, () => firstOf(share.unauthenticated))
      if (closing === undefined) return refusal
      close(closing, refusal)
    }
    if (all.unauthenticated.size >= places / 2) {
      const closing = unauthenticatedToClose()
      // A refusal before TLS is the cheapest answer to a flood.
      if (closing !== undefined && isFlooding(share, closing)) return tooManyAtOnce(share)
      if (closing !== undefined) close(closing, neededPlaceOf(closing))
    }
    if (!isFull()) return null
    return closeForPlace(connectionToClose(all, places, unauthenticatedToClose) ?? firstOf(unread))
  }

  return {
    forCaller,
    forUnread() {
      const most = Math.max(1, Math.floor(places / UNREAD_PLACES))
      if (unread.size >= most) return closeForPlace(firstOf(unread))
      return isFull() ? closeForPlace(connectionToClose(all, places, unauthenticatedToClose)) : null
    },
  }
}

function tooManyAtOnce({ network }: Share): ConnectionRefusal {
  return { code: 'too_many_from_address', reason: `too many new connections from ${network} at one time` }
}

function tooManyFrom({ network }: Share, limit: number): ConnectionRefusal {
  const reason = `too many connections from ${network} (limits.connectionsPerAddress is ${limit})`
  return { code: 'too_many_from_address', reason }
}

function neededPlaceOf({ isHandshakeDone }: Connection): ConnectionRefusal {
  return isHandshakeDone
    ? { code: 'idle_connection' }
    : { code: 'stalled_handshake', reason: 'stalled handshake, its place was needed' }
}

function longestIdle(connections: Iterable<Connection>, idle: ReadonlySet<Socket> | null): Connection | undefined {
  let longest: Connection | undefined
  for (const connection of connections) {
    const isLonger = longest === undefined || connection.activeAt < longest.activeAt
    if (isLonger && isIdle(connection, idle)) longest = connection
  }
  return longest
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

function firstOf<T>(set: ReadonlySet<T>): T | undefined {
  const [first] = set
  return first
}
