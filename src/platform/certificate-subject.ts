import type { X509Certificate } from 'node:crypto'

/**
 * The attributes of a subject that rules may name, by the names that OpenSSL prints, with their object identifiers in DER, hexadecimal
 * (ITU-T X.520, RFC 4519).
 */
const IDENTIFIERS = {
  organizationIdentifier: '550461',
  serialNumber: '550405',
  UID: '0992268993f22c640101',
  CN: '550403',
  C: '550406',
  L: '550407',
  ST: '550408',
  O: '55040a',
  OU: '55040b',
  businessCategory: '55040f',
} as const

export type SubjectAttribute = keyof typeof IDENTIFIERS
export const SUBJECT_ATTRIBUTES = Object.keys(IDENTIFIERS) as readonly SubjectAttribute[]

/** Dotted, as libraries want them. */
export const SUBJECT_OIDS: Readonly<Record<SubjectAttribute, string>> = {
  organizationIdentifier: '2.5.4.97',
  serialNumber: '2.5.4.5',
  UID: '0.9.2342.19200300.100.1.1',
  CN: '2.5.4.3',
  C: '2.5.4.6',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  businessCategory: '2.5.4.15',
}

/** Attributes with which authorities name an organization, or a system of it: of a CNPJ, of Open Finance and of ICP-Brasil. */
export const IDENTIFYING_ATTRIBUTES = ['organizationIdentifier', 'serialNumber', 'UID'] as const

/** Of each attribute that the subject has, its values, decoded. */
export type SubjectIdentifiers = {
  readonly [A in (typeof IDENTIFYING_ATTRIBUTES)[number]]?: readonly string[] | undefined
}

/** A caller decides how many values its subject has, and how long they are. */
const MOST_VALUES = 4
const LONGEST_VALUE = 200

/** For people who compare a certificate with what rules say; null: the subject has none of these attributes. */
export function subjectIdentifiers(certificate: Pick<X509Certificate, 'raw'>): SubjectIdentifiers | null {
  const found = IDENTIFYING_ATTRIBUTES.flatMap((attribute) => {
    const values = subjectValues(certificate, attribute).slice(0, MOST_VALUES)
    return values.length === 0 ? [] : [[attribute, values.map((value) => value.slice(0, LONGEST_VALUE).toWellFormed())]]
  })
  return found.length === 0 ? null : Object.fromEntries(found)
}

const SEQUENCE = 0x30
const SET = 0x31
const OBJECT_IDENTIFIER = 0x06
const VERSION = 0xa0

/**
 * The values of an attribute in the subject, decoded, in order. The printed form of a subject may be read in several ways: a value can hold what looks like
 * another attribute, and every string type has its own bytes. A value of an unknown type, and a certificate that is no DER, have none.
 */
export function subjectValues({ raw }: Pick<X509Certificate, 'raw'>, attribute: SubjectAttribute): string[] {
  try {
    return [...attributesOf(raw)].flatMap(([identifier, value]) => {
      const text = identifier === IDENTIFIERS[attribute] ? textOf(value) : null
      return text === null ? [] : [text]
    })
  } catch {
    // OpenSSL has read the certificate, so this is a form that DER forbids: no rule matches it.
    return []
  }
}

function* attributesOf(raw: Buffer): Generator<readonly [identifier: string, value: Element]> {
  const certificate = only(raw, SEQUENCE)
  const [tbs] = elementsIn(certificate)
  const fields = elementsIn(expect(tbs, SEQUENCE)).filter(({ tag }) => tag !== VERSION)
  // Behind serial number, signature, issuer and validity (RFC 5280 section 4.1).
  for (const level of elementsIn(expect(fields[4], SEQUENCE))) {
    for (const attribute of elementsIn(expect(level, SET))) {
      const [type, value] = elementsIn(expect(attribute, SEQUENCE))
      yield [expect(type, OBJECT_IDENTIFIER).content.toString('hex'), expect(value)]
    }
  }
}

interface Element {
  readonly tag: number
  readonly content: Buffer
}

function only(bytes: Buffer, tag: number): Element {
  return expect(elementsIn({ tag, content: bytes })[0], tag)
}

function expect(element: Element | undefined, tag = element?.tag): Element {
  if (element === undefined || element.tag !== tag) throw new RangeError('not the element that RFC 5280 says')
  return element
}

/** The elements of a constructed one. @throws RangeError for lengths that DER forbids, or beyond the end */
function elementsIn({ content }: Element): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < content.length; ) {
    const tag = content.readUInt8(at)
    const first = content.readUInt8(at + 1)
    const lengthBytes = first < 0x80 ? 0 : first - 0x80
    if (lengthBytes > 4 || first === 0x80) throw new RangeError('no length of DER')
    const length = lengthBytes === 0 ? first : content.readUIntBE(at + 2, lengthBytes)
    const start = at + 2 + lengthBytes
    if (start + length > content.length) throw new RangeError('beyond the end')
    elements.push({ tag, content: content.subarray(start, start + length) })
    at = start + length
  }
  return elements
}

/** Of the string types of a DirectoryString, and of those that authorities use beside them. null: another type, or no text of its type. */
function textOf({ tag, content }: Element): string | null {
  switch (tag) {
    case 0x0c:
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
    // NumericString, PrintableString, IA5String, VisibleString.
    case 0x12:
    case 0x13:
    case 0x16:
    case 0x1a:
      return content.every((byte) => byte < 0x80) ? content.toString('latin1') : null
    // TeletexString, as OpenSSL reads it.
    case 0x14:
      return content.toString('latin1')
    // BMPString.
    case 0x1e:
      return content.length % 2 === 0 ? Buffer.from(content).swap16().toString('utf16le') : null
    default:
      return null
  }
}
