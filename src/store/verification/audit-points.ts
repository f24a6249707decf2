import { FIRST_HASH, hexOf } from '../../domain/event-hash.ts'

/** A position and the hash up to it. */
export interface AuditPoint {
  readonly position: number
  readonly hash: Uint8Array
}

/** The point before the first event. */
const START: AuditPoint = { position: 0, hash: FIRST_HASH }

/** The point up to which retention has removed everything, as `meta` has it. A malformed value, written by hand, counts as none. */
export function anchorOf(text: string | undefined): AuditPoint {
  const [, position, hash] = /^([0-9]{1,15}):([0-9a-f]{64})$/.exec(text ?? '') ?? []
  if (position === undefined || hash === undefined) return START
  return { position: Number(position), hash: Buffer.from(hash, 'hex') }
}

export function anchorText({ position, hash }: AuditPoint): string {
  return `${position}:${hexOf(hash)}`
}

/** Ranges of positions that were never assigned: a restored backup skips all that may have been assigned after it was taken. */
export type Skipped = readonly (readonly [from: number, to: number])[]

/** As `meta` has them. A malformed value, written by hand, counts as none. */
export function skippedOf(text: string | undefined): Skipped {
  const pairs = (text ?? '').matchAll(/\[([0-9]{1,15}), *([0-9]{1,15})\]/g)
  return [...pairs].map(([, from, to]) => [Number(from), Number(to)])
}

/** How many of the positions after the first, up to the second, were assigned. */
export function countAssigned(skipped: Skipped, after: number, upTo: number): number {
  const within = skipped.map(([from, to]) => Math.max(0, Math.min(to, upTo) - Math.max(from - 1, after)))
  return within.reduce((left, count) => left - count, Math.max(0, upTo - after))
}

export function nextPosition(position: number, skipped: Skipped): number {
  let next = position + 1
  for (const [from, to] of skipped) if (from === next) next = to + 1
  return next
}
