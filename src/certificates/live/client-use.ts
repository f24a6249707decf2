import { X509Certificate } from 'node:crypto'
import { forwardingText } from '../../domain/forwarding/forwarding-texts.ts'
import { explainOutOfDate, nameOf } from '../files/pem.ts'
import { isForClients } from './key-usage.ts'

/**
 * Organisations whose public authorities no longer issue certificates for TLS clients, as they write themselves. All of them must stop by 2027-03-15:
 * Chrome Root Program Policy 1.8, "dedicated TLS server authentication". Let's Encrypt, "Ending TLS Client Authentication Certificate Support in
 * 2026" (intermediates R10 to R14, E5 to E9, then YE and YR); DigiCert, "Sunsetting the client authentication EKU from public TLS
 * certificates"; Sectigo, "Deprecation of Client Authentication EKU".
 */
const SERVER_ONLY_ISSUERS: readonly string[] = [
  "Let's Encrypt",
  'DigiCert',
  'Sectigo',
  'ZeroSSL',
  'GlobalSign',
  'Google Trust Services',
  'GoDaddy.com',
  'Starfield Technologies',
  'SSL Corp',
  'Entrust',
  'Amazon',
]

const SERVER_USE = '1.3.6.1.5.5.7.3.1'

/**
 * Why a client certificate is not for TLS clients, or probably will not be after its next renewal; null: no such problem.
 * Public authorities end certificates for both servers and clients; certificates for clients alone continue.
 */
export function clientUseProblemOf(certificate: X509Certificate): string | null {
  const subject = nameOf(certificate)
  if (!isForClients(certificate)) return forwardingText('not_for_clients', { subject })
  const uses: readonly string[] = certificate.keyUsage ?? []
  const issuer = publicIssuerOf(certificate)
  if (issuer === null || !uses.includes(SERVER_USE)) return null
  return forwardingText('no_longer_for_clients', { subject, issuer })
}

/** A certificate that is not for TLS clients would be an outage where a valid one for clients is in use. PEM. */
export function lostUseOf(nextPems: readonly string[], knownPems: readonly string[]): string | null {
  const [next, known] = [nextPems, knownPems].map((pems) => pems.map((pem) => new X509Certificate(pem))[0])
  if (next === undefined || known === undefined || isForClients(next) || !isForClients(known)) return null
  return explainOutOfDate(known, new Date()) === null ? clientUseProblemOf(next) : null
}

function publicIssuerOf({ issuer = '' }: X509Certificate): string | null {
  const organisations = issuer.split('\n').flatMap((line) => (line.startsWith('O=') ? [line.slice(2)] : []))
  return SERVER_ONLY_ISSUERS.find((name) => organisations.some((one) => one.startsWith(name))) ?? null
}
