import { createHash, randomBytes } from 'node:crypto'
import { PortariaError } from '../platform/errors.ts'

const NONCE_LENGTH = 10
const NONCE_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * An event's public id: its position and a stored random part. The random part prevents the same id for two facts after a backup was restored and
 * positions are used again. The position finds the event without another index.
 */
export function eventId(position: number, nonce: string): string {
  return `evt_${position.toString(36)}_${nonce}`
}

let random = Buffer.alloc(0)
let used = 0

export function newNonce(): string {
  // Fetched for many at once, because a call for each event would cost the writer too much.
  if (used + NONCE_LENGTH > random.length) {
    random = randomBytes(4096)
    used = 0
  }
  let nonce = ''
  for (let i = 0; i < NONCE_LENGTH; i++) nonce += NONCE_ALPHABET[(random[used++] as number) & 31]
  return nonce
}

/** Position and nonce of an event's public id; null: not such an id. */
export function parseEventId(id: string): { position: number; nonce: string } | null {
  const match = /^evt_([1-9a-z][0-9a-z]{0,10})_([0-9a-z]{10})$/.exec(id)
  if (match?.[1] === undefined || match[2] === undefined) return null
  const position = Number.parseInt(match[1], 36)
  return Number.isSafeInteger(position) ? { position, nonce: match[2] } : null
}

/** A client's public id, as checked by `isClientId`. */
export function newClientId(): string {
  return `cli_${newNonce()}`
}

export function isClientId(text: string): boolean {
  return /^cli_[0-9a-z]{10}$/.test(text)
}

/**
 * Public id of a person who signs in at an OpenID provider: the same at each sign-in and on every node, and no client's, whatever name the provider
 * gives.
 */
export function personId(issuer: string, subject: string): string {
  const hash = createHash('sha256').update(JSON.stringify([issuer, subject]))
  return `per_${hash.digest('hex').slice(0, 24)}`
}

/** Public ids of deliveries, destinations, callbacks, refusals, quarantined facts, replays and actions. */
type NumberedPrefix = 'dlv' | 'dst' | 'clb' | 'rfs' | 'qtn' | 'rpl' | 'act'

export function numberedId(prefix: NumberedPrefix, number: number): string {
  return `${prefix}_${number}`
}

export function parseNumberedId(prefix: NumberedPrefix, id: string): number | null {
  const match = new RegExp(`^${prefix}_([1-9][0-9]{0,14})$`).exec(id)
  return match === null ? null : Number(match[1])
}

/** @throws PortariaError `request_invalid` for a text that is no id of a delivery */
export function requireDeliveryId(text: string): number {
  const id = parseNumberedId('dlv', text)
  if (id !== null) return id
  const shown = JSON.stringify(text.slice(0, 64))
  throw new PortariaError('request_invalid', `${shown} is no delivery: give an id such as dlv_1`)
}

/** The position of a poller. */
export interface Cursor {
  /** The position to continue after. */
  readonly position: number
  /** The poller knows of removals that were announced until then, in ms since 1970; 0: of none. */
  readonly gapsReportedAt: number
}

/** An opaque cursor. */
export function cursorAfter(position: number, gapsReportedAt = 0): string {
  return Buffer.from(gapsReportedAt === 0 ? `1:${position}` : `1:${position}:${gapsReportedAt}`).toString('base64url')
}

/** The content of a cursor from `cursorAfter`, or null. */
export function parseCursor(cursor: string): Cursor | null {
  const match = /^1:(0|[1-9][0-9]{0,15})(?::([1-9][0-9]{0,15}))?$/.exec(
    Buffer.from(cursor, 'base64url').toString('latin1'),
  )
  if (match === null) return null
  const place = { position: Number(match[1]), gapsReportedAt: Number(match[2] ?? 0) }
  return cursorAfter(place.position, place.gapsReportedAt) === cursor ? place : null
}

/** The id of a mute of alarms. */
export function newMuteId(): string {
  return `mut_${newNonce()}`
}

/** The id of a consumer's batch. */
export function newBatchId(): string {
  return `bat_${newNonce()}`
}
