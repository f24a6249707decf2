import { hashBehind } from '../../domain/event-hash.ts'
import type { AuditFaults } from './audit-faults.ts'
import { type AuditPoint, nextPosition, type Skipped } from './audit-points.ts'

export interface AuditWalk {
  /** The current position and the hash up to it; null: unknown, because an earlier event is missing. */
  at(): { readonly position: number; readonly hash: Uint8Array | null }
  /** Visits the next event. @param digest recomputed from its row; null: the row contradicts its callback */
  event(position: number, digest: Uint8Array | null, hash: Uint8Array): void
  /** Visits the next removed event. */
  link(position: number, digest: Uint8Array): void
  /** Continues at the anchor, which retention has moved meanwhile. */
  jump(anchor: AuditPoint): void
}

/** After a fault this many hashes are tried as predecessors, so that one altered or moved event does not make all later ones look altered. */
const CANDIDATES = 8

/** Visits the chain in order and reports every event that does not follow from its predecessor. */
export function walkFrom(start: AuditPoint, skipped: Skipped, { report }: Pick<AuditFaults, 'report'>): AuditWalk {
  let position = start.position
  /** Possible hashes up to here: one; several after a fault; none after a gap. */
  let hashes: Uint8Array[] = [start.hash]
  let firstLink: number | null = null

  function moveTo(next: number): void {
    const expected = nextPosition(position, skipped)
    if (next > expected) {
      report('removed', expected, next - 1)
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
        report('altered', firstLink ?? next, next)
        hashes = [hash, ...computed.slice(0, 1), ...hashes].slice(0, CANDIDATES)
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
