/**
 * The one reader of certificate files: PEM, also without line breaks, joined, in UTF-16 or inside quotes; DER; base64 of them; PKCS#12. No text about
 * a file quotes anything of it, because a wrong file may hold a key: only the labels below are named.
 */

import { X509Certificate } from 'node:crypto'
import { decodedText } from '../../platform/decoded-text.ts'
import { elementsOf, TAG } from './der.ts'
import { type PemBlock, splitBlocks } from './pem-blocks.ts'
import { isPkcs12 } from './pkcs12.ts'

export type PartType = 'certificate' | 'private key' | 'certificate request' | 'revocation list' | 'PKCS#12' | 'other'

/** A certificate, a key or something else in a file. */
export interface FilePart {
  readonly type: PartType
  /** Its place in texts: the file, or the file with the number of the block. */
  readonly what: string
  /** The file itself is DER or PKCS#12; otherwise the part is a PEM block. */
  readonly isWhole: boolean
  /** DER; empty with a problem. */
  readonly der: Buffer
  /** Of a certificate without a problem. */
  readonly certificate?: X509Certificate
  /** The text for OpenSSL, of a private key in PEM. */
  readonly pem?: string
  /** Why it cannot be used, and what to do; begins with a verb. */
  readonly problem: string | null
}

type Content = Omit<FilePart, 'what' | 'isWhole'>

