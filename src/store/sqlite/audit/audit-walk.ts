import { hashBehind } from '../../../domain/event-hash.ts'
import type { AuditFaults } from './audit-faults.ts'
import { type AuditPoint, nextPosition, type Skipped } from './audit-points.ts'

export interface AuditWalk {
  /** Where it is, and the hash up to there; null where that is not known, for something in front was removed. */
  at(): { readonly position: number; readonly hash: Uint8Array | null }
  /** The next event. @param digest of what its row says now; null: that contradicts itself */
  event(position: number, digest: Uint8Array | null, hash: Uint8Array): void
  /** The next that retention removed. */
  link(position: number, digest: Uint8Array): void
  /** Retention has moved the beginning of the chain meanwhile. */
  jump(anchor: AuditPoint): void
}

/** Behind a fault so many hashes are tried: one that was altered, or stands at another place now, must not make all later events look altered. */
const TRIED = 8

/** Goes through the chain in order, and tells what does not follow from what is in front of it. */
export function walkFrom(start: AuditPoint, skipped: Skipped, { tell }: Pick<AuditFaults, 'tell'>): AuditWalk {
  let position = start.position
  /** What the hash up to here may be: one; several behind a fault; none behind a gap. */
  let hashes: Uint8Array[] = [start.hash]
  let firstLink: number | null = null

  function moveTo(next: number): void {
    const expected = nextPosition(position, skipped)
    if (next > expected) {
      tell('removed', expected, next - 1)
      hashes = []
      firstLink = null
    }
    position = next
  }

  return {
    at: () => ({ position, hash: hashes[0] ?? null }),

    event(next, digest, hash) {
      moveTo(next)
      const computed = digest === null ? [] : hashes.map((previous) => hashBehind(previous, digest))
      const isFollowing = computed.some((one) => Buffer.compare(one, hash) === 0)
      if (isFollowing || (hashes.length === 0 && digest !== null)) {
        hashes = [hash]
      } else {
        tell('altered', firstLink ?? next, next)
        hashes = [hash, ...computed.slice(0, 1), ...hashes].slice(0, TRIED)
      }
      firstLink = null
    },

    link(next, digest) {
      moveTo(next)
      firstLink ??= next
      hashes = hashes.map((previous) => hashBehind(previous, digest))
    },

    jump(anchor) {
      position = anchor.position
      hashes = [anchor.hash]
      firstLink = null
    },
  }
}
