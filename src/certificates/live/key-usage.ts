import type { X509Certificate } from 'node:crypto'
import { elementsOf, extensionsOfCertificate } from '../files/der.ts'

export interface KeyUsages {
  readonly maySign: boolean
  /** The bit digitalSignature, which a client of TLS 1.3 needs. */
  readonly maySignDigitally: boolean
  /** In any version of TLS. */
  readonly mayServe: boolean
  readonly mayIssue: boolean
  readonly maySignLists: boolean
}

const ANY: KeyUsages = { maySign: true, maySignDigitally: true, mayServe: true, mayIssue: true, maySignLists: true }
const KEY_USAGE = '2.5.29.15'
const CLIENT_USE = '1.3.6.1.5.5.7.3.2'

/** The certificate's key usage (RFC 5280 section 4.2.1.3), which Node does not show. Without the extension every use is allowed. */
export function keyUsagesOf(certificate: X509Certificate): KeyUsages {
  const bits = usageBitsOf(certificate)
  if (bits === null) return ANY
  const has = (bit: number) => (bits & (0x80 >> bit)) !== 0
  return {
    maySign: has(0) || has(4),
    maySignDigitally: has(0),
    mayServe: has(0) || has(2) || has(4),
    mayIssue: has(5),
    maySignLists: has(6),
  }
}

/** Whether the extended key usage allows TLS clients. For OpenSSL anyExtendedKeyUsage does not. */
export function isForClients({ keyUsage }: X509Certificate): boolean {
  const extended: readonly string[] | undefined = keyUsage
  return extended === undefined || extended.includes(CLIENT_USE)
}

/** null: no such extension. An empty or unreadable extension allows nothing. */
function usageBitsOf(certificate: X509Certificate): number | null {
  try {
    const extension = extensionsOfCertificate(certificate).find(({ oid }) => oid === KEY_USAGE)
    if (extension === undefined) return null
    const [bitString] = elementsOf(extension.value)
    // The first byte of a BIT STRING counts its unused bits.
    return bitString?.content[1] ?? 0
  } catch {
    return 0
  }
}
