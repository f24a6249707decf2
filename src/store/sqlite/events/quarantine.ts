/**
 * A quarantined fact has no position and is in no deduplication index. The same fact again only counts, also after it
 * was discarded. A release inserts the event with its old `received_at`, and its deliveries age from the release. So
 * positions no longer rise with time.
 */

import type { Fact } from '../../../domain/event.ts'
import type { SpanRow } from '../../rows/span-row.ts'
import { spanOfRow } from '../../rows/span-row.ts'
import type { TimeWindow } from '../../rules/certain-clock.ts'
import {
  type HeldFact,
  type HeldRow,
  heldOfRow,
  type QuarantinedRows,
  referencesOf,
  refuseDecided,
} from '../../storing/held-facts.ts'
import type { Connection } from '../database/connection.ts'

type Row = HeldRow & SpanRow

/** @param window of the deduplication */
export function createQuarantine(db: Connection, window: TimeWindow): QuarantinedRows {
  const statements = prepareStatements(db)

  function findSame({ hash }: Fact): number | null {
    if (hash === null) return null
    const same = statements.same.all(hash, window.since())
    return same.find(({ receivedAt }) => window.has(receivedAt))?.id ?? null
  }

  function get(id: number): HeldFact {
    const row = statements.get.get(id)
    refuseDecided(id, row)
    return heldOfRow(row as Row, spanOfRow(row as Row))
  }

  return {
    get,
    hold({ environment, receivedAt }, fact, storeCallback) {
      const same = findSame(fact)
      if (same !== null) {
        statements.countAgain.run(receivedAt, same)
        return { id: same, isNew: false }
      }
      const { hash, span, quarantine: reason, references: _references, ...columns } = fact
      const { arrayStart, arrayEnd, itemStart, itemEnd } = span ?? NO_SPAN
      const place = { arrayStart, arrayEnd, itemStart, itemEnd }
      const values = {
        ...columns,
        ...place,
        ...referencesOf(fact),
        environment,
        receivedAt,
        callbackId: storeCallback(),
        reason,
        hash,
      }
      return { id: Number(statements.insert.run(values).lastInsertRowid), isNew: true }
    },

    released: (id, { by, at }, position) => void statements.release.run({ id, by, at, position }),
  }
}

const NO_SPAN = { arrayStart: null, arrayEnd: null, itemStart: null, itemEnd: null }

function prepareStatements(db: Connection) {
  return {
    // A released fact is found through its event, as long as that is in the window.
    same: db.prepare<[Uint8Array, number], { id: number; receivedAt: number }>(`
      select id, received_at as receivedAt from quarantine
      where fact_hash = ? and state <> 'released' and received_at > ? order by id desc`),
    countAgain: db.prepare('update quarantine set seen = seen + 1, last_seen_at = ? where id = ?'),
    insert: db.prepare(`
      insert into quarantine (callback_id, kind, environment, reason, received_at, subject, status, part, parts,
        array_start, array_end, item_start, item_end, fact_hash, last_seen_at, charge_reference, subscription_reference)
      values (:callbackId, :kind, :environment, :reason, :receivedAt, :subject, :status, :part, :parts,
        :arrayStart, :arrayEnd, :itemStart, :itemEnd, :hash, :receivedAt, :charge, :subscription)`),
    get: db.prepare<[number], Row>('select * from quarantine where id = ?'),
    release: db.prepare(`
      update quarantine set state = 'released', decided_at = :at, decided_by = :by, event_id = :position where id = :id`),
  }
}
