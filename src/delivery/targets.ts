import type { X509Certificate } from 'node:crypto'
import type { AddressRules } from '../domain/address-rules.ts'
import type { Destination } from '../domain/destination.ts'
import { type Connections, createConnections } from './connections.ts'
import type { ExchangePlace } from './exchange.ts'
import { type ConnectorTls, createGuardedConnector } from './guarded-connect.ts'
import { createInFlight } from './in-flight.ts'
import { createNameResolver, type Resolve } from './name-resolver.ts'

export interface TargetOptions {
  readonly rules: AddressRules
  /** Default: a new resolver for all destinations. */
  readonly resolve?: Resolve
  /** TLS options beyond the public roots, read when a destination gets new connections. An error fails the attempt. */
  readonly tlsFor?: (destination: Destination) => ConnectorTls | undefined
  /** Called with the server certificate for each new connection over TLS. Must not throw. */
  readonly onCertificate?: (destination: Destination, certificate: X509Certificate) => void
}

const CONNECT_LIMIT_MS = 10_000
/** Shorter than the idle limit of common servers, so that few requests meet a closed connection. */
const KEEP_ALIVE_MS = 4_000
const KEEP_ALIVE_LIMIT_MS = 10_000

/** Where a destination's requests go. */
export interface Target {
  readonly place: ExchangePlace
  /** Path and query. */
  readonly path: string
}

export interface Targets {
  get(destination: Destination): Target
  /** Closes a destination's connections when their requests have ended. */
  forget(destinationId: number): void
  forgetAll(): void
  /** Ends all requests that are under way. */
  close(): Promise<void>
}

/** The connections of each destination, created on first use and replaced when the settings change. */
export function createTargets(options: TargetOptions): Targets {
  const current = new Map<number, Target & { readonly destination: Destination; readonly settings: string }>()
  const ending = new Set<Connections>()
  const resolve = options.resolve ?? createNameResolver()
  const inFlight = createInFlight()

  function forget(destinationId: number): void {
    const known = current.get(destinationId)
    current.delete(destinationId)
    if (known === undefined) return
    const { connections } = known.place
    ending.add(connections)
    connections.close(() => ending.delete(connections))
  }
  /** Keeps the connections unless their settings have changed. */
  function change(destination: Destination): Target {
    const { url, concurrency, timeoutMs, authorities } = destination
    const settings = JSON.stringify([url, concurrency, timeoutMs, authorities])
    const known = current.get(destination.id)
    if (known !== undefined && known.settings !== settings) forget(destination.id)
    const { pathname, search } = new URL(url)
    const connections =
      current.get(destination.id)?.place.connections ?? connectionsTo(destination, { ...options, resolve })
    const target = { place: { connections, inFlight }, path: pathname + search, destination, settings }
    current.set(destination.id, target)
    return target
  }
  return {
    get(destination) {
      const known = current.get(destination.id)
      return known?.destination === destination ? known : change(destination)
    },
    forget,
    forgetAll() {
      for (const destinationId of [...current.keys()]) forget(destinationId)
    },
    async close() {
      const all = [...[...current.values()].map(({ place }) => place.connections), ...ending]
      current.clear()
      await Promise.all(all.map((connections) => connections.destroy()))
    },
  }
}

function connectionsTo(
  destination: Destination,
  { rules, resolve, tlsFor, onCertificate }: TargetOptions & { readonly resolve: Resolve },
): Connections {
  const { protocol, origin } = new URL(destination.url)
  const connect = createGuardedConnector({
    rules,
    resolve,
    connectTimeoutMs: Math.min(CONNECT_LIMIT_MS, destination.timeoutMs),
    tls: protocol === 'https:' ? tlsFor?.(destination) : undefined,
    onCertificate: (certificate) => onCertificate?.(destination, certificate),
  })
  const client = {
    connect,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_LIMIT_MS,
    // The whole attempt has a time limit.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  return createConnections(origin, client, destination.concurrency)
}
