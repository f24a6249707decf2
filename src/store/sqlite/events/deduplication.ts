import type { Connection } from '../database/connection.ts'
import { DeduplicationIndex } from './deduplication-index.ts'

/** Finds the event of an equal fact inside the deduplication window. */
export interface Deduplication {
  /** Makes room for a batch. Before the transaction. */
  reserve(count: number): void
  /** Position of the event of an equal fact; null: none, or the hash is null, which equals nothing. */
  find(hash: Uint8Array | null): number | null
  /** Inside the transaction. */
  add(hash: Uint8Array | null, position: number): void
  /** After the commit. */
  committed(): void
  /** After a rollback: undoes the additions. */
  rolledBack(): void
}

/** @param windowMs the deduplication window */
export function createDeduplication(db: Connection, windowMs: number, now: () => number): Deduplication {
  const index = new DeduplicationIndex()
  const added: { hash: Uint8Array; position: number }[] = []
  const hashOf = db.prepare<[number], { fact_hash: Buffer; received_at: number }>(
    'select fact_hash, received_at from events where id = ? and fact_hash is not null',
  )
  loadIndex(db, index, now() - windowMs)

  return {
    reserve(count) {
      index.reserve(count, () => oldestPosition(db, now() - windowMs))
    },

    find(hash) {
      if (hash === null) return null
      return index.find(hash, (position) => {
        const row = hashOf.get(position)
        return row !== undefined && Buffer.compare(row.fact_hash, hash) === 0 && row.received_at > now() - windowMs
      })
    },

    add(hash, position) {
      if (hash === null) return
      index.add(hash, position)
      added.push({ hash, position })
    },

    committed() {
      added.length = 0
    },

    rolledBack() {
      for (const { hash, position } of added.reverse()) index.undo(hash, position)
      added.length = 0
    },
  }
}

function loadIndex(db: Connection, index: DeduplicationIndex, since: number): void {
  const from = oldestPosition(db, since)
  const count = db.prepare<[number], { n: number }>('select count(*) as n from events where id >= ?').get(from)?.n ?? 0
  index.reserve(count, () => 0)
  const rows = db
    .prepare<[number], [number, Buffer]>('select id, fact_hash from events where id >= ? and fact_hash is not null')
    .raw()
  for (const [position, hash] of rows.iterate(from)) index.add(hash, position)
}

/** The first position received at `since` or later, by bisection: positions rise with time, except for late releases from quarantine, which are skipped. */
function oldestPosition(db: Connection, since: number): number {
  const at = db.prepare<[number], { id: number; received_at: number }>(`
    select id, received_at from events e
    where id >= ? and not exists (select 1 from quarantine q where q.event_id = e.id) order by id limit 1`)
  let low = 1
  let high = db.prepare<[], { id: number | null }>('select max(id) as id from events').get()?.id ?? 0
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const row = at.get(middle)
    if (row === undefined || row.received_at >= since) high = middle - 1
    else low = row.id + 1
  }
  return low
}
