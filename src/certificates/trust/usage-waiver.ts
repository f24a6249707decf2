import type { X509Certificate } from 'node:crypto'
import { elementsOf, extensionsOfCertificate, TAG } from '../files/der.ts'
import { explainOutOfDate, hasIssued } from '../files/pem.ts'
import { keyUsagesOf } from '../live/key-usage.ts'

const BASIC_CONSTRAINTS = '2.5.29.19'
/** Critical extensions that OpenSSL supports: X509_supported_extension(3) without those of proxies and routing. */
const KNOWN_EXTENSIONS: readonly string[] = [
  '2.5.29.15', // key usage
  '2.5.29.17', // subject alternative name
  '2.5.29.19', // basic constraints
  '2.5.29.30', // name constraints
  '2.5.29.31', // CRL distribution points
  '2.5.29.32', // certificate policies
  '2.5.29.33', // policy mappings
  '2.5.29.36', // policy constraints
  '2.5.29.37', // extended key usage
  '2.5.29.54', // inhibit any policy
]

/**
 * Verifies callers of `issuing` whose only flaw may be their extended key usage. OpenSSL reports one flaw of several, the last that it finds:
 * INVALID_PURPOSE hides a weak key, an unknown issuer, an unknown critical extension, and for a CA every flaw of the certificates below. So all of
 * that is verified again with installed certificates alone. INVALID_PURPOSE cannot hide what OpenSSL checks later: dates (verified here too),
 * signatures, weak digests and keys of CAs, name constraints.
 */
export function createUsageWaiver(
  issuing: X509Certificate,
  authorities: readonly X509Certificate[],
): (caller: X509Certificate, now: number) => boolean {
  const ways = waysToRoot(issuing, authorities).filter(isSoundWay)
  return function verifies(caller, now) {
    const at = new Date(now)
    const isItself = caller.raw.equals(issuing.raw)
    if (!isItself && (caller.ca || !hasIssued(issuing, caller))) return false
    if (!hasKnownExtensions(caller) || !keyUsagesOf(caller).maySignDigitally || !hasStrongKey(caller)) return false
    return ways.some((way) => [caller, ...way].every((certificate) => explainOutOfDate(certificate, at) === null))
  }
}

/** Every path from a certificate to a self-signed root through these certificates; cross-signed ones have several. */
function waysToRoot(start: X509Certificate, all: readonly X509Certificate[]): X509Certificate[][] {
  function continued(way: X509Certificate[], last: X509Certificate): X509Certificate[][] {
    if (hasIssued(last, last)) return [way]
    return all
      .filter((issuer) => !way.includes(issuer) && issuer.ca && hasIssued(issuer, last))
      .flatMap((issuer) => continued([...way, issuer], issuer))
  }
  return start.ca ? continued([start], start) : []
}

/** From the issuing certificate on. */
function isSoundWay(way: readonly X509Certificate[]): boolean {
  return way.every((authority, index) => {
    const between = way.slice(0, index).filter((one) => !hasIssued(one, one)).length
    const limit = pathLengthOf(authority)
    return hasKnownExtensions(authority) && keyUsagesOf(authority).mayIssue && (limit === null || between <= limit)
  })
}

const STRONG_CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1']

/** At least 112 bits of security, as in OpenSSL's security level 2, which Node uses. */
function hasStrongKey({ publicKey }: X509Certificate): boolean {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = publicKey
  if (type === 'rsa' || type === 'rsa-pss') return (details?.modulusLength ?? 0) >= 2048
  return type === 'ed25519' || (type === 'ec' && STRONG_CURVES.includes(details?.namedCurve))
}

function hasKnownExtensions(certificate: X509Certificate): boolean {
  try {
    return extensionsOfCertificate(certificate).every(
      ({ oid, isCritical }) => !isCritical || KNOWN_EXTENSIONS.includes(oid),
    )
  } catch {
    return false
  }
}

/** How many CA certificates may be between the issuer and the caller (RFC 5280 section 4.2.1.9); null: any number. */
function pathLengthOf(authority: X509Certificate): number | null {
  const extension = extensionsOfCertificate(authority).find(({ oid }) => oid === BASIC_CONSTRAINTS)
  const [constraints] = elementsOf(extension?.value)
  const length = elementsOf(constraints?.content).find(({ tag }) => tag === TAG.integer)
  return length === undefined ? null : length.content.readUIntBE(0, Math.min(length.content.length, 6))
}
