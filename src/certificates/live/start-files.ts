/** The certificates and chains without which the gateway does not start: `serve` and `config check` read them by the same functions. */

import type { ClientTrust } from '../../domain/trust.ts'
import { type ClientTrustFiles, loadClientTrust } from '../trust/client-trust.ts'
import type { TrustEntry } from '../trust/trust.ts'
import type { TrustReader, TrustReading } from '../trust/trust-reading.ts'
import type { Loaded } from './renewal.ts'
import { loadServerCertificate, type ServerCertificateFiles } from './server-certificate.ts'

interface Listener {
  readonly tls: ServerCertificateFiles | null
}

/** As in the configuration. */
export interface StartFiles {
  readonly callbacks: ServerCertificateFiles & { readonly trust: readonly TrustEntry[] }
  readonly chargeNotifications: Listener | null
  readonly api: Listener & Omit<ClientTrustFiles, 'clientCa'> & { readonly clientCa: string | null }
}

export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** One function for each part. Each throws a PortariaError for what keeps the gateway from starting; null: the part is not configured. */
export interface StartReaders {
  readonly trust: () => TrustReading
  readonly serverCertificate: () => Loaded<KeyPair>
  readonly charges: () => Loaded<KeyPair> | null
  readonly api: () => Loaded<KeyPair> | null
  readonly apiClients: () => Loaded<ClientTrust> | null
}

export function startReaders(
  { callbacks, chargeNotifications, api }: StartFiles,
  trustReader: TrustReader,
): StartReaders {
  const pairOrNull = (files: ServerCertificateFiles | null, section: string) => files && readPair(files, section)
  const { clientCa } = api
  return {
    trust: () => trustReader.read(callbacks.trust, new Date()),
    serverCertificate: () => readPair(callbacks, 'callbacks'),
    charges: () => pairOrNull(chargeNotifications?.tls ?? null, 'chargeNotifications'),
    api: () => pairOrNull(api.tls, 'api'),
    apiClients: () => (clientCa === null ? null : loadClientTrust({ ...api, clientCa }, new Date())),
  }
}

export function readPair(files: ServerCertificateFiles, section: string): Loaded<KeyPair> {
  const { cert, key, warnings } = loadServerCertificate(files, new Date(), section)
  return { value: { cert, key }, warnings }
}
