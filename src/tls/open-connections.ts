import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface Connection {
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
export interface Group {
  readonly unauthenticated: Set<Connection>
  readonly authenticated: Set<Connection>
}

/** The connections of one network. */
export interface Share extends Group {
  readonly network: string
}

/** The open connections of a listener, together and by network. */
export interface OpenConnections {
  readonly all: Group
  /** Connections whose caller is being read, the oldest first. They are in no other group. */
  readonly unread: Set<Connection>
  /** Empty where the network has no connection. */
  shareOf(network: string): Share
  /** The network with the most unauthenticated connections, at least with more than this one. */
  largestShare(atLeast: Share): Share
  add(connection: Connection): void
  remove(connection: Connection): void
  /** A request has begun. */
  used(connection: Connection, at: number): void
  authenticated(connection: Connection): void
}

export function createOpenConnections(): OpenConnections {
  const all: Group = { unauthenticated: new Set(), authenticated: new Set() }
  const shares = new Map<string, Share>()

  return {
    all,
    unread: new Set(),
    shareOf: (network) => shares.get(network) ?? { network, unauthenticated: new Set(), authenticated: new Set() },
    largestShare(atLeast) {
      let largest = atLeast
      for (const share of shares.values())
        if (share.unauthenticated.size > largest.unauthenticated.size) largest = share
      return largest
    },
    add(connection) {
      const { share } = connection
      // The share is gone when its last connection made room for this one.
      shares.set(share.network, share)
      for (const group of [all, share]) group.unauthenticated.add(connection)
    },
    remove(connection) {
      const { share } = connection
      for (const group of [all, share]) {
        group.unauthenticated.delete(connection)
        group.authenticated.delete(connection)
      }
      // A connection that made room is removed again when it closes: its network may have another share by then.
      if (sizeOf(share) === 0 && shares.get(share.network) === share) shares.delete(share.network)
    },
    used(connection, at) {
      connection.activeAt = at
      // Only the unauthenticated set is in the order of activity.
      for (const { unauthenticated } of [all, connection.share]) {
        if (unauthenticated.delete(connection)) unauthenticated.add(connection)
      }
    },
    authenticated(connection) {
      connection.isAuthenticated = true
      for (const group of [all, connection.share]) {
        if (group.unauthenticated.delete(connection)) group.authenticated.add(connection)
      }
    },
  }
}

export function sizeOf({ unauthenticated, authenticated }: Group): number {
  return unauthenticated.size + authenticated.size
}
