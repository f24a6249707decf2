import { bytesOfFact } from '../../../domain/event.ts'
import { hexOf, payloadHashOf } from '../../../domain/event-hash.ts'
import { type Connection, openForReading } from '../database/connection.ts'
import { requireCurrentSchema } from '../database/migrations.ts'
import { spanOfRow } from '../events/rows.ts'
import type { VerifyStep } from '../maintenance/verify.ts'
import { type AuditEntry, createAuditReader, type EventEntry } from './audit-entries.ts'
import { collectFaults } from './audit-faults.ts'
import { nextPosition, readAnchor, readSkipped } from './audit-points.ts'
import { walkFrom } from './audit-walk.ts'
import { lastGiven } from './last-position.ts'
import { alteredPeers } from './peer-check.ts'

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
 * Verifies all events up to the current last one. Read-only, and safe beside a running gateway. Blocks its thread, but reads 1,000 events per
 * transaction, so that the write-ahead log can be truncated meanwhile.
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
    requireCurrentSchema(db)
    return verify(db, expected, show)
  } finally {
    db.close()
  }
}

function verify(db: Connection, expected: readonly WrittenPoint[], show: (step: VerifyStep) => void) {
  const inOneMoment = <T>(read: () => T): T => db.transaction(read)()
  const faults = collectFaults()
  const begin = inOneMoment(() => ({
    upTo: lastGiven(db),
    anchor: readAnchor(db),
    skipped: readSkipped(db),
    outside: outsideOf(db),
  }))
  for (const position of begin.outside) faults.report('inserted', position, position)

  const walk = walkFrom(begin.anchor, begin.skipped, faults)
  const reader = createAuditReader(db)
  const isPayloadSound = payloadCheck(db)
  const notes = expectations(expected)
  const count = { events: 0, withoutPayload: 0, removed: 0 }

  function look(entry: AuditEntry): void {
    if (entry.hash === null) {
      count.removed++
      walk.link(entry.position, entry.digest)
      return
    }
    count.events++
    if (entry.position === walk.at().position) {
      faults.report('inserted', entry.position, entry.position)
      return
    }
    walk.event(entry.position, entry.digest, entry.hash)
    if (entry.isPayloadRemoved) count.withoutPayload++
    else if (!isPayloadSound(entry)) faults.report('payload', entry.position, entry.position)
  }

  function lookAtSome(from: number): number {
    const anchor = readAnchor(db)
    // Retention continues meanwhile.
    if (anchor.position > walk.at().position) walk.jump(anchor)
    notes.compare(walk.at())
    const { entries, end } = reader.entriesBehind(Math.max(from, anchor.position), begin.upTo)
    for (const entry of entries) {
      look(entry)
      notes.compare(walk.at())
    }
    return Math.max(end, anchor.position)
  }

  notes.compare(walk.at())
  for (let done = begin.anchor.position; done < begin.upTo; ) {
    show({ done, of: begin.upTo, words: `event ${done} of ${begin.upTo}` })
    const from = done
    done = inOneMoment(() => lookAtSome(from))
  }
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
}

/** Positions of rows outside of the chain. */
function outsideOf(db: Connection): number[] {
  return db
    .prepare<object, number>(
      `select id from events where id <= :anchor or id > :last
       union select position from removed_events where position <= :anchor or position > :last order by 1`,
    )
    .pluck()
    .all({ anchor: readAnchor(db).position, last: lastGiven(db) })
}

/** Facts of one callback are neighbours: its body is read once for them. */
function payloadCheck(db: Connection): (entry: EventEntry) => boolean {
  const bodyOf = db.prepare<[number], Buffer>('select body from callbacks where id = ?').pluck()
  const ownBodyOf = db.prepare<[number], Buffer>('select body from event_bodies where event_id = ?').pluck()
  let last: { readonly id: number; readonly body: Buffer | undefined } | undefined
  return function isPayloadSound({ position, callbackId, span, payloadHash, isResolved }) {
    if (isResolved) return payloadHashOf(ownBodyOf.get(position) ?? NO_BODY) === hexOf(payloadHash)
    if (last?.id !== callbackId) last = { id: callbackId, body: bodyOf.get(callbackId) }
    return last.body !== undefined && payloadHashOf(bytesOfFact(last.body, spanOfRow(span))) === hexOf(payloadHash)
  }
}

const NO_BODY = Buffer.alloc(0)

/** Compares the chain with points of earlier verifications. */
function expectations(expected: readonly WrittenPoint[]) {
  const waiting = new Map(expected.map((point) => [point.position, point.hash]))
  const wrong: string[] = []
  return {
    compare({ position, hash }: { readonly position: number; readonly hash: Uint8Array | null }): void {
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
