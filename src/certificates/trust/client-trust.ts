import type { X509Certificate } from 'node:crypto'
import { type ClientTrust, type CrlExpired, canonicalSerial, isCurrent } from '../../domain/trust.ts'
import { explainOutOfDate, hasIssued, issuerNameOf, nameOf, readCertificates, throwProblems } from '../files/pem.ts'
import { loadRevocations, type Revocations } from './revocation.ts'

const CONFIG_KEY = 'api.clientCa'

/** As in the configuration. */
export interface ClientTrustFiles {
  readonly clientCa: string
  /** Default: none. */
  readonly clientCrl?: readonly string[]
  /** Default: warn. */
  readonly clientCrlExpired?: CrlExpired
}

/**
 * The authorities of the API's client certificates. Authorities that are out of date are only warnings, because OpenSSL refuses their clients.
 * @throws PortariaError `certificate_invalid` with every problem
 */
export function loadClientTrust(
  { clientCa: file, clientCrl = [], clientCrlExpired = 'warn' }: ClientTrustFiles,
  now: Date,
): { value: ClientTrust; warnings: string[] } {
  const certificates = readCertificates(file, CONFIG_KEY)
  throwProblems(
    `${CONFIG_KEY} ${file} cannot be used`,
    certificates.flatMap((certificate) => explainBad(certificate, certificates, file)),
  )
  const warnings = certificates.flatMap((certificate) => {
    const outOfDate = explainOutOfDate(certificate, now)
    return outOfDate === null
      ? []
      : [`${file}: ${nameOf(certificate)} ${outOfDate}: clients that it vouches for are refused`]
  })
  const authorities = certificates.map((certificate) => certificate.toString())
  if (clientCrl.length === 0)
    return { value: { authorities, problemOf: () => null, identity: JSON.stringify(authorities) }, warnings }
  const options = { files: clientCrl, key: 'api.clientCrl', expired: clientCrlExpired, chain: file, certificates, now }
  const revocations = loadRevocations(options, certificates)
  throwProblems(`api.clientCrl of ${file} cannot be used`, revocations.problems)
  const value = {
    authorities,
    problemOf: (client: X509Certificate, at: number) => problemOf(client, { certificates, revocations }, at),
    identity: JSON.stringify([authorities, certificates.map((one) => revocations.of(one).identity)]),
  }
  return { value, warnings: [...warnings, ...revocations.warnings] }
}

/** A client of an authority that is not in the file is refused: it sent that authority itself, and nothing here says whether it is revoked. */
function problemOf(
  client: X509Certificate,
  {
    certificates,
    revocations,
  }: { readonly certificates: readonly X509Certificate[]; readonly revocations: Revocations },
  now: number,
): ReturnType<ClientTrust['problemOf']> {
  const issuers = certificates.filter((one) => hasIssued(one, client)).map((one) => revocations.of(one))
  const unrevoked = issuers.filter(({ isIssuerRevoked }) => !isIssuerRevoked)
  const serial = canonicalSerial(client.serialNumber)
  if (unrevoked.length === 0 || unrevoked.some(({ serials }) => serials.has(serial))) return 'certificate_revoked'
  return unrevoked.every((revocation) => isCurrent(revocation, now)) ? null : 'crl_expired'
}

function explainBad(certificate: X509Certificate, all: readonly X509Certificate[], file: string): string[] {
  if (!certificate.ca)
    return [
      `${file}: ${nameOf(certificate)} is not a CA certificate: put the authority there that issued your clients' certificates`,
    ]
  // Node accepts an authority only with a path to a root.
  if (all.some((other) => other.ca && hasIssued(other, certificate))) return []
  return [
    `${file}: the issuer ${issuerNameOf(certificate)} of ${nameOf(certificate)} is missing: add its certificate, and so on up to the root`,
  ]
}
