import type { MinFreeSpace } from '../platform/units.ts'

/** What is no longer written as space gets short: refusals first, then the answers of attempts, last new callbacks. Deliveries continue. */
export const DISK_LEVELS = ['ok', 'no_refusals', 'no_answers', 'no_callbacks'] as const
export type DiskLevel = (typeof DISK_LEVELS)[number]

/** Space in bytes. */
export interface Space {
  /** Of the file system, for a process without privileges. */
  readonly freeBytes: number
  /** Free pages within the database file. */
  readonly reusableBytes: number
  /** Accepted already and not written yet. */
  readonly pendingBytes: number
}

/** In bytes. */
export interface FreeSpace {
  /** For a process without privileges. */
  readonly freeBytes: number
  readonly totalBytes: number
  /** Size of the write-ahead log. */
  readonly walBytes: number
}

const MIB = 1024 * 1024
export const LEAST_SHARE_BYTES = 8 * MIB
export const MOST_SHARE_BYTES = 1024 * MIB
/** Moving a larger log into the database would take long. */
const MAX_WAL_BYTES = 32 * MIB

/** In bytes. A share is at least 8 MiB and at most 1 GiB; a size has no limits. */
export function minFreeBytesOf(minFree: MinFreeSpace, totalBytes: number): number {
  if ('bytes' in minFree) return minFree.bytes
  return Math.min(Math.max(Math.round(minFree.share * totalBytes), LEAST_SHARE_BYTES), MOST_SHARE_BYTES)
}

/** Size limit of the write-ahead log. The log and its move into the database must fit into the space that is left when callbacks are refused. */
export function walLimitOf(minFreeBytes: number): number {
  return Math.min(MAX_WAL_BYTES, Math.floor(minFreeBytes / 8))
}

/** Reusing a page also writes it to the log, which needs free space. So reusable space counts at most three times the free space. */
const REUSABLE_TO_FREE = 3

/** How many bytes can still be written. */
export function roomIn({ freeBytes, reusableBytes, pendingBytes }: Space): number {
  const free = Math.max(0, freeBytes - pendingBytes)
  return free + Math.min(reusableBytes, REUSABLE_TO_FREE * free)
}

/** A level begins below this fraction of `minFreeSpace`. */
const BEGINS_BELOW: Readonly<Record<DiskLevel, number>> = {
  ok: Number.POSITIVE_INFINITY,
  no_refusals: 1,
  no_answers: 0.75,
  no_callbacks: 0.5,
}

/** A level ends with this much more room than it began with, so that it does not flap. */
const ENDS_WITH = 1.25

/** The level for the room that is left, given the current level. */
export function nextLevel(level: DiskLevel, roomBytes: number, minFreeBytes: number): DiskLevel {
  const furthest = (factor: number) =>
    DISK_LEVELS.findLastIndex((one) => roomBytes < BEGINS_BELOW[one] * minFreeBytes * factor)
  const index = Math.max(furthest(1), Math.min(DISK_LEVELS.indexOf(level), furthest(ENDS_WITH)))
  return DISK_LEVELS[index] as DiskLevel
}

/** A log that cannot be moved may not grow any more below this fraction of `minFreeSpace`. */
const PINNED_BELOW = 0.25

/**
 * Whether a long read keeps the write-ahead log from being moved while space is short. Every write makes such a log larger. A log that fills the disk
 * could never be moved, because the move needs room. @param walBacklogBytes size beyond the limit
 */
export function isWalPinned(space: Space, walBacklogBytes: number, minFreeBytes: number): boolean {
  // Normally the log exceeds its limit a little before each move.
  return (
    walBacklogBytes > walLimitOf(minFreeBytes) && roomIn({ ...space, reusableBytes: 0 }) < PINNED_BELOW * minFreeBytes
  )
}

/** Whether a level is `begun` or a later one. */
export function isAtLeast(level: DiskLevel, begun: DiskLevel): boolean {
  return DISK_LEVELS.indexOf(level) >= DISK_LEVELS.indexOf(begun)
}
