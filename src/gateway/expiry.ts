import {
  watchedCallers,
  watchedDestinations,
  watchedInChains,
  watchedInFile,
  watchedInUse,
  watchedLists,
} from '../certificates/live/watched-certificates.ts'
import type { Config } from '../config/config.ts'
import { bySoonest, type CertificateSet, type Watched } from '../domain/expiry.ts'
import type { StoreReader } from '../domain/store.ts'

/** PEM of what a running gateway uses, which need not be what its files hold by now. */
export type CertificatesInUse = Readonly<Record<'server' | 'service-chain' | 'client', readonly string[]>>

/**
 * Every certificate whose end matters, the soonest first: those of the files, those that a running gateway uses although no file holds them any
 * more, and those that others have shown.
 */
export async function listWatched(config: Config, { store, inUse, apps = [], now }: WatchSources): Promise<Watched[]> {
  const inFiles = watchedInFiles(config)
  const loaded = inUse === null ? [] : withoutFile(inUse, inFiles)
  const seen = store === null ? [] : await Promise.all([watchedCallers(store, now), watchedDestinations(store)])
  return [...inFiles, ...loaded, ...apps, ...seen.flat()].sort(bySoonest)
}

export interface WatchSources {
  /** null: there is no database yet. */
  readonly store: StoreReader | null
  readonly inUse: CertificatesInUse | null
  /** What apps have shown at the API. */
  readonly apps?: readonly Watched[]
  readonly now: number
}

function watchedInFiles({ callbacks, chargeNotifications, api, forwarding }: Config): Watched[] {
  const server = { set: 'server', environment: null } as const
  const ofFiles = [
    ...watchedInFile(callbacks.certificate, server, 'callbacks.certificate'),
    ...[chargeNotifications?.tls, api.tls].flatMap((files) =>
      files == null ? [] : watchedInFile(files.certificate, server, 'certificate'),
    ),
    ...callbacks.trust.flatMap(({ chain, environment }) => watchedInChains(chain, environment)),
    ...callbacks.trust.flatMap(({ crl, environment }) => watchedLists(crl, environment)),
  ]
  const client = forwarding.clientCertificate
  if (client !== null) {
    const key = 'forwarding.clientCertificate'
    ofFiles.push(...watchedInFile(client.certificate, { set: 'client', environment: null }, key))
  }
  // Two listeners may share a file.
  return [...new Map(ofFiles.map((one) => [identityOf(one), one])).values()]
}

function identityOf(watched: Watched): string {
  return JSON.stringify([
    watched.set,
    watched.where,
    watched.environment,
    'problem' in watched ? null : watched.fingerprint,
  ])
}

const IN_USE: Readonly<Record<keyof CertificatesInUse & CertificateSet, string>> = {
  server: 'in use; no file has it any more',
  'service-chain': 'trusted; no file has it any more',
  client: 'in use; no file has it any more',
}

function withoutFile(inUse: CertificatesInUse, inFiles: readonly Watched[]): Watched[] {
  const known = new Set(inFiles.map((one) => ('problem' in one ? null : `${one.set} ${one.fingerprint}`)))
  return (Object.keys(IN_USE) as (keyof CertificatesInUse)[])
    .flatMap((set) => watchedInUse(inUse[set], { set, where: IN_USE[set], environment: null }))
    .filter((one) => !('problem' in one) && !known.has(`${one.set} ${one.fingerprint}`))
}
