import type { X509Certificate } from 'node:crypto'
import { messageOf, PortariaError } from '../domain/errors.ts'
import type { Environment } from '../domain/event.ts'
import { isReplaced, oneLineOf, shortFormOf, type Watched, type WatchedPlace } from '../domain/expiry.ts'
import type { SeenPeer, StoreReader } from '../domain/store.ts'
import { activeFilesOf } from './chain-folder.ts'
import { certificatesIn, readCertificates } from './pem.ts'

/** Callers that have not called for so long are none any more. */
const CALLERS_SEEN_MS = 30 * 86_400_000

/** Every certificate of a PEM file, or why they cannot be read. */
export function watchedInFile(file: string, place: Omit<WatchedPlace, 'where'>, configKey: string): Watched[] {
  const where = { ...place, where: file }
  try {
    return readCertificates(file, configKey).map((certificate) => watchedOf(certificate, where))
  } catch (error) {
    return [{ ...where, problem: problemOf(error) }]
  }
}

/** The certificates of the active chains under one entry of `callbacks.trust`. */
export function watchedInChains(chain: string, environment: Environment): Watched[] {
  const place = { set: 'service-chain', environment } as const
  try {
    return activeFilesOf(chain).flatMap((file) => watchedInFile(file, place, 'callbacks.trust'))
  } catch (error) {
    // A folder that may not be listed.
    return [{ ...place, where: chain, problem: problemOf(error) }]
  }
}

/** The certificates of PEM texts that are in use, wherever they came from. */
export function watchedInUse(pems: readonly string[], place: WatchedPlace): Watched[] {
  return pems.flatMap(certificatesIn).map((certificate) => watchedOf(certificate, place))
}

/** What the service's callers showed, in the last 30 days. */
export async function watchedCallers(store: Pick<StoreReader, 'listPeers'>, now: number): Promise<Watched[]> {
  const peers = await store.listPeers(now - CALLERS_SEEN_MS)
  const owners = Map.groupBy(peers, ownerOf)
  return peers.map((peer) => ({
    set: 'service-client',
    where: `callbacks, ${peer.environment}`,
    environment: peer.environment,
    subject: oneLineOf(peer.subject),
    issuer: oneLineOf(peer.issuer),
    fingerprint: peer.fingerprint,
    notAfter: peer.notAfter,
    isReplaced: isReplaced(peer, owners.get(ownerOf(peer)) ?? [], now),
  }))
}

function ownerOf({ environment, subject }: SeenPeer): string {
  return `${environment} ${subject}`
}

/** What destinations' servers showed when they were last connected to, at the address that they have now. */
export async function watchedDestinations(
  store: Pick<StoreReader, 'listDestinations' | 'listDestinationCertificates'>,
): Promise<Watched[]> {
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

function watchedOf(certificate: X509Certificate, place: WatchedPlace): Watched {
  return { ...place, ...shortFormOf(certificate), isReplaced: false }
}

function problemOf(error: unknown): string {
  const details = error instanceof PortariaError ? error.details : []
  return details.length > 0 ? details.join('; ') : messageOf(error)
}
