import { machineAddresses } from '../platform/machine-addresses.ts'
import { addressOf, type RemoteEnd, remoteEndOf } from '../tls/remote-address.ts'

/** Connections that commands on this machine announced over the control socket. A refusal of such a connection is not reported. */
export interface OwnConnections {
  /** A command will connect from this port. Holds for one connection from an address of this machine, and for a minute. */
  announce(port: number): void
  /** Whether the connection is an announced one that has not been accepted yet. */
  expects(end: RemoteEnd): boolean
  /** Call for each accepted connection, before it can be refused. */
  accepted(end: RemoteEnd): void
  /** Whether the connection is an announced one. */
  has(end: RemoteEnd): boolean
}

interface Announced {
  /** In ms, monotonic. */
  readonly until: number
  readonly addresses: ReadonlySet<string>
  /** The address of the accepted connection; null: it has not come yet. */
  from: string | null
}

const LIFETIME_MS = 60_000
const MOST = 100

const LOOPBACK = ['127.0.0.1', '::1']

/** @param now in ms, monotonic */
export function createOwnConnections(
  now: () => number = () => performance.now(),
  listAddresses = machineAddresses,
): OwnConnections {
  const announced = new Map<number, Announced>()

  function find(end: RemoteEnd): Announced | undefined {
    const { remotePort = 0 } = remoteEndOf(end)
    const found = announced.get(remotePort)
    return found !== undefined && now() < found.until ? found : undefined
  }

  /** Where the system does not name them, commands that connect to another address than loopback are callers like any other. */
  function ownAddresses(): ReadonlySet<string> {
    return new Set(listAddresses()?.map(({ address }) => address) ?? LOOPBACK)
  }

  return {
    announce(port) {
      announced.delete(port)
      const [oldest] = announced.keys()
      if (announced.size >= MOST && oldest !== undefined) announced.delete(oldest)
      announced.set(port, { until: now() + LIFETIME_MS, addresses: ownAddresses(), from: null })
    },
    expects(end) {
      const found = find(end)
      return found?.from === null && found.addresses.has(addressOf(end))
    },
    accepted(end) {
      const found = find(end)
      const address = addressOf(end)
      if (found === undefined || !found.addresses.has(address)) return
      // Another program has the port by now.
      if (found.from !== null) announced.delete(remoteEndOf(end).remotePort ?? 0)
      else found.from = address
    },
    has: (end) => find(end)?.from === addressOf(end),
  }
}
