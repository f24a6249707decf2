import type { X509Certificate } from 'node:crypto'
import type { Environment } from './event.ts'

/**
 * An issuing certificate of an installed chain: one that issued no other certificate of its file; a root only when it stands alone.
 * A caller is accepted only if one of these issued it; the chain's environment is stamped on what it sends.
 */
export interface IssuingCertificate {
  readonly environment: Environment
  readonly certificate: X509Certificate
  /** The file it came from, for texts. */
  readonly file: string
}

/** The installed chains of the service, parsed and checked. */
export interface Trust {
  /** Every certificate of every chain, PEM: what TLS verifies against. Never empty. */
  readonly authorities: readonly string[]
  readonly issuing: readonly IssuingCertificate[]
}
