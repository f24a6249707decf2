import { FIRST_HASH, hexOf } from '../../../domain/event-hash.ts'
import {
  type AuditEntry,
  type AuditPart,
  type AuditRange,
  createAuditRanges,
  createAuditReader,
} from '../audit/audit-entries.ts'
import { collectFaults } from '../audit/audit-faults.ts'
import { countAssigned, nextPosition, readAnchor, readSkipped } from '../audit/audit-points.ts'
import { alteredPeers } from '../audit/peer-check.ts'
import { type Connection, openForReading } from '../database/connection.ts'
import { lastGiven } from '../database/last-position.ts'
import { requireCurrentSchema } from '../database/migrations.ts'
import type { VerifyStep } from '../maintenance/verify.ts'
import { walkFrom } from './audit-walk.ts'
import { createPace } from './verify-pace.ts'

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

/**
 * Verifies all events up to the current last one. Read-only, and safe beside a running gateway. Blocks its thread, but reads a range of 1,000 positions
 * per transaction, so that the write-ahead log can be truncated meanwhile.
 * @param expected points of earlier verifications
 * @throws PortariaError `store_missing`, `store_newer`, `store_unavailable`
 */
export function verifyAuditChain(
  file: string,
  expected: readonly WrittenPoint[],
  show: (step: VerifyStep) => void,
): AuditVerification {
  const db = openForReading(file)
  try {
    const verification = beginVerification(db, expected)
    const read = createAuditReader(db)
    for (let range = verification.nextRange(); range !== null; range = verification.nextRange()) {
      show(verification.step(range))
      verification.take(range, read(range))
    }
    return verification.end()
  } finally {
    db.close()
  }
}

export interface RunningVerification {
  /** How many positions it verifies. */
  readonly positions: number
  /** The next range to read; null: none is left. */
  nextRange(): AuditRange | null
  step(range: AuditRange): VerifyStep
  /** The entries of each range, in order. They may have been read before those of an earlier range. */
  take(range: AuditRange, part: AuditPart): void
  end(): AuditVerification
}

/** @throws PortariaError `store_newer`, `store_unavailable` */
export function beginVerification(db: Connection, expected: readonly WrittenPoint[]): RunningVerification {
  requireCurrentSchema(db)
  const faults = collectFaults()
  const begin = db.transaction(() => ({
    upTo: lastGiven(db),
    anchor: readAnchor(db),
    skipped: readSkipped(db),
    outside: outsideOf(db),
  }))()
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
    positions: last - first,
    nextRange: createAuditRanges(db, begin.anchor.position, begin.upTo),
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

    end() {
      const { position, hash } = walk.at()
      const next = nextPosition(position, begin.skipped)
      if (next <= begin.upTo) faults.report('cut', next, begin.upTo)
      return {
        problems: [...faults.words(), ...notes.problems(begin.anchor.position), ...alteredPeers(db)],
        incomparable: notes.incomparable(begin.anchor.position),
        ...count,
        anchor: begin.anchor.position,
        head: hash === null ? null : { position, hash: hexOf(hash) },
      }
    },
  }
}

/** Positions of rows outside of the chain. Each condition is a range of a primary key: one with "or" would visit every row. */
function outsideOf(db: Connection): number[] {
  return db
    .prepare<object, number>(
      `select id from events where id <= :anchor union select id from events where id > :last
       union select position from removed_events where position <= :anchor
       union select position from removed_events where position > :last order by 1`,
    )
    .pluck()
    .all({ anchor: readAnchor(db).position, last: lastGiven(db) })
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
