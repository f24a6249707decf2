import { X509Certificate } from 'node:crypto'
import {
  type CertificateSet,
  type InventoryCertificate,
  type InventoryEntry,
  type InventoryPlace,
  isReplaced,
  NAME_LIMIT,
  shortFormOf,
} from '../../domain/expiry.ts'
import { environmentOf, type Realm, trustKeyOf } from '../../domain/realm.ts'
import type { SeenPeer, StoreReader } from '../../domain/store-reader.ts'
import { nameOnOneLine } from '../../platform/certificate-identity.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { certificatesIn, readCertificates } from '../files/pem.ts'
import { activeFilesOf } from '../trust/chain-folder.ts'
import { newestOf } from '../trust/revocation.ts'
import { readRevocationLists } from '../trust/revocation-list.ts'
import { clientUseProblemOf } from './client-use.ts'
import { loadServiceFiles, type ServiceFilePaths } from './service-files.ts'

/** Callers that have not called for this time are left out. */
const CALLERS_SEEN_MS = 30 * 86_400_000
/** Limit of remembered certificates. */
const REMEMBERED_APPS = 1000

/** Every certificate of a PEM file, or the reason why the file cannot be read. */
export function inventoryOfFile(
  file: string,
  place: Omit<InventoryPlace, 'where'>,
  configKey: string,
): InventoryEntry[] {
  const where = { ...place, where: file }
  try {
    return readCertificates(file, configKey).map((certificate, index) => watchedOf(certificate, where, index))
  } catch (error) {
    return [{ ...where, problem: problemOf(error) }]
  }
}

/** The account's certificate in an entry of the section `service`, with its issuers, or the reason why its files cannot be used. */
export function inventoryOfService(entry: ServiceFilePaths, now: number): InventoryEntry[] {
  const { environment, certificate: files } = entry
  if (files === null) return []
  const where = 'pkcs12' in files ? files.pkcs12 : files.certificate
  const place: InventoryPlace = { set: `service.${environmentOf(environment)}`, where, environment }
  const { certificate } = loadServiceFiles({ ...entry, authorities: null })
  if (certificate?.tls) return inventoryInUse([certificate.tls.cert], place)
  return [{ ...place, problem: certificate?.problem(now) ?? '' }]
}

/** The certificates of the active chains under one entry of `trust`. */
export function inventoryOfChains(chain: string, environment: Realm): InventoryEntry[] {
  const place = { set: 'service-chain', environment } as const
  try {
    return activeFilesOf(chain).flatMap((file) => inventoryOfFile(file, place, trustKeyOf(environment)))
  } catch (error) {
    // A folder that cannot be listed.
    return [{ ...place, where: chain, problem: problemOf(error) }]
  }
}

/** The certificates of PEM texts in use. */
export function inventoryInUse(pems: readonly string[], place: InventoryPlace): InventoryEntry[] {
  return pems.flatMap((pem) => certificatesIn(pem).map((certificate, index) => watchedOf(certificate, place, index)))
}

/** The newest revocation lists of one entry of `trust`, or of the API's clients, that name the date of the next one. */
export function inventoryOfLists(files: readonly string[], environment: Realm | null): InventoryEntry[] {
  const place = { set: 'revocation-list', environment } as const
  return files.flatMap((file): InventoryEntry[] => {
    try {
      return newestOf(readRevocationLists(file)).flatMap((list) => {
        const { issuer, fingerprint, nextUpdate: notAfter, thisUpdate: notBefore } = list
        if (notAfter === null) return []
        return { ...place, where: file, subject: issuer, issuer, fingerprint, notBefore, notAfter, isReplaced: false }
      })
    } catch (error) {
      return [{ ...place, where: file, problem: problemOf(error) }]
    }
  })
}

/** The client certificates that apps showed at the API since the start. */
export interface AppCertificates {
  /** Adds a verified certificate. */
  add(certificate: X509Certificate): void
  watched(now: number): InventoryEntry[]
}

