import { createHash, type X509Certificate } from 'node:crypto'
import { canonicalSerial } from '../../domain/trust.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { type Element, type Extension, elementsOf, extensionsIn, oidOf, subjectNameOf, TAG } from '../files/der.ts'
import { COPY_AGAIN, partsOf } from '../files/file-parts.ts'
import { readCertificateFile, throwProblems } from '../files/pem.ts'
import { signatureCheckOf } from '../files/signature-check.ts'
import { keyUsagesOf } from '../live/key-usage.ts'

const CONFIG_KEY = 'crl of a chain'

/** A certificate revocation list (RFC 5280 section 5). */
export interface RevocationList {
  readonly file: string
  /** The issuer on one line, for texts. */
  readonly issuer: string
  /** In the form of `canonicalSerial`. */
  readonly serials: ReadonlySet<string>
  /** ms since 1970. */
  readonly thisUpdate: number
  /** In ms since 1970; null: the list does not name the next one. */
  readonly nextUpdate: number | null
  /** The scope: a newer list of the same scope replaces this one; lists of other scopes apply beside it. */
  readonly scope: string
  /** SHA-256, hexadecimal, lower case. */
  readonly fingerprint: string
  /** Whether this authority issued the list: by name, key usage and signature. */
  isSignedBy(authority: X509Certificate): boolean
}

/** Reading a larger file would delay callbacks. About 250,000 revoked certificates. */
const MAX_BYTES = 8 * 1024 * 1024

const DELTA = '2.5.29.27'
const ISSUING_DISTRIBUTION_POINT = '2.5.29.28'
const CERTIFICATE_ISSUER = '2.5.29.29'
/** Key identifier, list number, and where to find more. */
const KNOWN_EXTENSIONS: readonly string[] = ['2.5.29.35', '2.5.29.20', '2.5.29.46', ISSUING_DISTRIBUTION_POINT]
/** Reason and date of a revocation. */
const KNOWN_ENTRY_EXTENSIONS: readonly string[] = ['2.5.29.21', '2.5.29.24']

/** Parsed lists, so that a check for changes does not parse 250,000 entries again. */
const read = new Map<string, { readonly digest: string; readonly lists: readonly RevocationList[] }>()
const READ_FILES = 32

/**
 * Every revocation list of a file, PEM (one or several) or DER. Node alone would read only the first of a PEM file.
 * @throws PortariaError `certificate_invalid` with the problem and what to do
 */
export function readRevocationLists(file: string): readonly RevocationList[] {
  const bytes = readCertificateFile(file, CONFIG_KEY, MAX_BYTES)
  const digest = createHash('sha256').update(bytes).digest('hex')
  const known = read.get(file)
  if (known?.digest === digest) return known.lists
  const lists = listsIn(bytes, file)
  if (read.size >= READ_FILES) read.clear()
  read.set(file, { digest, lists })
  return lists
}

function listsIn(bytes: Buffer, file: string): RevocationList[] {
  const lists: RevocationList[] = []
  const problems: string[] = []
  for (const { type, what, isWhole, der, problem } of partsOf(bytes, file)) {
    if (type !== 'revocation list' && !isWhole) continue
    const list = problem ?? parseList(der, file)
    if (typeof list !== 'string') lists.push(list)
    else problems.push(`${what} ${list}`)
  }
  if (lists.length + problems.length === 0)
    problems.push(
      `${file} (${CONFIG_KEY}) contains no revocation list: it must be DER, or PEM that starts with "-----BEGIN X509 CRL-----"`,
    )
  throwProblems(`${problems.length} revocation lists of ${file} cannot be used`, problems)
  return lists
}

/** The list, or its problem. */
function parseList(der: Buffer, file: string): RevocationList | string {
  try {
    return readList(der, file)
  } catch (error) {
    if (error instanceof PortariaError) return error.message
    return `is damaged or none at all (${messageOf(error)}): ${COPY_AGAIN}`
  }
}

function readList(der: Buffer, file: string): RevocationList {
  const [outer, ...rest] = elementsOf(der)
  const [toBeSigned, algorithm, signature] = elementsOf(outer?.content)
  if (rest.length > 0 || toBeSigned === undefined || algorithm === undefined || signature?.tag !== TAG.bitString)
    throw new RangeError('not a list')
  const fields = elementsOf(toBeSigned.content)
  if (fields[0]?.tag === TAG.integer) fields.shift()
  const [innerAlgorithm, issuer, thisUpdate] = fields.splice(0, 3)
  if (innerAlgorithm === undefined || issuer === undefined || thisUpdate === undefined)
    throw new RangeError('fields are missing')
  if (!innerAlgorithm.raw.equals(algorithm.raw)) throw new RangeError('two signature algorithms')
  const nextUpdate = isTime(fields[0]) ? fields.shift() : undefined
  const revoked = fields[0]?.tag === TAG.sequence ? fields.shift() : undefined
  const extensions = fields[0]?.tag === 0xa0 ? extensionsIn(fields[0].content) : []
  refuseUnusable(extensions, KNOWN_EXTENSIONS)
  const check = signatureCheckOf(algorithm)
  if (typeof check === 'string') throw unusable(`is signed with ${check}: name revoked callers under deny instead`)
  return {
    file,
    issuer: textOfName(issuer),
    serials: new Set(elementsOf(revoked?.content).map(serialOfEntry)),
    thisUpdate: timeOf(thisUpdate),
    nextUpdate: nextUpdate === undefined ? null : timeOf(nextUpdate),
    scope: scopeOf(extensions),
    fingerprint: createHash('sha256').update(der).digest('hex'),
    isSignedBy(authority) {
      const subject = subjectNameOf(authority)
      if (subject === undefined || canonicalName(subject) !== canonicalName(issuer)) return false
      if (!keyUsagesOf(authority).maySignLists) return false
      try {
        return check(toBeSigned.raw, authority.publicKey, signature.content.subarray(1))
      } catch {
        // The key has another type than the signature.
        return false
      }
    },
  }
}

