import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { hasIssued, hasSigned } from './pem.ts'

export interface ChainOrder {
  /** The leaf, then its issuers in order, without the root, which every caller must have anyway. A self-signed leaf is alone. */
  readonly chain: readonly X509Certificate[]
  /** The self-signed root of the chain: given, or public and known to Node; null: neither. */
  readonly root: X509Certificate | null
  /** The last certificate of `chain` if its issuer is neither given nor a public root: an intermediate or a private root is missing. */
  readonly withoutIssuer: X509Certificate | null
  /** Given certificates that do not belong to the chain. */
  readonly others: readonly X509Certificate[]
}

/** Orders certificates after `leaf` by issuer. Of two possible issuers (cross-signed), a valid one and a root come first. */
export function orderChain(leaf: X509Certificate, given: readonly X509Certificate[], now: Date): ChainOrder {
  const chain = [leaf]
  let root = isSelfSigned(leaf) ? leaf : null
  for (let last = leaf; root === null; ) {
    const issuer = issuerOf(last, given, now)
    if (issuer === undefined || chain.includes(issuer)) break
    if (isSelfSigned(issuer)) root = issuer
    else chain.push(issuer)
    last = issuer
  }
  const last = chain.at(-1) ?? leaf
  root ??= publicRootOf(last)
  const others = given.filter((one) => !chain.includes(one) && one !== root)
  return { chain, root, withoutIssuer: root === null ? last : null, others }
}

/** Also a certificate whose key usage forbids issuing, like many self-signed server certificates: OpenSSL does not regard it as its issuer. */
export function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer && hasSigned(certificate, certificate)
}

/** Certificates that issued no other one of the list: the beginnings of chains. */
export function endsOf(certificates: readonly X509Certificate[]): X509Certificate[] {
  return certificates.filter((one) => !certificates.some((other) => other !== one && hasIssued(one, other)))
}

/** The public root of Node that issued a certificate. Shows what callers probably have; it is not trusted here. */
export function publicRootOf(certificate: X509Certificate): X509Certificate | null {
  publicRoots ??= rootCertificates.map((pem) => new X509Certificate(pem))
  return publicRoots.find((root) => root.subject === certificate.issuer && hasIssued(root, certificate)) ?? null
}

let publicRoots: readonly X509Certificate[] | undefined

function issuerOf(
  certificate: X509Certificate,
  given: readonly X509Certificate[],
  now: Date,
): X509Certificate | undefined {
  const rank = (one: X509Certificate) =>
    (now <= one.validToDate && now >= one.validFromDate ? 0 : 2) + (isSelfSigned(one) ? 0 : 1)
  return given
    .filter((one) => one !== certificate && hasIssued(one, certificate))
    .toSorted((one, two) => rank(one) - rank(two))[0]
}
