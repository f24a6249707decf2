import type { X509Certificate } from 'node:crypto'
import { explainOutOfDate, hasIssued, issuerNameOf, nameOf, readCertificates, throwProblems } from '../files/pem.ts'

const CONFIG_KEY = 'api.clientCa'

/**
 * The authorities of the API's client certificates, PEM. Authorities that are out of date are only warnings, because OpenSSL refuses their clients.
 * @throws PortariaError `certificate_invalid` with every problem
 */
export function loadClientTrust(file: string, now: Date): { value: readonly string[]; warnings: string[] } {
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
  return { value: certificates.map((certificate) => certificate.toString()), warnings }
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