export const COPY_AGAIN = 'copy the whole file again from where it came'
const NOTHING = Buffer.of()
/** White space, also of Unicode; characters without width; quotes around a text. */
const NO_CONTENT = /[\s\u200b-\u200d\u2060\ufeff"']+/g
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** The parts of a file, in its order; none in an empty file and in text without any. @param file names it in texts */
export function partsOf(bytes: Buffer, file: string): FilePart[] {
  const whole = (content: Content): FilePart[] => [{ ...content, what: file, isWhole: true }]
  if (isDer(bytes)) return whole(contentOfDer(bytes, PKCS7_DER))
  const text = decodedText(bytes)
  const blocks = splitBlocks(text)
  if (blocks.length > 0)
    return blocks.map((block, index) => {
      return { ...contentOfBlock(block), what: `${file}: block ${index + 1}`, isWhole: false }
    })
  const decoded = decodeBase64(text.replace(/^data:[^,]*;base64,/, ''))
  if (decoded !== null) return isDer(decoded) ? whole(contentOfDer(decoded, PKCS7_BASE64)) : partsOf(decoded, file)
  const [, problem] = FOREIGN.find(([pattern]) => pattern.test(text)) ?? []
  return problem === undefined ? [] : whole(broken('other', problem))
}

/** What is saved by mistake in the place of a certificate or a key. */
const FOREIGN: readonly (readonly [RegExp, string])[] = [
  [/^PK\u0003\u0004/, 'is a ZIP archive: unpack it, and use the file inside'],
  [/^\u001f\ufffd/, 'is a compressed file: unpack it with "gunzip", and use the file inside'],
  [
    // 0xfeedfeed, a Java keystore.
    /^\ufffd\ufffd\ufffd\ufffd\0\0\0[\u0001\u0002]/,
    'is a Java keystore: convert it with "keytool -importkeystore -srckeystore FILE -destkeystore FILE.p12 -deststoretype PKCS12"',
  ],
  [/^\s*<(!doctype|html|head|body|\?xml)/i, 'is a web page and no certificate: download the file itself'],
  [
    /^PuTTY-User-Key-File/,
    'is a key of PuTTY: export it there (Conversions) as an OpenSSH key, then: ssh-keygen -p -m PKCS8 -f FILE',
  ],
  [/^(ssh|ecdsa|sk)-[\w@.-]+ AAAA/m, 'is a public key of SSH: name the private key'],
  [
    // The base64 text of "-----BEGIN", and of a SEQUENCE of DER.
    /LS0tLS1CRUdJTi|(?<![A-Za-z0-9+/])MI[A-Za-z0-9+/]{60}/,
    'holds its base64 text as one value among others, as JSON or YAML do: save this value alone',
  ],
]

/** An ASN.1 SEQUENCE, which no text resembles. */
function isDer(bytes: Buffer): boolean {
  const [tag, length = 0] = bytes
  return tag === TAG.sequence && (length >= 0x80 || length === bytes.length - 2)
}

/** DER or PEM that was encoded once more, also for URLs (RFC 4648 section 5); null: the text is something else. */
function decodeBase64(text: string): Buffer | null {
  const written = text.replaceAll(/\\+[rnt]/g, '')
  const bytes = bytesOfBase64(written) ?? (/^[\w\s-]+$/.test(written) ? Buffer.from(written, 'base64url') : null)
  return bytes !== null && (isDer(bytes) || bytes.includes('-----BEGIN ')) ? bytes : null
}

function bytesOfBase64(text: string): Buffer | null {
  const base64 = text.replaceAll(NO_CONTENT, '').replaceAll(/\\+\//g, '/')
  return base64.length % 4 === 0 && BASE64.test(base64) ? Buffer.from(base64, 'base64') : null
}

/** @param pkcs7 the command that reads a PKCS#7 file of this form */
function contentOfDer(der: Buffer, pkcs7: string): Content {
  if (isPkcs12(der)) return { type: 'PKCS#12', der, problem: null }
  if (isPkcs7(der)) return broken('certificate', pkcs7)
  const certificate = contentOfCertificate(der)
  if (certificate.certificate !== undefined || certificate.problem === TRAILING) return certificate
  return { type: typeOfSigned(der) ?? 'private key', der, problem: null }
}

/** Requests and revocation lists, like certificates, are SEQUENCE { content, algorithm, signature }. */
function typeOfSigned(der: Buffer): 'certificate request' | 'revocation list' | null {
  try {
    const [outer] = elementsOf(der)
    const [content, , signature] = elementsOf(outer?.content)
    if (content?.tag !== TAG.sequence || signature?.tag !== TAG.bitString) return null
    // RFC 2986 section 4: attributes [0] end a request.
    return elementsOf(content.content).at(-1)?.tag === 0xa0 &&
      content.content[0] === TAG.integer &&
      content.content[2] === 0
      ? 'certificate request'
      : 'revocation list'
  } catch {
    // No DER, so no list and no request.
    return null
  }
}

function contentOfBlock(block: PemBlock): Content {
  const type = typeOfLabel(block.label)
  if (block.broken !== null) {
    const what = type === 'private key' ? 'is not a whole private key: it ' : ''
    return broken(type, `${what}${block.broken}: ${COPY_AGAIN}`)
  }
  if (block.label === 'CMS') return broken(type, PKCS7_BASE64)
  if (/^PKCS ?#?7/.test(block.label)) return broken(type, PKCS7_PEM)
  if (block.label === 'OPENSSH PRIVATE KEY')
    return broken(
      type,
      'is a key in the form of OpenSSH: convert it in its place with "ssh-keygen -p -m PKCS8 -f FILE"',
    )
  if (type === 'private key') return contentOfKey(block)
  if (type === 'other') return { type, der: NOTHING, problem: null }
  const der = bytesOfBase64(block.content)
  if (der === null) return broken(type, `is not base64 text${explainBase64(block.content)}`)
  if (type === 'PKCS#12') return contentOfDer(der, PKCS7_BASE64)
  // Some authorities give PKCS#7 the label of a certificate, and OpenSSL reads that, too.
  if (type === 'certificate' && isPkcs7(der)) return broken(type, PKCS7_PEM)
  if (type !== 'certificate') return { type, der, problem: null }
  if (block.label === 'TRUSTED CERTIFICATE') return contentOfTrusted(der)
  return CERTIFICATE_LABELS.includes(block.label)
    ? contentOfCertificate(der)
    : broken(type, 'is not a certificate, as its first line says: put the issued certificate in its place')
}

const CERTIFICATE_LABELS: readonly string[] = ['CERTIFICATE', 'X509 CERTIFICATE']

function typeOfLabel(label: string): PartType {
  if (/^(NEW )?CERTIFICATE REQUEST$/.test(label)) return 'certificate request'
  if (label === 'X509 CRL') return 'revocation list'
  if (/PRIVATE KEY$/.test(label)) return 'private key'
  if (/^(PKCS ?#?12|PFX)$/.test(label)) return 'PKCS#12'
  return /CERTIFICATE|^PKCS ?#?7|^CMS$/.test(label) ? 'certificate' : 'other'
}

const TRAILING = `has bytes behind its certificate: ${COPY_AGAIN}`

function contentOfCertificate(der: Buffer): Content {
  try {
    const certificate = new X509Certificate(der)
    return certificate.raw.length === der.length
      ? { type: 'certificate', der, certificate, problem: null }
      : broken('certificate', TRAILING)
  } catch {
    // The reason that OpenSSL gives names its own functions.
    return broken('certificate', `is not a certificate, or was cut off: ${COPY_AGAIN}`)
  }
}

/** OpenSSL's own form: a certificate, and behind it for what it is trusted. A rejected use ([0]) must not be lost. */
function contentOfTrusted(der: Buffer): Content {
  try {
    const [certificate, trust] = elementsOf(der)
    if (certificate !== undefined && elementsOf(trust?.content).every(({ tag }) => tag !== 0xa0))
      return contentOfCertificate(certificate.raw)
  } catch {
    // Reported below.
  }
  return broken(
    'certificate',
    'is in the form of OpenSSL with trust settings: convert it with "openssl x509 -in FILE -out FILE.pem"',
  )
}

/** The headers of an encrypted key (RFC 1421), and its base64 text in lines of 64 characters. */
function contentOfKey({ label, content }: PemBlock): Content {
  const [headers = '', cipher] =
    /^\s*Proc-Type:\s*4,\s*ENCRYPTED\s*DEK-Info:\s*([A-Z0-9-]+,[0-9A-F]+)\s/i.exec(content) ?? []
  const der = bytesOfBase64(content.slice(headers.length))
  if (der === null)
    return broken('private key', `is not a whole private key${explainBase64(content.slice(headers.length))}`)
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  const head = cipher === undefined ? [] : ['Proc-Type: 4,ENCRYPTED', `DEK-Info: ${cipher}`, '']
  const pem = [`-----BEGIN ${label}-----`, ...head, ...lines, `-----END ${label}-----`, ''].join('\n')
  return { type: 'private key', der, pem, problem: null }
}

/** What is wrong with text that is no base64, and what to do. */
function explainBase64(content: string): string {
  return /[^A-Za-z0-9+/=\\]/.test(content.replaceAll(NO_CONTENT, ''))
    ? ': it has other characters in between, such as the > of a mail, marks of a web page or line numbers; save the file itself, not a copy of its text'
    : `, or was cut off: ${COPY_AGAIN}`
}

/** PKCS#7 SignedData begins with its object identifier (RFC 2315 section 14). */
function isPkcs7(der: Buffer): boolean {
  return der.subarray(0, 20).includes(Buffer.from('06092a864886f70d010702', 'hex'))
}

const PKCS7_PEM = explainPkcs7('openssl pkcs7 -print_certs -in FILE -out FILE.pem')
const PKCS7_DER = explainPkcs7('openssl pkcs7 -inform der -print_certs -in FILE -out FILE.pem')
/** OpenSSL reads neither base64 without first and last line nor the label CMS. */
const PKCS7_BASE64 = explainPkcs7(
  'grep -v -e ----- FILE | base64 -d | openssl pkcs7 -inform der -print_certs -out FILE.pem',
)

function explainPkcs7(command: string): string {
  return `is a PKCS#7 file: convert it with "${command}" and use that`
}

function broken(type: PartType, problem: string): Content {
  return { type, der: NOTHING, problem }
}
