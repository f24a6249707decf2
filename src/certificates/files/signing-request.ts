import { KeyObject, type webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type * as x509 from '@peculiar/x509'
import { SUBJECT_OIDS, type SubjectAttribute } from '../../platform/certificate-subject.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { keyTypeOf } from '../live/certificate-format.ts'

export const KEY_TYPES = ['p256', 'rsa2048', 'rsa3072', 'rsa4096'] as const
export type KeyType = (typeof KEY_TYPES)[number]

/** Both PEM. */
export interface SigningRequest {
  /** PKCS#8, not encrypted. */
  readonly privateKey: string
  readonly request: string
}

/** The content of a certificate request. */
export interface RequestDescription {
  readonly subjectName: string
  readonly names: readonly string[]
  readonly keyType: string
  /** Whether the request is signed with its key. */
  readonly isSigned: boolean
}

/** A further attribute of the subject. */
export interface SubjectPart {
  readonly attribute: SubjectAttribute
  readonly value: string
}

/** RFC 5280 appendix A.1; those of the others are that of an organization. */
const LIMITS: Readonly<Partial<Record<SubjectAttribute, number>>> = {
  C: 2,
  L: 128,
  ST: 128,
  businessCategory: 128,
  organizationIdentifier: 256,
  UID: 256,
}
/** Attributes whose values are of no other type. */
const PRINTABLE: readonly SubjectAttribute[] = ['C', 'serialNumber']

/** Limits in characters (RFC 5280 appendix A.1: ub-common-name, ub-organization-name), and of a host name with its wildcard. */
const COMMON_NAME_LIMIT = 64
const ORGANIZATION_LIMIT = 64
const HOST_NAME_LIMIT = 253

/**
 * Creates a key and a certificate signing request (RFC 2986) for these DNS names, signed with SHA-256. The first name is also the common name.
 * Throws `request_invalid` for a text that is no DNS name, and for an organization that authorities refuse.
 */
export async function makeSigningRequest(options: {
  names: readonly string[]
  keyType: KeyType
  organization?: string | undefined
  /** Further attributes of the subject, in their order. */
  subject?: readonly SubjectPart[] | undefined
}): Promise<SigningRequest> {
  const names = [...new Set(options.names.map(toDnsName))]
  if (options.organization !== undefined) requireText(options.organization, '--organization', ORGANIZATION_LIMIT)
  for (const { attribute, value } of options.subject ?? []) {
    requireText(value, `--subject ${attribute}`, LIMITS[attribute] ?? ORGANIZATION_LIMIT)
    if (attribute === 'C' && !/^[A-Z]{2}$/.test(value))
      throw new PortariaError('request_invalid', say`--subject C is a country of two letters, such as BR`)
  }
  const library = await loadLibrary()
  const keys = await crypto.subtle.generateKey(algorithmOf(options.keyType), true, ['sign', 'verify'])
  const request = await library.Pkcs10CertificateRequestGenerator.create({
    name: new library.Name(subjectOf(names, options)),
    keys,
    signingAlgorithm: algorithmOf(options.keyType),
    extensions: [new library.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value })))],
  })
  const privateKey = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString()
  return { privateKey, request: `${request.toString('pem')}\n` }
}

/** Whether the bytes are a complete certificate signing request, DER. */
export async function isRequest(der: Buffer): Promise<boolean> {
  const { Pkcs10CertificateRequest } = await loadLibrary()
  try {
    return new Pkcs10CertificateRequest(der).rawData.byteLength === der.length
  } catch {
    // The caller determines the format.
    return false
  }
}

export async function describeRequest(der: Buffer): Promise<RequestDescription> {
  const library = await loadLibrary()
  const request = new library.Pkcs10CertificateRequest(der)
  const names = request.extensions
    .filter((extension) => extension instanceof library.SubjectAlternativeNameExtension)
    .flatMap((extension) => extension.names.items.map(({ value }) => value))
  return {
    subjectName: request.subject,
    names,
    keyType: keyTypeOf(request.publicKey.rawData),
    isSigned: await request.verify().catch(() => false),
  }
}

/** In ASCII, as in certificates; may begin with `*.`. */
function toDnsName(name: string): string {
  const host = name.replace(/^\*\./, '')
  const ascii = domainToASCII(host).toLowerCase()
  const written = name.startsWith('*.') ? `*.${ascii}` : ascii
  const isName = isIP(host) === 0 && isIP(ascii) === 0 && isHostName(ascii)
  if (isName && written.length <= HOST_NAME_LIMIT) return written
  throw new PortariaError(
    'request_invalid',
    say`--name "${{ name }}" is no DNS name: give the host of the URL that the service is to call, such as callbacks.example.com`,
  )
}

/** RFC 1123 section 2.1. */
function isHostName(name: string): boolean {
  return name.split('.').every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label))
}

function requireText(name: string, option: string, limit: number): void {
  const { length } = [...name]
  const problem =
    length > limit
      ? `has ${length} characters, and RFC 5280 allows ${limit}: shorten it`
      : name.trim() === ''
        ? 'is empty: write the name, or leave the option out'
        : /\p{Cc}/u.test(name)
          ? 'holds a control character: write the name on one line'
          : null
  if (problem !== null) throw new PortariaError('request_invalid', `${option} ${problem}`)
}

function subjectOf(
  [first = '']: readonly string[],
  { organization, subject = [] }: { organization?: string | undefined; subject?: readonly SubjectPart[] | undefined },
): x509.JsonNameParams {
  return [
    ...(first.length > COMMON_NAME_LIMIT ? [] : [{ CN: [{ utf8String: first }] }]),
    ...(organization === undefined ? [] : [{ O: [{ utf8String: organization }] }]),
    ...subject.map(({ attribute, value }) => ({
      [SUBJECT_OIDS[attribute]]: [PRINTABLE.includes(attribute) ? { printableString: value } : { utf8String: value }],
    })),
  ]
}

function algorithmOf(
  keyType: KeyType,
): webcrypto.EcKeyGenParams & webcrypto.RsaHashedKeyGenParams & webcrypto.EcdsaParams {
  const shared = { hash: 'SHA-256', namedCurve: 'P-256', publicExponent: Uint8Array.of(1, 0, 1) }
  if (keyType === 'p256') return { ...shared, name: 'ECDSA', modulusLength: 0 }
  return { ...shared, name: 'RSASSA-PKCS1-v1_5', modulusLength: Number(keyType.slice('rsa'.length)) }
}

/** Loaded on demand, because most commands do not need it. */
function loadLibrary(): Promise<typeof x509> {
  return import('@peculiar/x509')
}
