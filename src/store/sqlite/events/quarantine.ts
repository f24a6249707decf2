import type { Environment, Fact } from '../../../domain/event.ts'
import { numberedId } from '../../../domain/public-id.ts'
import type { Decision, QuarantinedFact, QuarantineState } from '../../../domain/quarantine.ts'
import { PortariaError } from '../../../platform/errors.ts'
import type { Connection } from '../database/connection.ts'
import { listQuarantine } from './quarantine-queries.ts'
import { type SpanRow, spanOfRow } from './rows.ts'

/** What a held fact keeps of the callback that it came in. */
interface Source {
  readonly environment: Environment
  readonly receivedAt: number
}

/** A fact that is held back, as it is let in. */
export interface HeldFact extends Source {
  readonly fact: Fact
  readonly callbackId: number
  readonly seen: number
  readonly lastSeenAt: number
}

/** Facts that are held back, and what is decided about them. All of it inside the transaction. */
export interface Quarantine {
  /** Keeps the fact, or counts the same one once more. @param keep stores the callback, if nothing of it is stored yet. Returns its number */
  hold(from: Source, fact: Fact, keep: () => number): { id: number; isNew: boolean }
  /** @throws PortariaError `not_found`; `conflict` when it is decided already */
  get(id: number): HeldFact
  /** @param position of the event that it is now */
  released(id: number, decision: Decision, position: number): QuarantinedFact
  /** @throws as `get` */
  discard(id: number, decision: Decision): QuarantinedFact
}

interface HeldRow extends SpanRow {
  callback_id: number
  kind: string
  environment: Environment
  state: QuarantineState
  received_at: number
  subject: string | null
  status: string | null
  part: number
  parts: number
  fact_hash: Buffer | null
  seen: number
  last_seen_at: number
}

/** @param windowMs how long a fact is remembered to recognise it again */
export function createQuarantine(db: Connection, windowMs: number, now: () => number): Quarantine {
  const statements = prepareStatements(db)

  function findSame({ hash }: Fact): number | null {
    if (hash === null) return null
    return statements.same.get(hash, now() - windowMs)?.id ?? null
  }

  function get(id: number): HeldFact {
    const row = statements.get.get(id)
    if (row === undefined) throw new PortariaError('not_found', `there is no ${numberedId('qtn', id)} in quarantine`)
    if (row.state !== 'quarantined')
      throw new PortariaError('conflict', `${numberedId('qtn', id)} is ${row.state} already: that is for good`)
    return heldOfRow(row)
  }

  function decide(
    id: number,
    { by, at }: Decision,
    { state, position }: { state: QuarantineState; position: number | null },
  ): QuarantinedFact {
    statements.decide.run({ id, state, by, at, position })
    return listQuarantine(db, { after: id - 1 }, 1)[0] as QuarantinedFact
  }

  return {
    get,
    hold({ environment, receivedAt }, fact, keep) {
      const same = findSame(fact)
      if (same !== null) {
        statements.countAgain.run(receivedAt, same)
        return { id: same, isNew: false }
      }
      const { hash, span, quarantine: reason, ...columns } = fact
      const { arrayStart, arrayEnd, itemStart, itemEnd } = span ?? NO_SPAN
      const place = { arrayStart, arrayEnd, itemStart, itemEnd }
      const values = { ...columns, ...place, environment, receivedAt, callbackId: keep(), reason, hash }
      return { id: Number(statements.insert.run(values).lastInsertRowid), isNew: true }
    },

    released: (id, decision, position) => decide(id, decision, { state: 'released', position }),

    discard(id, decision) {
      get(id)
      return decide(id, decision, { state: 'discarded', position: null })
    },
  }
}

const NO_SPAN = { arrayStart: null, arrayEnd: null, itemStart: null, itemEnd: null }

function heldOfRow(row: HeldRow): HeldFact {
  const { kind, subject, status, part, parts } = row
  return {
    environment: row.environment,
    receivedAt: row.received_at,
    fact: { kind, subject, status, part, parts, hash: row.fact_hash, span: spanOfRow(row) },
    callbackId: row.callback_id,
    seen: row.seen,
    lastSeenAt: row.last_seen_at,
  }
}

function prepareStatements(db: Connection) {
  return {
    // What was released counts as an event, or is forgotten with it.
    same: db.prepare<[Uint8Array, number], { id: number }>(
      `select id from quarantine where fact_hash = ? and state <> 'released' and received_at > ? order by id desc limit 1`,
    ),
    countAgain: db.prepare('update quarantine set seen = seen + 1, last_seen_at = ? where id = ?'),
    insert: db.prepare(`
      insert into quarantine (callback_id, kind, environment, reason, received_at, subject, status, part, parts,
        array_start, array_end, item_start, item_end, fact_hash, last_seen_at)
      values (:callbackId, :kind, :environment, :reason, :receivedAt, :subject, :status, :part, :parts,
        :arrayStart, :arrayEnd, :itemStart, :itemEnd, :hash, :receivedAt)`),
    get: db.prepare<[number], HeldRow>('select * from quarantine where id = ?'),
    decide: db.prepare(`
      update quarantine set state = :state, decided_at = :at, decided_by = :by, event_id = :position where id = :id`),
  }
}
