import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Client } from '../client.ts'

/** 256 bits. */
export function newClientSecret(random: Uint8Array = randomBytes(32)): string {
  return Buffer.from(random).toString('base64url')
}

/** The stored form of a secret: SHA-256, hexadecimal. 256 random bits cannot be guessed, so no salt or stretching is needed. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Whether a text is the client's secret, or the previous one while it is valid. */
export function isSecretOf(client: Client, secret: string, now: number): boolean {
  const hash = hashOfSecret(secret)
  const { secretHash, previousSecret } = client
  if (isSame(hash, secretHash)) return true
  return previousSecret !== null && now < previousSecret.validUntil && isSame(hash, previousSecret.hash)
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'))
}