function serialOfEntry({ content }: Element): string {
  const [serial, _date, extensions] = elementsOf(content)
  if (serial?.tag !== TAG.integer) throw new RangeError('an entry without a serial number')
  if (extensions !== undefined) refuseUnusable(extensionsIn(extensions.raw), KNOWN_ENTRY_EXTENSIONS)
  return serialOfInteger(serial.content)
}

/** In the form of `canonicalSerial`; INTEGER is in two's complement. */
function serialOfInteger(content: Buffer): string {
  const hex = content.toString('hex')
  if ((content[0] ?? 0) < 0x80) return canonicalSerial(hex)
  return BigInt.asIntN(content.length * 8, BigInt(`0x${hex}`)).toString(16)
}

function refuseUnusable(extensions: readonly Extension[], known: readonly string[]): void {
  for (const { oid, isCritical } of extensions) {
    if (oid === DELTA) throw unusable('is a delta list, of changes only: get the complete list')
    if (oid === CERTIFICATE_ISSUER) throw unusable(INDIRECT)
    if (isCritical && !known.includes(oid))
      throw unusable(
        `has a critical extension that is not known here (${oid}): get a list without it, or name revoked callers under deny`,
      )
  }
}

const INDIRECT =
  'is an indirect list, in the name of other authorities: get the list of the authority itself, or name revoked callers under deny'

/** Which certificates of its authority the list covers (RFC 5280 section 5.2.5). */
function scopeOf(extensions: readonly Extension[]): string {
  const point = extensions.find(({ oid }) => oid === ISSUING_DISTRIBUTION_POINT)
  if (point === undefined) return ''
  const [fields] = elementsOf(point.value)
  const tags = elementsOf(fields?.content)
    .filter(({ content }) => content[0] !== 0)
    .map(({ tag }) => tag & 0x1f)
  if (tags.includes(4)) throw unusable(INDIRECT)
  if (tags.includes(3)) throw unusable('is about some reasons of revocation only: get the list of all reasons')
  if (tags.includes(5)) throw unusable('is about attribute certificates only: get the list of callers’ certificates')
  return point.value.toString('hex')
}

function unusable(what: string): PortariaError {
  return new PortariaError('certificate_invalid', what)
}

const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18

function isTime(element: Element | undefined): boolean {
  return element?.tag === UTC_TIME || element?.tag === GENERALIZED_TIME
}

/** ms since 1970. */
function timeOf({ tag, content }: Element): number {
  const text = content.toString('latin1')
  const [, first = '', month, day, hour, minute, second] =
    /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(text) ?? []
  // RFC 5280 section 4.1.2.5.1: two digits are 1950 to 2049.
  const year = tag === GENERALIZED_TIME ? first : `${Number(first) < 50 ? 20 : 19}${first}`
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(time)) throw new RangeError('a date that is none')
  return time
}

const BMP_STRING = 0x1e

/** Equal for names that are equal in X.509: without case, spaces and the string type. */
function canonicalName(name: Element): string {
  return JSON.stringify(
    elementsOf(name.content).map((set) =>
      attributesOf(set)
        .map(([type, value]) => `${type}=${value.toLowerCase().trim().replaceAll(/\s+/g, ' ')}`)
        .sort(),
    ),
  )
}

const NAME_LENGTH = 200

function textOfName(name: Element): string {
  const values = elementsOf(name.content).flatMap((set) => attributesOf(set).map(([, value]) => value))
  return values.join(', ').slice(0, NAME_LENGTH)
}

function attributesOf(set: Element): (readonly [type: string, value: string])[] {
  return elementsOf(set.content).map(({ content }) => {
    const [type, value] = elementsOf(content)
    return [oidOf(type?.content ?? Buffer.of()), textOf(value)] as const
  })
}

function textOf(value: Element | undefined): string {
  if (value === undefined) return ''
  // A copy, because swap16 changes its buffer.
  return value.tag === BMP_STRING
    ? Buffer.from(value.content.subarray(0, value.content.length & ~1))
        .swap16()
        .toString('utf16le')
    : value.content.toString('utf8')
}
