import { createHmac, timingSafeEqual } from 'node:crypto'
import type forge from 'node-forge'
import { type Forge, loadForge, loadForgeNow } from './forge.ts'

/** The content of a .p12 or .pfx file, DER. Read only; nothing here decides about trust. */
export interface Pkcs12Content {
  readonly certificates: readonly Buffer[]
  /** PKCS#8, not encrypted. */
  readonly keys: readonly Buffer[]
}

type Asn1 = forge.asn1.Asn1

interface Reading {
  readonly forge: Forge
  /** null: no password at all, which some programs mean by an empty one. */
  readonly password: string | null
  /** Most rounds of a key derivation: it blocks the thread, about 1 ms for 50 rounds. */
  readonly maxRounds: number
}

const OIDS = {
  data: '1.2.840.113549.1.7.1',
  encryptedData: '1.2.840.113549.1.7.6',
  keyBag: '1.2.840.113549.1.12.10.1.1',
  shroudedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certificateBag: '1.2.840.113549.1.12.10.1.3',
  nestedBag: '1.2.840.113549.1.12.10.1.6',
  x509: '1.2.840.113549.1.9.22.1',
  pbes2: '1.2.840.113549.1.5.13',
}

const MAC_HASHES: Record<string, 'sha1' | 'sha256' | 'sha384' | 'sha512'> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

/** Whether these bytes are a PKCS#12 file: a SEQUENCE that begins with version 3 (RFC 7292 section 4). */
export function isPkcs12(bytes: Buffer): boolean {
  const length = bytes[1] ?? 0
  const begin = 2 + (length > 0x80 ? length - 0x80 : 0)
  return bytes[0] === 0x30 && bytes.subarray(begin, begin + 3).equals(Buffer.of(2, 1, 3))
}

/**
 * Reads a PKCS#12 file (RFC 7292), with AES, triple DES or RC2-40, with or without a MAC; null when the password does not open it.
 * Throws an Error with the reason when the file is damaged or uses an unknown algorithm.
 */
export async function readPkcs12(bytes: Buffer, password: string): Promise<Pkcs12Content | null> {
  return openPkcs12(await loadForge(), bytes, password, Number.POSITIVE_INFINITY)
}

/** Above those of common exporters: 2048 of OpenSSL, 10000 of Java. */
const MAX_ROUNDS_NOW = 20_000

/** The same without waiting, for a running gateway. Throws also for a file whose key derivation would block it for a second or more. */
export function readPkcs12Now(bytes: Buffer, password: string): Pkcs12Content | null {
  return openPkcs12(loadForgeNow(), bytes, password, MAX_ROUNDS_NOW)
}

function openPkcs12(forge: Forge, bytes: Buffer, password: string, maxRounds: number): Pkcs12Content | null {
  const pfx = parse(forge, bytes.toString('latin1'))
  const safes = octetsOf(at(pfx, 1, 1, 0))
  const mac = child(pfx, 2)
  for (const variant of password === '' ? ['', null] : [password]) {
    const reading = { forge, password: variant, maxRounds }
    if (mac !== undefined && !isMacGood(reading, mac, safes)) continue
    try {
      return readSafes(reading, safes)
    } catch (error) {
      if (!(error instanceof WrongPassword)) throw error
    }
  }
  return null
}

/** The PKCS#8 key in an EncryptedPrivateKeyInfo (DER), also with OpenSSL's legacy algorithms; null: wrong password. */
export async function decryptPkcs8(der: Buffer, password: string): Promise<Buffer | null> {
  const forge = await loadForge()
  try {
    return decryptKey({ forge, password, maxRounds: Number.POSITIVE_INFINITY }, parse(forge, der.toString('latin1')))
  } catch (error) {
    if (error instanceof WrongPassword) return null
    throw error
  }
}

class WrongPassword extends Error {}

function readSafes(reading: Reading, safes: string): Pkcs12Content {
  const content = { certificates: [] as Buffer[], keys: [] as Buffer[] }
  for (const safe of childrenOf(parse(reading.forge, safes))) {
    for (const bag of childrenOf(openSafe(reading, safe))) readBag(reading, bag, content)
  }
  return content
}

/** SafeContents of one ContentInfo. */
function openSafe(reading: Reading, safe: Asn1): Asn1 {
  const { forge } = reading
  const type = oidOf(forge, at(safe, 0))
  if (type === OIDS.data) return parse(forge, octetsOf(at(safe, 1, 0)))
  if (type !== OIDS.encryptedData) throw new Error('holds content of an unknown type')
  const encrypted = at(safe, 1, 0, 1)
  const plain = decrypt(reading, at(encrypted, 1), octetsOf(at(encrypted, 2)))
  return parseDecrypted(forge, plain, isSafeContents)
}

function readBag(reading: Reading, bag: Asn1, content: { certificates: Buffer[]; keys: Buffer[] }): void {
  const { forge } = reading
  const value = at(bag, 1, 0)
  switch (oidOf(forge, at(bag, 0))) {
    case OIDS.keyBag:
      content.keys.push(bytesOf(forge.asn1.toDer(value).getBytes()))
      return
    case OIDS.shroudedKeyBag:
      content.keys.push(decryptKey(reading, value))
      return
    case OIDS.certificateBag:
      if (oidOf(forge, at(value, 0)) === OIDS.x509) content.certificates.push(bytesOf(octetsOf(at(value, 1, 0))))
      return
    case OIDS.nestedBag:
      for (const nested of childrenOf(value)) readBag(reading, nested, content)
  }
}

