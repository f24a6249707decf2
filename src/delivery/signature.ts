import { createHmac, hash } from 'node:crypto'
import { parseSecret } from '../domain/webhook-secret.ts'

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
  const head = `${id}.${timestampSeconds}.`
  if (secrets.length === 1) return signature(secrets[0] as string, head, body)
  return secrets.map((secret) => signature(secret, head, body)).join(' ')
}

function signature(secret: string, head: string, body: Uint8Array): string {
  if (head.length + body.length > COPIED) {
    return `v1,${createHmac('sha256', parseSecret(secret)).update(head).update(body).digest('base64')}`
  }
  const { inner, outer } = padsOf(secret)
  message.set(inner)
  const start = BLOCK + message.write(head, BLOCK)
  message.set(body, start)
  outer.write(hash('sha256', message.subarray(0, start + body.length), 'binary'), BLOCK, 'latin1')
  return `v1,${hash('sha256', outer, 'base64')}`
}

/** Of SHA-256, in bytes. A key is never longer than a block. */
const BLOCK = 64
const HASH = 32

/** Longer messages are not copied. */
const COPIED = 16 * 1024

/**
 * An HMAC made of two hashes (RFC 2104 section 2), each in one call, takes half of the CPU of a `Hmac` object, which the garbage collector has to
 * finalize.
 */
const message = Buffer.alloc(BLOCK + 4 * COPIED)

interface Pads {
  /** The first block of the inner message. */
  readonly inner: Uint8Array
  /** The whole outer message; its end is the inner hash of the latest signature. */
  readonly outer: Buffer
}

/** Those of the current secrets. */
const pads = new Map<string, Pads>()
const PADS_KEPT = 1000

function padsOf(secret: string): Pads {
  const known = pads.get(secret)
  if (known !== undefined) return known
  const key = Buffer.concat([parseSecret(secret)], BLOCK)
  const outer = Buffer.concat([key.map((byte) => byte ^ 0x5c)], BLOCK + HASH)
  const made = { inner: key.map((byte) => byte ^ 0x36), outer }
  if (pads.size >= PADS_KEPT) pads.clear()
  pads.set(secret, made)
  return made
}
