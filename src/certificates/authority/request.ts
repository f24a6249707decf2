import { createPublicKey, type KeyObject } from 'node:crypto'
import type * as x509 from '@peculiar/x509'
import { nameOnOneLine } from '../../platform/certificate-identity.ts'
import { PortariaError } from '../../platform/errors.ts'
import { type Said, say } from '../../platform/said.ts'
import { elementsOf, TAG } from '../files/der.ts'
import { partsOf } from '../files/file-parts.ts'
import { signatureCheckOf } from '../files/signature-check.ts'
import { keyTypeOf } from '../live/certificate-format.ts'
import { loadX509 } from './signing.ts'

/** A certificate request (RFC 2986) that may be signed. */
export interface CheckedRequest {
  readonly subject: x509.Name
  /** On one line. */
  readonly subjectName: string
  readonly commonName: string
  readonly publicKey: KeyObject
  readonly keyType: string
  /** DNS names and mail addresses, which the certificate gets too. */
  readonly alternativeNames: readonly x509.JsonGeneralName[]
  /** What it asks for besides, and does not get; in words. */
  readonly ignored: readonly string[]
}

/** A request is a few hundred bytes long. */
export const REQUEST_BYTES = 64 * 1024
const NAMES_LIMIT = 100
const VALUE_LIMIT = 64
const RSA_BITS = { min: 2048, max: 8192 } as const
const CURVES: readonly unknown[] = ['prime256v1', 'secp384r1', 'secp521r1']
const EXPONENT = 65_537n

const ALTERNATIVE_NAMES = '2.5.29.17'
/** Of requested extensions, in words. Key identifiers and uses are the authority's own. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  '2.5.29.14': 'key identifier',
  '2.5.29.15': 'key usage',
  '2.5.29.19': 'basic constraints',
  '2.5.29.37': 'extended key usage',
}

/**
 * The request of a file, PEM or DER, whose signature proves that its sender has the key.
 * @throws PortariaError `certificate_invalid` for a file that is not exactly one request, a wrong or weak signature, a weak key, and a subject that cannot
 * be in a certificate
 */
export async function checkRequest(bytes: Buffer, file: string): Promise<CheckedRequest> {
  const der = onlyRequestOf(bytes, file)
  const library = await loadX509()
  try {
    const publicKey = verifiedKeyOf(der, file)
    const request = new library.Pkcs10CertificateRequest(der)
    const { names, ignored } = namesOf(request, library, file)
    return {
      subject: request.subjectName,
      ...subjectOf(request, file),
      publicKey,
      keyType: keyTypeOf(publicKey),
      alternativeNames: names,
      ignored,
    }
  } catch (cause) {
    if (cause instanceof PortariaError) throw cause
    throw refused(file, say`is damaged: have it made and sent again`, cause)
  }
}

function onlyRequestOf(bytes: Buffer, file: string): Buffer {
  if (bytes.length > REQUEST_BYTES)
    throw refused(file, say`is longer than ${{ count: REQUEST_BYTES / 1024 }} KiB: name the file of the request`)
  const parts = partsOf(bytes, file).filter(({ type }) => type !== 'other')
  const requests = parts.filter(({ type }) => type === 'certificate request')
  const [request] = requests
  if (parts.some(({ type, problem }) => type === 'private key' && problem === null))
    throw refused(
      file,
      say`holds a private key, which must not leave its owner: ask for the request alone, with a new key`,
    )
  if (requests.length > 1)
    throw refused(file, say`holds ${{ count: requests.length }} requests: sign each from a file of its own`)
  if (request?.problem != null) throw refused(file, request.problem)
  if (request !== undefined) return request.der
  if (parts.length === 0 && bytes[0] === TAG.sequence) return bytes
  throw refused(file, say`holds no certificate request: it must begin with "-----BEGIN CERTIFICATE REQUEST-----"`)
}

