import { bytesOfFact } from '../../../domain/event.ts'
import { hexOf, payloadHashOf } from '../../../domain/event-hash.ts'
import { type Connection, openForReading } from '../database/connection.ts'
import { requireCurrentSchema } from '../database/migrations.ts'
import { spanOfRow } from '../events/rows.ts'
import type { VerifyStep } from '../maintenance/verify.ts'
import { type AuditEntry, createAuditReader, type EventEntry } from './audit-entries.ts'
import { collectFaults } from './audit-faults.ts'
import { lastGiven, nextPosition, readAnchor, readSkipped } from './audit-points.ts'
import { walkFrom } from './audit-walk.ts'
import { alteredPeers } from './peer-check.ts'

export interface AuditVerification {
  /** What is wrong, in words; none: nothing was removed but by retention, and nothing altered or inserted. */
  readonly problems: readonly string[]
  /** Expected points that nothing is left to compare with, in words: no sign that anything is wrong, and no proof either. */
  readonly incomparable: readonly string[]
  readonly events: number
  /** Of them those whose payload retention or a redaction removed. */
  readonly withoutPayload: number
  /** Events that retention removed, as far as something of each is left. */
  readonly removed: number
  /** Of what stood up to here only one hash is left. */
  readonly anchor: number
  /** Write it down elsewhere and expect it the next time. null: nothing is known of what stands there. */
  readonly head: WrittenPoint | null
}

/** A position, and in hexadecimal the hash up to it. */
export interface WrittenPoint {
  readonly position: number
  readonly hash: string
}

/**
 * Goes through all events up to the last one of now, and finds each that does not follow from the one before it. It may run beside a gateway,
 * and changes nothing. It blocks its thread for as long as it reads, a thousand events at a time, so that the log can be emptied meanwhile.
 * @param expected points of the chain that somebody wrote down before
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
  for (const position of begin.outside) faults.tell('inserted', position, position)

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
      faults.tell('inserted', entry.position, entry.position)
      return
    }
    walk.event(entry.position, entry.digest, entry.hash)
    if (entry.isPayloadRemoved) count.withoutPayload++
    else if (!isPayloadSound(entry)) faults.tell('payload', entry.position, entry.position)
  }

  function lookAtSome(from: number): number {
    const anchor = readAnchor(db)
    // Retention went on meanwhile.
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
  if (next <= begin.upTo) faults.tell('cut', next, begin.upTo)
  return {
    problems: [...faults.words(), ...notes.problems(begin.anchor.position), ...alteredPeers(db)],
    incomparable: notes.incomparable(begin.anchor.position),
    ...count,
    anchor: begin.anchor.position,
    head: hash === null ? null : { position, hash: hexOf(hash) },
  }
}

/** Positions of what stands where nothing of the chain is. */
function outsideOf(db: Connection): number[] {
  return db
    .prepare<object, number>(
      `select id from events where id <= :anchor or id > :last
       union select position from removed_events where position <= :anchor or position > :last order by 1`,
    )
    .pluck()
    .all({ anchor: readAnchor(db).position, last: lastGiven(db) })
}

/** Several facts of one callback stand one after the other: its body is read once for them. */
function payloadCheck(db: Connection): (entry: EventEntry) => boolean {
  const bodyOf = db.prepare<[number], Buffer>('select body from callbacks where id = ?').pluck()
  let last: { readonly id: number; readonly body: Buffer | undefined } | undefined
  return function isPayloadSound({ callbackId, span, payloadHash }) {
    if (last?.id !== callbackId) last = { id: callbackId, body: bodyOf.get(callbackId) }
    return last.body !== undefined && payloadHashOf(bytesOfFact(last.body, spanOfRow(span))) === hexOf(payloadHash)
  }
}

/** Compares the chain with what somebody wrote down of it. */
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
