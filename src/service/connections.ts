import type { buildConnector } from 'undici'
import { asksForCertificate, type ServiceInterface } from '../domain/service/service-interfaces.ts'
import { Pool } from '../platform/http-pool.ts'

/** PEM. */
export interface ServiceTls {
  /** Replaces the public authorities. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

export interface ConnectionsOptions {
  readonly baseAddresses: Readonly<Record<ServiceInterface, string | null>>
  readonly authorities: string | null
  /** The account's certificate and its key. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  /** The guarded connector with these TLS options, for connections to a host. */
  readonly connect: (tls: ServiceTls, host: string) => buildConnector.connector
}

export interface Connection {
  readonly pool: Pool
  /** Path of the base address, in front of that of each request: '' or `/payment`. */
  readonly prefix: string
}

/** Most connections to one interface. */
export const SERVICE_CONNECTIONS = 16
/** Shorter than the idle limit of common servers, so that few requests meet a closed connection. */
const KEEP_ALIVE_MS = 4_000

/** One pool per interface, created on first use. */
export function createConnections({ baseAddresses, authorities, tls, connect }: ConnectionsOptions) {
  const opened = new Map<ServiceInterface, Connection>()

  function open(on: ServiceInterface, baseAddress: string): Connection {
    const { origin, host, pathname } = new URL(baseAddress)
    const shown = asksForCertificate(on) && tls !== null ? { cert: tls.cert, key: tls.key } : {}
    const connector = connect({ ...(authorities !== null && { ca: authorities }), ...shown }, host)
    const pool = new Pool(origin, {
      connect: connector,
      connections: SERVICE_CONNECTIONS,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // Each request has a time limit of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    return { pool, prefix: pathname.replace(/\/+$/, '') }
  }
  return {
    /** null: the interface has no base address. */
    of(on: ServiceInterface): Connection | null {
      const baseAddress = baseAddresses[on]
      if (baseAddress === null) return null
      const connection = opened.get(on) ?? open(on, baseAddress)
      opened.set(on, connection)
      return connection
    },
    async close(): Promise<void> {
      await Promise.all([...opened.values()].map(({ pool }) => pool.destroy()))
    },
  }
}
