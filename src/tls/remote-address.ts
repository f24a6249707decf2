import ipaddr from 'ipaddr.js'

/** The caller's end of a connection: a socket, or what was read from one before it was closed. */
export interface RemoteEnd {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
}

/** Without the IPv4-mapped form that a dual-stack socket gives. */
export function addressOf(socket: Pick<RemoteEnd, 'remoteAddress'>): string {
  return (socket.remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/, '')
}

/** The network that shares a limit: a single IPv4 address, or an IPv6 /64, which usually belongs to one customer. */
export function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address
  const words = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${words.map((word) => word.toString(16)).join(':')}::/64`
}
