import ipaddr from 'ipaddr.js'

/** Without the IPv4-mapped form that a dual-stack socket gives. */
export function addressOf(socket: { remoteAddress?: string | undefined }): string {
  return (socket.remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/, '')
}

/** The addresses that share one allowance: an IPv4 address alone, of IPv6 a /64, which is what one customer usually has. */
export function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address
  const words = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${words.map((word) => word.toString(16)).join(':')}::/64`
}
