import type { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { generate } from 'selfsigned'

const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 3_652
/** Strict clients allow at most 825 days. */
const LEAF_DAYS = 820
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const

const OWN_NAMES: readonly { type: 2 | 7; value?: string; ip?: string }[] = [
  { type: 2, value: 'localhost' },
  { type: 7, ip: '127.0.0.1' },
  { type: 7, ip: '::1' },
]

/** A certificate and its key, both PEM. */
interface Issued {
  readonly certificate: string
  readonly privateKey: string
}

export type Authority = Issued

type Extensions = NonNullable<NonNullable<Parameters<typeof generate>[1]>['extensions']>

interface Request {
  readonly name: string
  readonly now: Date
  readonly days: number
  readonly extensions: Extensions
  /** Without it the certificate is a root. */
  readonly issuer?: Authority
}

/** A CA for development, EC P-256, good for ten years. */
export function issueAuthority(options: { name: string; now: Date; issuer?: Authority }): Promise<Authority> {
  return issue({
    ...options,
    days: AUTHORITY_DAYS,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
}

/** A server certificate for names of this machine, or a client certificate; EC P-256. */
export function issueLeaf(options: {
  name: string
  usage: 'server' | 'client'
  now: Date
  issuer: Authority
}): Promise<Issued> {
  const { usage, ...rest } = options
  const extensions: Extensions = [
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, critical: true },
    { name: 'extKeyUsage', serverAuth: usage === 'server', clientAuth: usage === 'client' },
  ]
  if (usage === 'server') extensions.push({ name: 'subjectAltName', altNames: OWN_NAMES.slice() })
  return issue({ ...rest, days: LEAF_DAYS, extensions })
}

async function issue({ name, now, days, extensions, issuer }: Request): Promise<Issued> {
  // X.509 has no fractions of a second.
  const notBefore = new Date(Math.floor(now.getTime() / 1000) * 1000)
  const draft = await generate(
    [
      { name: 'commonName', value: name },
      { name: 'organizationName', value: 'Portaria development' },
    ],
    {
      keyType: 'ec',
      curve: 'P-256',
      algorithm: 'sha256',
      notBeforeDate: notBefore,
      notAfterDate: new Date(notBefore.getTime() + days * DAY_MS),
      extensions,
    },
  )
  return { certificate: await complete(draft, issuer), privateKey: draft.private }
}

/**
 * selfsigned writes neither key identifiers, which strict clients demand (RFC 5280 sections 4.2.1.1 and 4.2.1.2), nor always a minimal serial number.
 * So its certificate is a draft, which is signed again with both identifiers and a new serial number.
 */
async function complete(draft: { cert: string; private: string }, issuer: Authority | undefined): Promise<string> {
  const certificate = new x509.X509Certificate(draft.cert)
  const issuerCertificate = issuer === undefined ? certificate : new x509.X509Certificate(issuer.certificate)
  const completed = await x509.X509CertificateGenerator.create({
    subject: certificate.subjectName,
    issuer: issuerCertificate.subjectName,
    notBefore: certificate.notBefore,
    notAfter: certificate.notAfter,
    publicKey: certificate.publicKey,
    signingKey: await importSigningKey(issuer?.privateKey ?? draft.private),
    signingAlgorithm: SIGNATURE,
    extensions: [
      ...certificate.extensions,
      await x509.SubjectKeyIdentifierExtension.create(certificate.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuerCertificate.publicKey),
    ],
  })
  return `${completed.toString('pem')}\n`
}

function importSigningKey(privateKey: string): Promise<webcrypto.CryptoKey> {
  const [der] = x509.PemConverter.decode(privateKey)
  if (der === undefined) throw new TypeError('unreachable: selfsigned always makes a key')
  return crypto.subtle.importKey('pkcs8', der, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
}
