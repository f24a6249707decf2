import type { X509Certificate } from 'node:crypto'
import { type InventoryEntry, shortFormOf } from '../../domain/expiry.ts'
import type { Realm } from '../../domain/realm.ts'

const DAY_MS = 86_400_000
/** Without a handshake for this time, the address is not called any more. */
const SEEN_MS = 7 * DAY_MS

/** The server certificates of the service that its calls met since the start, the latest of each address. */
export interface ServiceServers {
  /** Adds the certificate of a handshake in which it was trusted. */
  add(environment: Realm, host: string, certificate: X509Certificate): void
  watched(now: number): InventoryEntry[]
}

export function rememberServiceServers(now: () => number): ServiceServers {
  const shown = new Map<string, { readonly entry: InventoryEntry; readonly seenAt: number }>()
  return {
    add(environment, host, certificate) {
      const place = { set: 'service-server', where: `${host}, ${environment}`, environment } as const
      const entry = { ...place, ...shortFormOf(certificate), isReplaced: false }
      shown.set(entry.where, { entry, seenAt: now() })
    },
    watched: (at) => [...shown.values()].flatMap(({ entry, seenAt }) => (at - seenAt > SEEN_MS ? [] : [entry])),
  }
}
