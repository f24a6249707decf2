import { hash } from 'node:crypto'
import type { EventAuthentication, FactSpan } from './event.ts'

/**
 * The fields that the hash of an event covers, in this order. `docs/evidence.md` explains how to compute it elsewhere. Any change here needs a new
 * `encoding`.
 */
export const HASHED_FIELDS = [
  ...['encoding', 'position', 'nonce', 'kind', 'environment', 'receivedAt', 'subject', 'status', 'part', 'parts'],
  ...['arrayStart', 'arrayEnd', 'itemStart', 'itemEnd', 'factHash', 'payloadHash'],
  ...['route', 'listener', 'authentication', 'peerFingerprint', 'remoteAddress', 'target', 'tlsVersion', 'cipher'],
  ...['contentType', 'headers', 'mark'],
] as const

export const ENCODING = 'portaria-event-1'

/** In the order of HASHED_FIELDS; hashes in lower-case hexadecimal. */
export type HashedValues = readonly (string | number | null)[]

/** The predecessor's hash of the first event. */
export const FIRST_HASH: Uint8Array = new Uint8Array(32)

export interface HashedEvent {
  readonly position: number
  readonly nonce: string
  readonly kind: string
  readonly environment: string
  readonly receivedAt: number
  readonly subject: string | null
  readonly status: string | null
  readonly part: number
  readonly parts: number
  readonly span: FactSpan | null
  readonly factHash: Uint8Array | null
  readonly payloadHash: string
}

/** The hashed fields of an event's callback. */
export interface HashedCallback {
  /** The kind of the route. */
  readonly kind: string
  readonly listener: string | null
  readonly authentication: EventAuthentication
  readonly peerFingerprint: string | null
  readonly remoteAddress: string | null
  readonly target: string | null
  readonly tlsVersion: string | null
  readonly cipher: string | null
  readonly contentType: string | null
  readonly headers: string
  readonly mark: string | null
}

/** In lower-case hexadecimal. */
export interface EventHashes {
  /** Of the exact bytes that its deliveries carry. It stays when retention removes them. */
  readonly payload: string
  /** Of the previous event's hash and its own digest. */
  readonly event: string
}

/** Everything needed to recompute the hash of an event. */
export interface EventProof {
  readonly values: HashedValues
  readonly hashes: EventHashes
  readonly digest: string
  /** The hash up to the previous event, from its row or from the digest that retention left. */
  readonly previous: { readonly position: number; readonly hash: string }
  /** The stored hash equals the recomputed one, and so does that of the payload, unless it was removed. */
  readonly isSound: boolean
}

export function hashedValues(event: HashedEvent, callback: HashedCallback): HashedValues {
  const { span, factHash } = event
  return [
    ENCODING,
    event.position,
    event.nonce,
    event.kind,
    event.environment,
    event.receivedAt,
    event.subject,
    event.status,
    event.part,
    event.parts,
    span === null ? null : span.arrayStart,
    span === null ? null : span.arrayEnd,
    span === null ? null : span.itemStart,
    span === null ? null : span.itemEnd,
    factHash === null ? null : hexOf(factHash),
    event.payloadHash,
    callback.kind,
    callback.listener,
    callback.authentication,
    callback.peerFingerprint,
    callback.remoteAddress,
    callback.target,
    callback.tlsVersion,
    callback.cipher,
    callback.contentType,
    callback.headers,
    callback.mark,
  ]
}

/** SHA-256 of the exact bytes that a delivery of the event carries, in lower-case hexadecimal. */
export function payloadHashOf(payload: Uint8Array): string {
  return hash('sha256', payload, 'hex')
}

const NULL_LENGTH = 0xff_ff_ff_ff
/** UTF-8 of one UTF-16 code unit. */
const MOST_BYTES = 3

// Shared by all events, because a buffer per stored event costs too much. It grows with the longest one.
let buffer = Buffer.allocUnsafe(4096)

/**
 * SHA-256 of the concatenated values: each is a big-endian length of four bytes and that many bytes of UTF-8, with numbers in decimal. null is the
 * length ff ff ff ff alone.
 */
export function digestOf(values: HashedValues): Buffer {
  let end = 0
  for (const value of values) {
    const text = typeof value === 'number' ? String(value) : value
    const most = end + 4 + (text === null ? 0 : text.length * MOST_BYTES)
    if (most > buffer.length) buffer = Buffer.concat([buffer.subarray(0, end)], most * 2)
    const length = text === null ? 0 : buffer.write(text, end + 4)
    buffer.writeUInt32BE(text === null ? NULL_LENGTH : length, end)
    end += 4 + length
  }
  return sha256(buffer.subarray(0, end))
}

const link = Buffer.alloc(64)

/** The hash of an event: SHA-256 of the previous event's hash and its own digest. */
export function hashBehind(previous: Uint8Array, digest: Uint8Array): Buffer {
  link.set(hashOrZeros(previous), 0)
  link.set(hashOrZeros(digest), 32)
  return sha256(link)
}

/** Longer ones would stay in memory. */
const SHARED_BYTES = 65_536

/** SHA-256 of a text and the bytes behind it. A buffer of their own costs as much as the hash of 1 KB. */
export function sha256Of(text: string, chunks: readonly Uint8Array[]): Buffer {
  const most = chunks.reduce((sum, chunk) => sum + chunk.length, text.length * MOST_BYTES)
  if (most > SHARED_BYTES) return sha256(Buffer.concat([Buffer.from(text), ...chunks]))
  if (most > buffer.length) buffer = Buffer.allocUnsafeSlow(SHARED_BYTES)
  let end = buffer.write(text)
  for (const chunk of chunks) {
    buffer.set(chunk, end)
    end += chunk.length
  }
  return sha256(buffer.subarray(0, end))
}

/** As `hash(…, 'buffer')`, which costs half as much again. */
export function sha256(bytes: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'latin1')
}

/** A value of another length, written by hand, must not throw: it counts as 32 zeros, which match nothing. */
function hashOrZeros(bytes: Uint8Array): Uint8Array {
  return bytes.length === FIRST_HASH.length ? bytes : FIRST_HASH
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}
