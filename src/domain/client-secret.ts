import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Client } from './client.ts'

/** 256 bits. */
export function newClientSecret(random: Uint8Array = randomBytes(32)): string {
  return Buffer.from(random).toString('base64url')
}

/** What is kept of a secret: its SHA-256, hexadecimal. Nobody can guess 256 bits, so it needs neither salt nor stretching. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Whether this is the client's secret, or the one before while it counts. */
export function isSecretOf(client: Client, secret: string, now: number): boolean {
  const hash = hashOfSecret(secret)
  const { secretHash, previousSecret } = client
  if (isSame(hash, secretHash)) return true
  return previousSecret !== null && now < previousSecret.validUntil && isSame(hash, previousSecret.hash)
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'))
}
