import type { X509Certificate } from 'node:crypto'

/** A DER value (X.690), as in certificates and revocation lists. */
export interface Element {
  readonly tag: number
  readonly content: Buffer
  /** With tag and length, as it is signed. */
  readonly raw: Buffer
}

export interface Extension {
  /** With dots. */
  readonly oid: string
  readonly isCritical: boolean
  readonly value: Buffer
}

export const TAG = { integer: 0x02, bitString: 0x03, sequence: 0x30, set: 0x31 } as const

/** extensions [3] of TBSCertificate (RFC 5280 section 4.1). */
const CERTIFICATE_EXTENSIONS = 0xa3

/** The consecutive values. @throws RangeError for bytes that are not DER */
export function elementsOf(der: Buffer = Buffer.of()): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < der.length; ) {
    const element = elementAt(der, at)
    elements.push(element)
    at += element.raw.length
  }
  return elements
}

function elementAt(der: Buffer, at: number): Element {
  const [tag, first] = [der[at], der[at + 1]]
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f || first === 0x80 || first > 0x84)
    throw new RangeError('not DER')
  const lengthBytes = first < 0x80 ? 0 : first - 0x80
  const begin = at + 2 + lengthBytes
  if (begin > der.length) throw new RangeError('cut off')
  const end = begin + (lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes))
  if (end > der.length) throw new RangeError('cut off')
  return { tag, content: der.subarray(begin, end), raw: der.subarray(at, end) }
}

/** The extensions of a certificate. @throws RangeError for bytes that are not DER */
export function extensionsOfCertificate({ raw }: X509Certificate): Extension[] {
  const found = toBeSignedOf(raw).find(({ tag }) => tag === CERTIFICATE_EXTENSIONS)
  return found === undefined ? [] : extensionsIn(found.content)
}

/** The subject's Name. @throws RangeError for bytes that are not DER */
export function subjectNameOf({ raw }: X509Certificate): Element | undefined {
  // Version 1 has no version field: serial number, signature, issuer, validity, subject.
  const fields = toBeSignedOf(raw)
  return fields[fields[0]?.tag === TAG.integer ? 4 : 5]
}

/** `Extensions` of a certificate, a revocation list or one of its entries. */
export function extensionsIn(der: Buffer): Extension[] {
  const [list] = elementsOf(der)
  return elementsOf(list?.content).map(({ content }) => {
    const parts = elementsOf(content)
    const [oid, critical] = parts
    return {
      oid: oidOf(oid?.content ?? Buffer.of()),
      isCritical: parts.length === 3 && critical?.content[0] !== 0,
      value: parts.at(-1)?.content ?? Buffer.of(),
    }
  })
}

export function oidOf(content: Buffer): string {
  const arcs: number[] = []
  let arc = 0
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    if (arcs.length > 0) arcs.push(arc)
    else arcs.push(Math.min(Math.floor(arc / 40), 2), arc - 40 * Math.min(Math.floor(arc / 40), 2))
    arc = 0
  }
  return arcs.join('.')
}

function toBeSignedOf(raw: Buffer): Element[] {
  const [certificate] = elementsOf(raw)
  const [toBeSigned] = elementsOf(certificate?.content)
  return elementsOf(toBeSigned?.content)
}
