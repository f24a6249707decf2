import type { X509Certificate } from 'node:crypto'
import type { Destination } from '../domain/destination.ts'
import { shortFormOf } from '../domain/expiry.ts'
import type { Store } from '../domain/store.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

export interface DestinationCertificatesOptions {
  readonly store: Pick<Store, 'keepDestinationCertificate'>
  readonly now: () => number
  readonly log: Log
}

/** Stores the server certificate of each destination when it changes. */
export function createDestinationCertificates(
  options: DestinationCertificatesOptions,
): (destination: Destination, certificate: X509Certificate) => void {
  const { store, now, log } = options
  const kept = new Map<number, string>()

  return function keepCertificate({ id, name, url }, certificate) {
    const { host } = new URL(url)
    const shown = { destinationId: id, host, ...shortFormOf(certificate) }
    const identity = `${host} ${shown.fingerprint}`
    if (kept.get(id) === identity) return
    kept.set(id, identity)
    store.keepDestinationCertificate(shown, now()).catch((error: unknown) => {
      // The next connection stores it again.
      if (kept.get(id) === identity) kept.delete(id)
      log.warn({ destination: name, error: messageOf(error) }, 'destination.certificate_not_kept')
    })
  }
}
