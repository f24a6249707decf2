import { generateKeyPair, type KeyObject, randomBytes, type webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import type * as x509 from '@peculiar/x509'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import type { KeyType } from '../files/signing-request.ts'
import { keyTypeOf } from '../live/certificate-format.ts'

/** A private key for the library, with the algorithm of its signatures. */
export interface SigningKey {
  readonly key: webcrypto.CryptoKey
  readonly algorithm: { readonly name: string; readonly hash: string }
}

const makePair = promisify(generateKeyPair)

export async function newKeys(
  type: KeyType,
): Promise<{ readonly privateKey: KeyObject; readonly publicKey: KeyObject }> {
  if (type === 'p256') return makePair('ec', { namedCurve: 'P-256' })
  return makePair('rsa', { modulusLength: Number(type.slice('rsa'.length)) })
}

/** 127 bits, hexadecimal, lower case: always positive, and of the same length. */
export function newSerial(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes.toString('hex')
}

/** @throws PortariaError `certificate_invalid` for a key of another type */
export async function signingKeyOf(key: KeyObject): Promise<SigningKey> {
  const { namedCurve } = key.asymmetricKeyDetails ?? {}
  const isRsa = key.asymmetricKeyType === 'rsa'
  if (!isRsa && namedCurve !== 'prime256v1')
    throw new PortariaError(
      'certificate_invalid',
      say`the key of the private authority is ${{ key: keyTypeOf(key) }}: it must be EC P-256 or RSA`,
    )
  const algorithm = { name: isRsa ? 'RSASSA-PKCS1-v1_5' : 'ECDSA', hash: 'SHA-256' }
  const der = key.export({ type: 'pkcs8', format: 'der' })
  const imported = await crypto.subtle.importKey('pkcs8', der, { ...algorithm, namedCurve: 'P-256' }, false, ['sign'])
  return { key: imported, algorithm }
}

export function signatureOf({ key, algorithm }: SigningKey) {
  return { signingKey: key, signingAlgorithm: algorithm }
}

/** Loaded on demand, because most commands do not need it. */
export function loadX509(): Promise<typeof x509> {
  return import('@peculiar/x509')
}
