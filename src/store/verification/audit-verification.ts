import { FIRST_HASH, hexOf } from '../../domain/event-hash.ts'
import { collectFaults } from './audit-faults.ts'
import { type AuditPoint, countAssigned, nextPosition, type Skipped } from './audit-points.ts'
import { walkFrom } from './audit-walk.ts'
import type { VerifyStep } from './verification.ts'
import { createPace } from './verify-pace.ts'

/** A position of the chain, compared with everything but its predecessor. */
export interface AuditEntry {
  readonly position: number
  /** Recomputed from the row, or left by retention; null: the row contradicts its callback. */
  readonly digest: Uint8Array | null
  /** null: retention removed the event, and left the digest. */
  readonly hash: Uint8Array | null
  /** Of the event's payload. */
  readonly payload: 'sound' | 'altered' | 'removed'
}

/** Positions: after the first, up to the second. */
export interface AuditRange {
  readonly after: number
  readonly to: number
}

/** All entries of a range behind the anchor, in order. */
export interface AuditPart {
  /** At the moment of the read: entries up to there are left out. */
  readonly anchor: AuditPoint
  readonly entries: readonly AuditEntry[]
}

/** Positions of a range. */
export const POSITIONS_AT_ONCE = 1000

export interface AuditVerification {
  /** Texts; none: nothing was altered or inserted, and only retention removed events. */
  readonly problems: readonly string[]
  /** Texts about expected points that retention has removed: neither a fault nor a proof. */
  readonly incomparable: readonly string[]
  readonly events: number
  /** How many of them retention or a redaction removed the payload of. */
  readonly withoutPayload: number
  /** Removed events with a digest of their own left. */
  readonly removed: number
  /** Of the events up to here one hash is left. */
  readonly anchor: number
  /** To be recorded elsewhere, and expected by the next verification. null: unknown. */
  readonly head: WrittenPoint | null
}

/** A position and the hash up to it, in hexadecimal. */
export interface WrittenPoint {
  readonly position: number
  readonly hash: string
}

/** The chain at the beginning of a verification. */
export interface AuditBegin {
  /** The last assigned position. */
  readonly upTo: number
  readonly anchor: AuditPoint
  readonly skipped: Skipped
  /** Positions of rows outside of the chain: up to the anchor, or after the last position. */
  readonly outside: readonly number[]
}

export interface RunningVerification {
  step(range: AuditRange): VerifyStep
  /** The entries of each range, in order. */
  take(range: AuditRange, part: AuditPart): void
  /** @param peers texts about altered certificates of callers */
  end(peers: readonly string[]): AuditVerification
}

export function startVerification(begin: AuditBegin, expected: readonly WrittenPoint[]): RunningVerification {
  const faults = collectFaults()
  for (const position of begin.outside) faults.report('inserted', position, position)

  const walk = walkFrom(begin.anchor, begin.skipped, faults)
  const notes = expectations(expected)
  const count = { events: 0, withoutPayload: 0, removed: 0 }
  // Positions that a restored backup skips take no time.
  const counted = (position: number) => countAssigned(begin.skipped, 0, position)
  const [first, last] = [counted(begin.anchor.position), counted(begin.upTo)]
  const pace = createPace(first, last)
  /** The last position that is verified, with all before it: `take` moves it on. */
  let done = begin.anchor.position

  function look({ position, digest, hash, payload }: AuditEntry): void {
    if (hash === null) {
      count.removed++
      walk.link(position, digest ?? FIRST_HASH)
      return
    }
    count.events++
    if (position === walk.at().position) {
      faults.report('inserted', position, position)
      return
    }
    walk.event(position, digest, hash)
    if (payload === 'removed') count.withoutPayload++
    else if (payload === 'altered') faults.report('payload', position, position)
  }

  notes.compare(walk.at())
  return {
    step: ({ after }) => ({ done: counted(after), of: last, words: pace(counted(after)) }),

    take(range, { anchor, entries }) {
      // Retention continues meanwhile.
      if (anchor.position > walk.at().position) walk.jump(anchor)
      notes.compare(walk.at())
      done = Math.max(done, anchor.position)
      for (const entry of entries) {
        if (entry.position <= done) continue
        look(entry)
        notes.compare(walk.at())
      }
      done = Math.max(done, range.to)
    },

    end(peers) {
      const { position, hash } = walk.at()
      const next = nextPosition(position, begin.skipped)
      if (next <= begin.upTo) faults.report('cut', next, begin.upTo)
      return {
        problems: [...faults.words(), ...notes.problems(begin.anchor.position), ...peers],
        incomparable: notes.incomparable(begin.anchor.position),
        ...count,
        anchor: begin.anchor.position,
        head: hash === null ? null : { position, hash: hexOf(hash) },
      }
    },
  }
}

/** Entries of the same position: the digest that retention has left comes first. */
export function inOrder(removed: readonly AuditEntry[], present: readonly AuditEntry[]): readonly AuditEntry[] {
  return removed.length === 0 ? present : [...removed, ...present].sort((a, b) => a.position - b.position)
}

/** Of a removed event. */
export function linkOf({ position, digest }: { readonly position: number; readonly digest: Buffer }): AuditEntry {
  return { position, digest, hash: null, payload: 'removed' }
}

/** Compares the chain with points of earlier verifications. */
function expectations(expected: readonly WrittenPoint[]) {
  const waiting = new Map(expected.map((point) => [point.position, point.hash]))
  const wrong: string[] = []
  return {
    compare({ position, hash }: { readonly position: number; readonly hash: Uint8Array | null }): void {
      if (waiting.size === 0) return
      const written = waiting.get(position)
      if (written === undefined) return
      waiting.delete(position)
      const found = hash === null ? 'not known' : hexOf(hash)
      if (found !== written)
        wrong.push(`the hash up to event ${position} is ${found}, not ${written}: something up to it was changed`)
    },
    problems(anchor: number): string[] {
      const missing = [...waiting.keys()].filter((position) => position >= anchor)
      return [...wrong, ...missing.map((position) => `event ${position} is expected, and is not there`)]
    },
    incomparable(anchor: number): string[] {
      const passed = [...waiting.keys()].filter((position) => position < anchor)
      return passed.map(
        (position) =>
          `event ${position} cannot be compared: retention removed everything up to ${anchor}; expect a newer one`,
      )
    },
  }
}
