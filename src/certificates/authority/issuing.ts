import { type KeyObject, X509Certificate } from 'node:crypto'
import type * as x509 from '@peculiar/x509'
import { CLIENT_NAME, INSTITUTION_NAME, OWN_NAME } from '../../domain/client.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { BEFORE_MS, isOf, type SigningAuthority, wholeSecond } from './authority.ts'
import { addRecord, type CertificateRecord, type IssuedPaths, type IssuedUse } from './records.ts'
import { loadX509, newSerial, signatureOf } from './signing.ts'

const DAY_MS = 86_400_000

/** What a certificate says, for TLS clients. */
export interface CertificateContent {
  readonly use: IssuedUse
  /** Under which it is listed. */
  readonly name: string
  /** Left out: `CN=name`. */
  readonly subject?: x509.Name
  readonly publicKey: KeyObject
  readonly alternativeNames: readonly x509.JsonGeneralName[]
  /** A client of the API, which alone may use it there; null: none. */
  readonly client: string | null
  /** Where it is written, for its renewal. Left out: nowhere that is known. */
  readonly files?: IssuedPaths
}

/** How long it is valid. */
export type Validity = { readonly days: number } | { readonly milliseconds: number }

/** What it is for: the gateway accepts callbacks of institutions alone, and the API their certificates for no client. */
function ownName(use: IssuedUse, client: string | null): x509.JsonGeneralName {
  if (client !== null) return { type: 'url', value: `${CLIENT_NAME}${client}` }
  return { type: 'url', value: use === 'signed' ? INSTITUTION_NAME : `${OWN_NAME}${use}` }
}

/**
 * Issues a certificate for TLS clients and nothing else, and records it, on disk on return. It never outlasts the authority.
 * @throws PortariaError `request_invalid` if it cannot be recorded
 */
export async function issueCertificate(
  authority: SigningAuthority,
  { use, name, subject, publicKey, alternativeNames, client, files }: CertificateContent,
  validity: Validity,
  now: Date,
): Promise<CertificateRecord> {
  const library = await loadX509()
  const serial = newSerial()
  const spki = new library.PublicKey(publicKey.export({ type: 'spki', format: 'der' }))
  const notBefore = wholeSecond(Math.max(now.getTime() - BEFORE_MS, authority.certificate.validFromDate.getTime()))
  const lasts = 'days' in validity ? validity.days * DAY_MS : validity.milliseconds
  const wantedEnd = notBefore.getTime() + lasts
  const own = new library.X509Certificate(authority.certificate.raw)
  const extensions: x509.Extension[] = [
    new library.BasicConstraintsExtension(false, undefined, true),
    new library.KeyUsagesExtension(library.KeyUsageFlags.digitalSignature, true),
    new library.ExtendedKeyUsageExtension([library.ExtendedKeyUsage.clientAuth]),
    await library.SubjectKeyIdentifierExtension.create(spki),
    await library.AuthorityKeyIdentifierExtension.create(own.publicKey),
  ]
  extensions.push(new library.SubjectAlternativeNameExtension([...alternativeNames, ownName(use, client)]))
  const made = await library.X509CertificateGenerator.create({
    serialNumber: serial,
    subject: subject ?? new library.Name([{ CN: [{ utf8String: name }] }]),
    issuer: own.subjectName,
    notBefore,
    notAfter: wholeSecond(Math.min(wantedEnd, authority.certificate.validToDate.getTime())),
    publicKey: spki,
    ...signatureOf(authority.key),
    extensions,
  })
  const pem = `${made.toString('pem')}\n`
  const certificate = new X509Certificate(pem)
  if (!isOf(authority, certificate))
    throw new PortariaError(
      'certificate_invalid',
      say`the certificate for ${{ name }} is not what the authority signed: report this`,
    )
  return addRecord(authority, {
    serial,
    use,
    name,
    client,
    certificate: pem,
    notBefore: certificate.validFromDate.toISOString(),
    notAfter: certificate.validToDate.toISOString(),
    files: files ?? null,
  })
}
