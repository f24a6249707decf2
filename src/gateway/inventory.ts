import { inventoryOfAuthority } from '../certificates/authority/inventory.ts'
import {
  inventoryInUse,
  inventoryOfCallers,
  inventoryOfChains,
  inventoryOfDestinations,
  inventoryOfFile,
  inventoryOfLists,
  inventoryOfService,
} from '../certificates/live/certificate-inventory.ts'
import type { Config } from '../config/config.ts'
import {
  bySoonest,
  type CertificateSet,
  type InventoryEntry,
  type InventoryPlace,
  WITHOUT_FILE,
} from '../domain/expiry.ts'
import type { StoreReader } from '../domain/store-reader.ts'

/** PEM of the certificates that a running gateway uses. Its files may hold others by now. */
export type CertificatesInUse = Readonly<
  Record<'server' | 'service-chain' | 'client' | 'service.production' | 'service.sandbox', readonly string[]>
>

/**
 * Every certificate whose expiry matters, the earliest first: those in files, those that a running gateway uses although no file holds them any
 * more, and those that callers and destinations have shown.
 */
export async function listInventory(
  config: Config,
  { store, inUse, met = [], now }: WatchSources,
): Promise<InventoryEntry[]> {
  const inFiles = watchedInFiles(config, now)
  const loaded = inUse === null ? [] : withoutFile(inUse, inFiles)
  const seen = store === null ? [] : await Promise.all([inventoryOfCallers(store, now), inventoryOfDestinations(store)])
  return [...inFiles, ...loaded, ...met, ...seen.flat()].sort(bySoonest)
}

export interface WatchSources {
  /** null: there is no database yet. */
  readonly store: StoreReader | null
  readonly inUse: CertificatesInUse | null
  /** Certificates that the running gateway has met and no file or table holds: those of apps, and of the service's servers. */
  readonly met?: readonly InventoryEntry[]
  readonly now: number
}

function watchedInFiles(
  { callbacks, chargeNotifications, api, forwarding, service, certificates }: Config,
  now: number,
): InventoryEntry[] {
  const server = { set: 'server', environment: null } as const
  const ofFiles = [
    ...inventoryOfFile(callbacks.certificate, server, 'callbacks.certificate'),
    ...[chargeNotifications?.tls, api.tls].flatMap((files) =>
      files == null ? [] : inventoryOfFile(files.certificate, server, 'certificate'),
    ),
    ...callbacks.trust.flatMap(({ chain, environment }) => inventoryOfChains(chain, environment)),
    ...callbacks.trust.flatMap(({ crl, environment }) => inventoryOfLists(crl, environment)),
    ...inventoryOfLists(api.clientCrl, null),
    ...service.flatMap((entry) => inventoryOfService(entry, now)),
    ...(certificates.authority === null ? [] : inventoryOfAuthority(certificates.authority, now)),
  ]
  const client = forwarding.clientCertificate
  if (client !== null) {
    const key = 'forwarding.clientCertificate'
    ofFiles.push(...inventoryOfFile(client.certificate, { set: 'client', environment: null }, key))
  }
  // Two listeners may share a file.
  return [...new Map(ofFiles.map((one) => [identityOf(one), one])).values()]
}

function identityOf(watched: InventoryEntry): string {
  return JSON.stringify([
    watched.set,
    watched.where,
    watched.environment,
    'problem' in watched ? null : watched.fingerprint,
  ])
}

type PlaceInUse = Pick<InventoryPlace, 'where' | 'environment'>

const IN_USE = `in use; ${WITHOUT_FILE}`

const PLACES_IN_USE: Readonly<Record<keyof CertificatesInUse & CertificateSet, PlaceInUse>> = {
  server: { where: IN_USE, environment: null },
  'service-chain': { where: `trusted; ${WITHOUT_FILE}`, environment: null },
  client: { where: IN_USE, environment: null },
  'service.production': { where: IN_USE, environment: 'production' },
  'service.sandbox': { where: IN_USE, environment: 'sandbox' },
}

function withoutFile(inUse: CertificatesInUse, inFiles: readonly InventoryEntry[]): InventoryEntry[] {
  const known = new Set(inFiles.map((one) => ('problem' in one ? null : `${one.set} ${one.fingerprint}`)))
  return (Object.keys(PLACES_IN_USE) as (keyof CertificatesInUse)[])
    .flatMap((set) => inventoryInUse(inUse[set], { set, ...PLACES_IN_USE[set] }))
    .filter((one) => !('problem' in one) && !known.has(`${one.set} ${one.fingerprint}`))
}