function verifiedKeyOf(der: Buffer, file: string): KeyObject {
  const [outer, ...rest] = elementsOf(der)
  const [signed, algorithm, signature] = elementsOf(outer?.content)
  const [, , spki] = elementsOf(signed?.content)
  if (rest.length > 0 || signed === undefined || algorithm === undefined || signature?.tag !== TAG.bitString)
    throw new RangeError('not a request')
  const key = createPublicKey({ key: spki?.raw ?? Buffer.of(), format: 'der', type: 'spki' })
  const weak = weaknessOf(key)
  if (weak !== null) throw refused(file, `has a key that is ${keyTypeOf(key)}, ${weak}`)
  const check = signatureCheckOf(algorithm)
  if (typeof check === 'string')
    throw refused(file, say`is signed with ${{ algorithm: check }}: have it signed with SHA-256 (openssl req -sha256)`)
  if (!check(signed.raw, key, signature.content.subarray(1)))
    throw refused(file, say`is not signed with its own key: it was changed, or its sender does not have the key`)
  return key
}

function weaknessOf(key: KeyObject): string | null {
  const { modulusLength = 0, publicExponent = 0n, namedCurve } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ec')
    return CURVES.includes(namedCurve) ? null : 'a curve that is not accepted: use P-256, P-384 or P-521'
  if (key.asymmetricKeyType !== 'rsa') return 'which is not accepted: use EC P-256 or RSA with 2048 bits or more'
  if (modulusLength < RSA_BITS.min) return `which is too weak: use ${RSA_BITS.min} bits or more, or EC P-256`
  if (modulusLength > RSA_BITS.max) return `which delays every handshake: use at most ${RSA_BITS.max} bits`
  return publicExponent >= EXPONENT ? null : `with the weak exponent ${publicExponent}: make a new key`
}

function subjectOf(request: x509.Pkcs10CertificateRequest, file: string) {
  const values = request.subjectName.toJSON().flatMap((set) => Object.values(set).flat())
  const texts = values.map((value) => (typeof value === 'string' ? value : Object.values(value).join('')))
  const commonName = request.subjectName.getField('CN').at(-1)?.trim() ?? ''
  const problem =
    commonName === ''
      ? 'has no common name (CN): have it made with one'
      : texts.some((text) => [...text].length > VALUE_LIMIT)
        ? `has a name of more than ${VALUE_LIMIT} characters: have it shortened`
        : texts.some((text) => /[\p{Cc}\p{Cf}]/u.test(text))
          ? 'has control characters in its subject: have it made again'
          : null
  if (problem !== null) throw refused(file, problem)
  return { commonName, subjectName: nameOnOneLine(request.subjectName.toString().replaceAll(', ', '\n')) }
}

function namesOf(request: x509.Pkcs10CertificateRequest, library: typeof x509, file: string) {
  const ignored: string[] = []
  const names: x509.JsonGeneralName[] = []
  for (const extension of request.extensions) {
    if (extension instanceof library.SubjectAlternativeNameExtension)
      for (const { type, value } of extension.names.items) {
        const isKept = (type === 'dns' || type === 'email') && /^[\x21-\x7e]{1,253}$/.test(value)
        if (isKept) names.push({ type, value })
        else ignored.push(`alternative name ${type}:${value}`)
      }
    else if (extension instanceof library.BasicConstraintsExtension && extension.ca) ignored.push('to be an authority')
    else if (extension.type !== ALTERNATIVE_NAMES)
      ignored.push(EXTENSIONS[extension.type] ?? `extension ${extension.type}`)
  }
  if (names.length > NAMES_LIMIT)
    throw refused(file, say`has ${{ count: names.length }} alternative names: at most ${{ most: NAMES_LIMIT }}`)
  return { names, ignored }
}

function refused(file: string, what: Said | string, cause?: unknown): PortariaError {
  return new PortariaError('certificate_invalid', say`the file ${{ file }} ${{ words: what }}`, { cause })
}
