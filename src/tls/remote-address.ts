import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The caller's end of a connection: a socket, or what was read from one before it was closed. */
export interface RemoteEnd {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
}

/** What PROXY protocol headers state, by TCP socket. */
const stated = new WeakMap<object, RemoteEnd>()

/** A load balancer that is trusted with it has stated whose connection this is. */
export function setRemoteEnd(socket: Socket, end: RemoteEnd): void {
  stated.set(socket, end)
}

/** The caller's end: the stated one, else that of the connection itself. */
export function remoteEndOf(end: RemoteEnd): RemoteEnd {
  // Of a TLS socket: the TCP socket below it.
  const { _parent: below } = end as { readonly _parent?: object | null }
  return stated.get(end) ?? (below ? stated.get(below) : undefined) ?? end
}

/** Whether a PROXY protocol header states the caller of this connection. */
export function isStated(end: RemoteEnd): boolean {
  return remoteEndOf(end) !== end
}

/** The caller's address, without the IPv4-mapped form that a dual-stack socket gives. */
export function addressOf(end: RemoteEnd): string {
  return (remoteEndOf(end).remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/, '')
}

/** The network that shares a limit: a single IPv4 address, or an IPv6 /64, which usually belongs to one customer. */
export function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address
  const words = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${words.map((word) => word.toString(16)).join(':')}::/64`
}
