import type { MinFreeSpace } from '../platform/units.ts'

/** What is left undone when space runs short: first the record of refusals, then the answers of attempts, last new callbacks. Deliveries go on. */
export const DISK_LEVELS = ['ok', 'no_refusals', 'no_answers', 'no_callbacks'] as const
export type DiskLevel = (typeof DISK_LEVELS)[number]

/** Space at one moment, in bytes. */
export interface Space {
  /** Of the file system, for a process without privileges. */
  readonly freeBytes: number
  /** Of the database's own file: what was removed from it, and is written again. */
  readonly reusableBytes: number
  /** What is still to be written of that which was accepted already. */
  readonly pendingBytes: number
}

/** In bytes. */
export interface FreeSpace {
  /** For a process without privileges. */
  readonly freeBytes: number
  readonly totalBytes: number
  /** Of the database's log of changes. */
  readonly walBytes: number
}

const MIB = 1024 * 1024
export const LEAST_SHARE_BYTES = 8 * MIB
export const MOST_SHARE_BYTES = 1024 * MIB
/** Larger, and moving the log into the database would take long. */
const MOST_LOG_BYTES = 32 * MIB

/** In bytes. A share is at least 8 MiB and at most 1 GiB; a size counts as it is. */
export function minFreeBytesOf(reserve: MinFreeSpace, totalBytes: number): number {
  if ('bytes' in reserve) return reserve.bytes
  return Math.min(Math.max(Math.round(reserve.share * totalBytes), LEAST_SHARE_BYTES), MOST_SHARE_BYTES)
}

/** The log of changes may grow so far: it and what it moves into the database must find room where callbacks are refused already. */
export function walLimitOf(minFreeBytes: number): number {
  return Math.min(MOST_LOG_BYTES, Math.floor(minFreeBytes / 8))
}

/** What is written again is written by way of the log, which needs free space: it counts no more than three times as much as that. */
const REUSABLE_TO_FREE = 3

/** How much can still be written, in bytes. */
export function roomIn({ freeBytes, reusableBytes, pendingBytes }: Space): number {
  const free = Math.max(0, freeBytes - pendingBytes)
  return free + Math.min(reusableBytes, REUSABLE_TO_FREE * free)
}

/** Of the reserve: below so much of it a level begins. */
const BEGINS_BELOW: Readonly<Record<DiskLevel, number>> = {
  ok: Number.POSITIVE_INFINITY,
  no_refusals: 1,
  no_answers: 0.75,
  no_callbacks: 0.5,
}

/** A level ends only with so much more room than it began with, so that it does not come and go. */
const ENDS_WITH = 1.25

/** The level that follows from the room that there is, and from the level until now. */
export function nextLevel(level: DiskLevel, roomBytes: number, minFreeBytes: number): DiskLevel {
  const furthest = (factor: number) =>
    DISK_LEVELS.findLastIndex((one) => roomBytes < BEGINS_BELOW[one] * minFreeBytes * factor)
  const index = Math.max(furthest(1), Math.min(DISK_LEVELS.indexOf(level), furthest(ENDS_WITH)))
  return DISK_LEVELS[index] as DiskLevel
}

/** Of the reserve: with less room than this, a log that cannot be moved into the database may not grow any more. */
const STUCK_BELOW = 0.25

/**
 * Whoever reads for long keeps the log where it is, and all that is written makes it larger. Moving it needs room, too: were it to fill the
 * disk, nothing would ever get it out of there again. @param walBacklogBytes beyond what it may grow to by itself
 */
export function isWalPinned(space: Space, walBacklogBytes: number, minFreeBytes: number): boolean {
  // A little more is in it before each time that it is moved.
  return (
    walBacklogBytes > walLimitOf(minFreeBytes) && roomIn({ ...space, reusableBytes: 0 }) < STUCK_BELOW * minFreeBytes
  )
}

/** Whether a level leaves undone what `begun` left undone first. */
export function isAtLeast(level: DiskLevel, begun: DiskLevel): boolean {
  return DISK_LEVELS.indexOf(level) >= DISK_LEVELS.indexOf(begun)
}