function decryptKey(reading: Reading, encrypted: Asn1): Buffer {
  const plain = decrypt(reading, at(encrypted, 0), octetsOf(at(encrypted, 1)))
  parseDecrypted(reading.forge, plain, isPrivateKeyInfo)
  return bytesOf(plain)
}

function decrypt({ forge, password, maxRounds }: Reading, algorithm: Asn1, bytes: string): string {
  const oid = oidOf(forge, at(algorithm, 0))
  if (Number.isFinite(maxRounds)) {
    // RFC 8018 appendix A.2, and RFC 7292 appendix C.
    const rounds = oid === OIDS.pbes2 ? at(algorithm, 1, 0, 1, 1) : at(algorithm, 1, 1)
    requireFewRounds(forge.asn1.derToInteger(octetsOf(rounds)), maxRounds)
  }
  // The key derivation of PKCS#12 encodes the password as UTF-16, PBES2 as UTF-8.
  const secret = oid === OIDS.pbes2 ? Buffer.from(password ?? '', 'utf8').toString('latin1') : password
  const cipher = forge.pki.pbe.getCipher(oid, at(algorithm, 1), secret)
  cipher.update(forge.util.createBuffer(bytes))
  if (!cipher.finish()) throw new WrongPassword()
  return cipher.output.getBytes()
}

/**
 * forge checks the padding of RC2 too little, so about one wrong password in 1,000 results in bytes that are ASN.1 by chance. They do not have the
 * form of the expected content.
 */
function parseDecrypted(forge: Forge, bytes: string, isExpected: (forge: Forge, content: Asn1) => boolean): Asn1 {
  let content: Asn1
  try {
    content = parse(forge, bytes)
  } catch (error) {
    throw new WrongPassword('', { cause: error })
  }
  if (isExpected(forge, content)) return content
  throw new WrongPassword()
}

/** RFC 5208 section 5: version, algorithm, key. */
function isPrivateKeyInfo({ asn1 }: Forge, content: Asn1): boolean {
  const { INTEGER, SEQUENCE, OCTETSTRING } = asn1.Type
  const types = isUniversal(asn1, content, SEQUENCE) ? childrenOf(content).map(({ type }) => type) : []
  return types[0] === INTEGER && types[1] === SEQUENCE && types[2] === OCTETSTRING
}

/** RFC 7292 section 4.2: a list of bags, each with its type first. */
function isSafeContents({ asn1 }: Forge, content: Asn1): boolean {
  const { OID, SEQUENCE } = asn1.Type
  return (
    isUniversal(asn1, content, SEQUENCE) &&
    childrenOf(content).every((bag) => isUniversal(asn1, bag, SEQUENCE) && child(bag, 0)?.type === OID)
  )
}

function isUniversal(asn1: Forge['asn1'], { tagClass, type, constructed }: Asn1, expected: forge.asn1.Type): boolean {
  return tagClass === asn1.Class.UNIVERSAL && type === expected && constructed
}

/** With an unknown MAC, only decryption reveals a wrong password. */
function isMacGood({ forge, password, maxRounds }: Reading, macData: Asn1, content: string): boolean {
  const hash = MAC_HASHES[oidOf(forge, at(macData, 0, 0, 0))]
  if (hash === undefined) return true
  const expected = bytesOf(octetsOf(at(macData, 0, 1)))
  const salt = forge.util.createBuffer(octetsOf(at(macData, 1)))
  const rounds = child(macData, 2)
  const iterations = rounds === undefined ? 1 : forge.asn1.derToInteger(rounds.value as string)
  requireFewRounds(iterations, maxRounds)
  const key = forge.pkcs12.generateKey(password, salt, 3, iterations, expected.length, forge.md[hash].create())
  const actual = createHmac(hash, bytesOf(key.getBytes())).update(bytesOf(content)).digest()
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

function requireFewRounds(rounds: number, maxRounds: number): void {
  if (rounds > maxRounds) throw new Error(`its key derivation has ${rounds} rounds, more than ${maxRounds}`)
}

function parse(forge: Forge, bytes: string): Asn1 {
  return forge.asn1.fromDer(bytes, true)
}

function oidOf(forge: Forge, node: Asn1): string {
  return forge.asn1.derToOid(octetsOf(node))
}

function childrenOf(node: Asn1): readonly Asn1[] {
  if (Array.isArray(node.value)) return node.value
  throw new Error('is damaged: a part has the wrong type')
}

function child(node: Asn1, index: number): Asn1 | undefined {
  return childrenOf(node)[index]
}

function at(node: Asn1, ...path: readonly number[]): Asn1 {
  return path.reduce((parent, index) => {
    const found = child(parent, index)
    if (found === undefined) throw new Error('is damaged: a part is missing')
    return found
  }, node)
}

/** The bytes of a primitive value, which BER may split into chunks. */
function octetsOf(node: Asn1): string {
  return Array.isArray(node.value) ? node.value.map(octetsOf).join('') : node.value
}

function bytesOf(binary: string): Buffer {
  return Buffer.from(binary, 'latin1')
}
