import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  type webcrypto,
  X509Certificate,
} from 'node:crypto'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import type * as x509Library from '@peculiar/x509'

type X509 = typeof x509Library

/** A certificate, or a chain with the leaf first, and the private key (PKCS#8); both PEM. The names are those of Node's TLS options. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

export interface Validity {
  readonly notBefore: Date
  readonly notAfter: Date
}

interface Request {
  readonly name: string
  /** PEM. */
  readonly key: string
  /** Without it the certificate is self-signed. */
  readonly issuer?: KeyPair | undefined
  readonly validity: Validity
  extensions(x509: X509): x509Library.Extension[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const AUTHORITY_DAYS = 3_652
/** Strict clients accept server certificates of at most 825 days. */
const LEAF_DAYS = 820
/** The clocks of two machines differ. */
const BACKDATED_MS = HOUR_MS
/** Upper bound of a common name (RFC 5280 appendix A.1). */
const NAME_LENGTH = 64
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const
const makeKeyPair = promisify(generateKeyPair)

/** The names of every server certificate of the simulator. */
export const OWN_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1']

/** A key on P-256, PKCS#8 PEM. */
export async function makeEcKey(): Promise<string> {
  return pemOf((await makeKeyPair('ec', { namedCurve: 'P-256' })).privateKey)
}

/** A key of 2048 bits, PKCS#8 PEM, made in the thread pool: several at once use several cores. */
export async function makeRsaKey(): Promise<string> {
  return pemOf((await makeKeyPair('rsa', { modulusLength: 2048 })).privateKey)
}

/** A certificate authority on P-256, valid for ten years. Without an issuer it is a root; below one it issues leaves only (pathlen 0). */
export async function issueAuthority(request: { name: string; now: Date; issuer?: KeyPair }): Promise<KeyPair> {
  const { name, now, issuer } = request
  const key = await makeEcKey()
  const pathLength = issuer === undefined ? 1 : 0
  const cert = await issue({
    name,
    key,
    issuer,
    validity: validityOf(now, AUTHORITY_DAYS, issuer),
    extensions: (x509) => [
      new x509.BasicConstraintsExtension(true, pathLength, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  })
  return { cert, key }
}

/** A server certificate for `OWN_NAMES` and the given host names or addresses, without its issuers. @returns PEM */
export function issueServer(request: {
  key: string
  issuer: KeyPair
  now: Date
  hostNames: readonly string[]
}): Promise<string> {
  const { key, issuer, now, hostNames } = request
  const names = serverNames(hostNames).map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const)
  return issue({
    name: 'localhost',
    key,
    issuer,
    validity: validityOf(now, LEAF_DAYS, issuer),
    extensions: (x509) => [
      ...leafExtensions(x509, x509.ExtendedKeyUsage.serverAuth),
      new x509.SubjectAlternativeNameExtension([...names]),
    ],
  })
}

/** A client certificate without its issuers. @returns PEM */
export function issueClient(request: {
  name: string
  key: string
  issuer: KeyPair
  now: Date
  /** Left out: 820 days, at most as long as the issuer. */
  validity?: Validity | undefined
}): Promise<string> {
  const { name, key, issuer, now, validity = validityOf(now, LEAF_DAYS, issuer) } = request
  const extensions = (x509: X509) => leafExtensions(x509, x509.ExtendedKeyUsage.clientAuth)
  return issue({ name, key, issuer, validity, extensions })
}

/** Whether a server certificate is for exactly `OWN_NAMES` and these names. */
export function isForNames(cert: string, hostNames: readonly string[]): boolean {
  const certificate = new X509Certificate(cert)
  const present = (certificate.subjectAltName ?? '').split(', ')
  const wanted = serverNames(hostNames)
  const isPresent = (name: string) =>
    isIP(name) === 0 ? present.includes(`DNS:${name}`) : certificate.checkIP(name) !== undefined
  return present.length === wanted.length && wanted.every(isPresent)
}

function serverNames(hostNames: readonly string[]): string[] {
  return [...new Set([...OWN_NAMES, ...hostNames.map((name) => name.toLowerCase())])]
}

/** A leaf ends with its issuer at the latest, or a verifier would refuse it earlier than its dates say. */
function validityOf(now: Date, days: number, issuer: KeyPair | undefined): Validity {
  const notBefore = now.getTime() - BACKDATED_MS
  const latest =
    issuer === undefined ? Number.POSITIVE_INFINITY : new X509Certificate(issuer.cert).validToDate.getTime()
  return { notBefore: new Date(notBefore), notAfter: new Date(Math.min(notBefore + days * DAY_MS, latest)) }
}

function leafExtensions(x509: X509, usage: string): x509Library.Extension[] {
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([usage]),
  ]
}

async function issue({ name, key, issuer, validity, extensions }: Request): Promise<string> {
  // Loading the library takes longer than reading a whole folder.
  const x509 = await import('@peculiar/x509')
  const publicKey = new x509.PublicKey(createPublicKey(key).export({ type: 'spki', format: 'der' }))
  const subject = nameOf(x509, name)
  const issuerCertificate = issuer === undefined ? null : new x509.X509Certificate(issuer.cert)
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: issuerCertificate?.subjectName ?? subject,
    notBefore: wholeSecond(validity.notBefore),
    notAfter: wholeSecond(validity.notAfter),
    publicKey,
    signingKey: await signingKeyOf(issuer?.key ?? key),
    signingAlgorithm: SIGNATURE,
    extensions: [
      ...extensions(x509),
      // Strict verifiers demand both identifiers (RFC 5280 sections 4.2.1.1 and 4.2.1.2).
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuerCertificate?.publicKey ?? publicKey),
    ],
  })
  return `${certificate.toString('pem')}\n`
}

/** A distinguished name from parts, because a text would have to escape commas of the name. */
function nameOf(x509: X509, name: string): x509Library.Name {
  const commonName = [...name].slice(0, NAME_LENGTH).join('')
  return new x509.Name([{ O: [{ utf8String: 'Portaria simulator' }] }, { CN: [{ utf8String: commonName }] }])
}

/** X.509 has no fractions of a second. */
function wholeSecond(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000)
}

function signingKeyOf(key: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' })
  return crypto.subtle.importKey('pkcs8', der, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
}

function pemOf(key: KeyObject): string {
  return String(key.export({ type: 'pkcs8', format: 'pem' }))
}
