import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { hasIssued, hasSigned } from './pem.ts'

export interface ChainOrder {
  /** The leaf, then its issuers in order. Without the root, which every caller must have anyway; a self-signed leaf stands alone. */
  readonly chain: readonly X509Certificate[]
  /** The self-signed root that the chain ends at: one of those given, or a public one that Node knows; null when neither. */
  readonly root: X509Certificate | null
  /** The last of `chain` when its issuer is neither given nor a public root: there is a gap, or the root is a private one that was not given. */
  readonly withoutIssuer: X509Certificate | null
  /** Those given that do not belong to the chain. */
  readonly others: readonly X509Certificate[]
}

/** Puts certificates in order behind `leaf`, by who signed whom. Where two could come next (cross-signed ones), one in date and a root come first. */
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

/** Also one that may issue none by its key usage, as a server's own often is: OpenSSL does not take such a one for its issuer. */
export function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer && hasSigned(certificate, certificate)
}

/** Those that issued no other of them: where chains begin. */
export function endsOf(certificates: readonly X509Certificate[]): X509Certificate[] {
  return certificates.filter((one) => !certificates.some((other) => other !== one && hasIssued(one, other)))
}

/** The public root that issued it, of those that come with Node: says what callers are likely to have, trusts nothing. */
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