export function rememberAppCertificates(now: () => number): AppCertificates {
  const shown = new Map<string, { readonly certificate: X509Certificate; readonly lastSeenAt: number }>()
  return {
    add(certificate) {
      const key = certificate.fingerprint256
      shown.delete(key)
      shown.set(key, { certificate, lastSeenAt: now() })
      const [oldest] = shown.keys()
      if (shown.size > REMEMBERED_APPS && oldest !== undefined) shown.delete(oldest)
    },
    watched(at) {
      const all = [...shown.values()].map(({ certificate, lastSeenAt }) => {
        return { ...watchedOf(certificate, { set: 'api-client', where: 'api', environment: null }, 0), lastSeenAt }
      })
      return all.map((one) => {
        const { lastSeenAt: _lastSeenAt, ...watched } = one
        const ofOwner = all.filter(({ subject }) => subject === one.subject)
        return { ...watched, isReplaced: isReplaced(one, ofOwner, at) }
      })
    },
  }
}

/** The peer certificates of the service's callers in the last 30 days. */
export async function inventoryOfCallers(
  store: Pick<StoreReader, 'listPeers'>,
  now: number,
): Promise<InventoryEntry[]> {
  const peers = await store.listPeers(now - CALLERS_SEEN_MS)
  const owners = Map.groupBy(peers, ownerOf)
  return peers.map((peer) => ({
    set: 'service-client',
    where: `callbacks, ${peer.environment}`,
    environment: peer.environment,
    subject: nameOnOneLine(peer.subject, NAME_LIMIT),
    issuer: nameOnOneLine(peer.issuer, NAME_LIMIT),
    fingerprint: peer.fingerprint,
    notBefore: beginningOf(peer),
    notAfter: peer.notAfter,
    isReplaced: isReplaced(peer, owners.get(ownerOf(peer)) ?? [], now),
  }))
}

/** null: the text cannot be read, so the lifetime is unknown. */
function beginningOf({ pem }: SeenPeer): number | null {
  try {
    return new X509Certificate(pem).validFromDate.getTime()
  } catch {
    return null
  }
}

function ownerOf({ environment, subject }: SeenPeer): string {
  return `${environment} ${subject}`
}

/** The server certificates of destinations at the last connection to their current address. */
export async function inventoryOfDestinations(
  store: Pick<StoreReader, 'listDestinations' | 'listDestinationCertificates'>,
): Promise<InventoryEntry[]> {
  const [destinations, certificates] = await Promise.all([
    store.listDestinations(),
    store.listDestinationCertificates(),
  ])
  return certificates.flatMap(({ destinationId, host, ...certificate }) => {
    const destination = destinations.find(({ id }) => id === destinationId)
    if (destination === undefined || !isAt(destination.url, host)) return []
    const { name, environments } = destination
    const environment = environments?.length === 1 ? (environments[0] ?? null) : null
    return { set: 'destination', where: `${name} (${host})`, environment, ...certificate, isReplaced: false }
  })
}

function isAt(url: string, host: string): boolean {
  const { protocol, host: current } = new URL(url)
  return protocol === 'https:' && current === host
}

const SHOWN_BY_CLIENTS: readonly CertificateSet[] = ['client', 'api-client', 'service.production', 'service.sandbox']

function watchedOf(certificate: X509Certificate, place: InventoryPlace, index: number): InventoryCertificate {
  const isShownByClient = index === 0 && SHOWN_BY_CLIENTS.includes(place.set)
  const clientUseProblem = isShownByClient ? clientUseProblemOf(certificate) : null
  const use = clientUseProblem === null ? {} : { clientUseProblem }
  return { ...place, ...shortFormOf(certificate), isReplaced: false, ...use }
}

function problemOf(error: unknown): string {
  const details = error instanceof PortariaError ? error.details : []
  return details.length > 0 ? details.join('; ') : messageOf(error)
}
