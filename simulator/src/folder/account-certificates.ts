import { X509Certificate } from 'node:crypto'
import type { KeyPair } from './certificates.ts'
import { makeAccountPair } from './first-start.ts'
import { writePkcs12 } from './pkcs12.ts'

export interface IssuedAccountCertificate {
  /** PKCS#12 with an empty password, base64. */
  readonly p12Base64: string
  /** PEM. */
  readonly certificate: string
  readonly privateKey: string
  /** SHA-256 in the form of `Account.certificateFingerprint256`. */
  readonly fingerprint: string
}

/** Extended key usage clientAuth (RFC 5280 section 4.2.1.12). */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'

export async function issueAccountCertificate(
  issuer: KeyPair,
  name: string,
  now: Date,
): Promise<IssuedAccountCertificate> {
  const pair = await makeAccountPair(name, issuer, now)
  return {
    p12Base64: (await writePkcs12(pair, name)).toString('base64'),
    certificate: pair.cert,
    privateKey: pair.key,
    fingerprint: new X509Certificate(pair.cert).fingerprint256,
  }
}

/** Whether this authority issued the certificate (DER) for clients, and it is valid now. False for bytes that are no certificate. */
export function isAccountCertificate(raw: Uint8Array, issuer: KeyPair, now: Date): boolean {
  const certificate = certificateIn(raw)
  if (certificate === null) return false
  const authority = new X509Certificate(issuer.cert)
  return (
    certificate.checkIssued(authority) &&
    certificate.verify(authority.publicKey) &&
    certificate.validFromDate <= now &&
    now <= certificate.validToDate &&
    // Node names the extended key usage keyUsage; undefined without the extension.
    (certificate.keyUsage ?? []).includes(CLIENT_AUTH)
  )
}

function certificateIn(raw: Uint8Array): X509Certificate | null {
  try {
    return new X509Certificate(raw)
  } catch {
    return null
  }
}
