import type { KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { namesOf, usesOf } from '../live/describe-certificate.ts'
import { type Bundle, uniqueCertificates, uniqueKeys } from './bundle.ts'
import { isSelfSigned, orderChain } from './chain-order.ts'
import { explainOutOfDate, issuerNameOf, nameOf, throwProblems } from './pem.ts'

/** A certificate with its chain and key, ready to be installed. */
export interface CertificatePair {
  /** The certificate, then its issuers in order, without the root. For a client also the given root, because receivers need it. */
  readonly chain: readonly X509Certificate[]
  readonly key: KeyObject
  /** Remarks about left out certificates and possible problems. */
  readonly remarks: readonly string[]
}

export interface PairRequirements {
  readonly now: Date
  readonly usage: 'server' | 'client' | 'any'
  /** Accept a chain whose last issuer is neither given nor a public root. */
  readonly isIncompleteAllowed: boolean
}

/**
 * The certificate of the bundles that has a key, with its chain in order. Without a key in the bundles, `otherKey` counts: the installed key.
 * Throws `certificate_invalid` with the problem and what to do: no key or several, a key of another certificate, several leaves,
 * a missing intermediate, certificates out of date, one that TLS or its usage refuses.
 */
export function selectPair(
  bundles: readonly Bundle[],
  otherKey: KeyObject | null,
  requirements: PairRequirements,
): CertificatePair {
  const certificates = uniqueCertificates(bundles.flatMap((bundle) => bundle.certificates))
  const key = selectKey(uniqueKeys(bundles.flatMap((bundle) => bundle.keys)), otherKey)
  const leaf = selectLeaf(certificates, key)
  const { chain, root, withoutIssuer, others } = orderChain(leaf, certificates, requirements.now)
  throwProblems('The certificates cannot be installed', [
    // A private root is seldom at hand, and is not installed. A root that issued none of the chain shows a gap below it.
    ...(withoutIssuer === leaf || others.some(isSelfSigned) ? explainGap(withoutIssuer, requirements) : []),
    ...chain.flatMap((certificate) => explainDates(certificate, requirements.now)),
    ...explainUse(leaf, requirements),
  ])
  checkWithTls(chain, key)
  const givenRoot = root !== null && root !== leaf && certificates.includes(root) ? root : null
  const remarks = [...remarksAbout(leaf, root), ...(withoutIssuer === leaf ? [] : remarksAboutEnd(withoutIssuer))]
  if (requirements.usage === 'client' && givenRoot !== null)
    return { chain: [...chain, givenRoot], key, remarks: [...remarks, ...leftOut(others, null)] }
  return { chain, key, remarks: [...remarks, ...leftOut(others, givenRoot)] }
}

function selectKey(keys: readonly KeyObject[], otherKey: KeyObject | null): KeyObject {
  const [key = otherKey] = keys
  if (keys.length > 1)
    throw invalid(`the files hold ${keys.length} private keys: give only the files of one certificate and its key`)
  if (key !== null) return key
  throw invalid('the files hold no private key: name the one that the request was made with, --key FILE')
}

function selectLeaf(certificates: readonly X509Certificate[], key: KeyObject): X509Certificate {
  if (certificates.length === 0) throw invalid('the files hold no certificate: add the issued certificate')
  const leaves = certificates.filter((certificate) => !certificate.ca)
  const ofKey = certificates.filter((certificate) => certificate.checkPrivateKey(key))
  const [leaf] = ofKey
  if (leaf === undefined) {
    const names = (leaves.length > 0 ? leaves : certificates).map(nameOf).join(', ')
    throw invalid(
      `the private key is not the key of ${names}: give the key that the request was made with, or have a new certificate issued for this key`,
    )
  }
  const several = uniqueCertificates([...ofKey, ...leaves])
  if (several.length === 1) return leaf
  throw invalid(
    `the files hold several certificates that could be meant: ${several.map(nameWithDates).join(', ')}: give only the one to install, and its issuers`,
  )
}

function nameWithDates(certificate: X509Certificate): string {
  return `${nameOf(certificate)} (until ${certificate.validToDate.toISOString().slice(0, 10)})`
}

function explainGap(last: X509Certificate | null, { isIncompleteAllowed }: PairRequirements): string[] {
  if (last === null || isIncompleteAllowed) return []
  const [, url] = /CA Issuers - URI:(\S+)/.exec(last.infoAccess ?? '') ?? []
  const where = url === undefined ? 'your authority publishes it' : `it is published at ${url}`
  return [
    `the certificate of ${issuerNameOf(last)}, which issued ${nameOf(last)}, is missing: add it as another FILE (${where}), and so on up to the root, which is not installed; or say --incomplete when callers have it`,
  ]
}

function explainDates(certificate: X509Certificate, now: Date): string[] {
  const outOfDate = explainOutOfDate(certificate, now)
  return outOfDate === null
    ? []
    : [`${nameOf(certificate)} ${outOfDate}: get a current one, or check this machine's clock`]
}

function explainUse(leaf: X509Certificate, { usage }: PairRequirements): string[] {
  const uses = usesOf(leaf)
  const isUsable = usage === 'any' ? uses.includes('server') || uses.includes('client') : uses.includes(usage)
  if (isUsable) return []
  const wanted = usage === 'any' ? 'server or client' : usage
  return [`${nameOf(leaf)} may not be used as a ${wanted} certificate: have one issued with that extended key usage`]
}

/** OpenSSL refuses weak keys and signatures only here. */
function checkWithTls(chain: readonly X509Certificate[], key: KeyObject): void {
  try {
    createSecureContext({ cert: chain.map(String).join(''), key: key.export({ type: 'pkcs8', format: 'pem' }) })
  } catch (cause) {
    throw new PortariaError(
      'certificate_invalid',
      say`the certificate and its key cannot be used for TLS (${{ cause: messageOf(cause) }}): get a certificate with an EC P-256 or RSA key of at least 2048 bits, signed with SHA-256`,
      { cause },
    )
  }
}

/** A root is not installed, and a private one is seldom at hand: what is missing cannot be told from another intermediate. */
function remarksAboutEnd(last: X509Certificate | null): string[] {
  if (last === null) return []
  return [
    `${issuerNameOf(last)}, which issued ${nameOf(last)}, is not among the files, and is no public root: callers must know it`,
  ]
}

function remarksAbout(leaf: X509Certificate, root: X509Certificate | null): string[] {
  const remarks: string[] = []
  if (root === leaf) remarks.push(`${nameOf(leaf)} is self-signed: only callers that install it trust it`)
  if (namesOf(leaf).length === 0 && usesOf(leaf).includes('server'))
    remarks.push(`${nameOf(leaf)} names no host (subject alternative names): callers refuse such a server`)
  return remarks
}

function leftOut(others: readonly X509Certificate[], root: X509Certificate | null): string[] {
  const lines = others.map((one) => `left out: ${nameOf(one)}, which does not belong to the chain`)
  return root === null ? lines : [...lines, `left out: the root ${nameOf(root)}, which callers have themselves`]
}

function invalid(message: string): PortariaError {
  return new PortariaError('certificate_invalid', message)
}
