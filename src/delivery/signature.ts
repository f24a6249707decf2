import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { parseSecret } from '../domain/secrets/webhook-secret.ts'

export interface Signed {
  /** `webhook-id`. */
  readonly id: string
  /** `webhook-timestamp`. */
  readonly timestampSeconds: number
  /** The bytes that are sent. */
  readonly body: Uint8Array
  readonly secrets: readonly string[]
}

/**
 * Value of `webhook-signature` (Standard Webhooks 1.0): one `v1,…` for each secret, over the raw bytes of the body.
 * @throws PortariaError `configuration_invalid` for a bad secret
 */
export function sign({ id, timestampSeconds, body, secrets }: Signed): string {
  return secrets
    .map((secret) => {
      const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestampSeconds}.`).update(body)
      return `v1,${hmac.digest('base64')}`
    })
    .join(' ')
}

/** Keys of the current secrets, because creating a key costs more than the rest of a signature. */
const keys = new Map<string, KeyObject>()
const KEYS_KEPT = 1000

function keyOf(secret: string): KeyObject {
  const known = keys.get(secret)
  if (known !== undefined) return known
  const key = createSecretKey(parseSecret(secret))
  if (keys.size >= KEYS_KEPT) keys.clear()
  keys.set(secret, key)
  return key
}
