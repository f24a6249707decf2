import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { ReceiverError } from './errors.ts'
import { type RequestHeaders, requiredHeader } from './headers.ts'

const PREFIX = 'whsec_'
const VERSION = 'v1,'

/**
 * The keys of Standard Webhooks secrets: `whsec_` and 24 to 64 bytes in base64.
 * @throws ReceiverError `settings_invalid`, without the secret
 */
export function keysOf(secrets: string | readonly string[] | undefined): readonly KeyObject[] {
  // Apps pass variables of the environment, which may be unset, and are not checked by a compiler in every language.
  const texts = [secrets ?? []].flat().flatMap((text) => String(text ?? '').split(/\s+/))
  const given = texts.filter((text) => text !== '')
  if (given.length === 0)
    throw new ReceiverError('settings_invalid', 'there is no secret: portaria destinations secret NAME shows it')
  return given.map((text, index) => {
    const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : ''
    const key = Buffer.from(encoded, 'base64')
    // Buffer skips invalid characters, so only a text that it encodes to the same form is valid base64.
    if (key.length >= 24 && key.length <= 64 && key.toString('base64') === encoded) return createSecretKey(key)
    throw new ReceiverError(
      'settings_invalid',
      `secret ${index + 1} is not "${PREFIX}" followed by the base64 of 24 to 64 bytes`,
    )
  })
}

export interface Signed {
  /** `webhook-id`. */
  readonly id: string
  /** `webhook-timestamp`: when this attempt was signed. */
  readonly signedAt: Date
}

export interface Verification {
  readonly headers: RequestHeaders
  readonly body: Uint8Array
  readonly keys: readonly KeyObject[]
  readonly toleranceSeconds: number
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Verifies one request (Standard Webhooks 1.0): HMAC-SHA256 over `id.timestamp.body`. One signature that one key makes is enough.
 * @throws ReceiverError
 */
export function verifySignature({ headers, body, keys, toleranceSeconds, now }: Verification): Signed {
  if (!(body instanceof Uint8Array)) throw notRaw(body)
  const id = requiredHeader(headers, 'webhook-id')
  const timestamp = requiredHeader(headers, 'webhook-timestamp')
  const signatures = requiredHeader(headers, 'webhook-signature')
  const seconds = secondsOf(timestamp, { toleranceSeconds, now })
  const given = signatures
    .split(' ')
    .filter((text) => text.startsWith(VERSION))
    .map((text) => Buffer.from(text.slice(VERSION.length), 'base64'))
  let isGenuine = false
  for (const key of keys) {
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
    // All of them are compared: the time does not say which one was right.
    for (const one of given) {
      const isEqual = one.length === expected.length && timingSafeEqual(one, expected)
      isGenuine ||= isEqual
    }
  }
  if (!isGenuine) throw mismatch(given.length)
  return { id, signedAt: new Date(seconds * 1000) }
}

function secondsOf(
  timestamp: string,
  { toleranceSeconds, now }: Pick<Verification, 'toleranceSeconds' | 'now'>,
): number {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new ReceiverError('timestamp_invalid', 'webhook-timestamp is not a number of seconds since 1970')
  }
  const age = now / 1000 - Number(timestamp)
  const limit = `more than the tolerance of ${toleranceSeconds} s: compare the clocks of both machines`
  if (age > toleranceSeconds) {
    throw new ReceiverError('timestamp_too_old', `the request was signed ${Math.round(age)} s ago, ${limit}`)
  }
  if (age < -toleranceSeconds) {
    throw new ReceiverError('timestamp_too_new', `the request was signed ${Math.round(-age)} s in the future, ${limit}`)
  }
  return Number(timestamp)
}

function mismatch(given: number): ReceiverError {
  if (given === 0) return new ReceiverError('signature_mismatch', 'webhook-signature has no signature of version v1')
  return new ReceiverError(
    'signature_mismatch',
    'no signature matches: another secret, or a body that is not the bytes that were sent (pass them before any parser)',
  )
}

function notRaw(body: unknown): ReceiverError {
  const found = typeof body === 'string' ? 'text' : 'no bytes'
  return new ReceiverError(
    'body_not_raw',
    `the body is ${found}: pass the raw bytes of the request, as a Buffer or Uint8Array, before any parser reads them`,
  )
}
