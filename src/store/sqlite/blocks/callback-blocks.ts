/**
 * Blocks of 1,024 callbacks, by their number. A summary per block and kind leads retention to old callbacks, so that storing a callback writes no index by
 * age. It is written when the next block begins, and the triggers of `callbacks` keep its counts up to date.
 */

import type { Connection } from '../database/connection.ts'

const BLOCK = 1024

export interface CallbackBlocks {
  /** Inside the transaction that stores a callback under this number. */
  nextId(): number
  /** After a rollback. */
  rolledBack(): void
}

/** Inside a transaction: summarizes what was stored without `nextId`, as it would have done. */
export function summarizeCallbacks(db: Connection): void {
  db.exec(`
    insert or ignore into callback_blocks (kind, block, earliest, with_payload, without_payload)
    select kind, id / ${BLOCK}, min(received_at), sum(payload_removed_at is null), sum(payload_removed_at is not null)
    from callbacks where id / ${BLOCK} < (select max(id) / ${BLOCK} from callbacks) group by kind, id / ${BLOCK}`)
}

/** The first number behind the summarized blocks, as an expression. */
export const FIRST_OPEN = `(select coalesce(max(block) + 1, 0) * ${BLOCK} from callback_blocks)`

/** Callbacks `c` of the summarized blocks `b`. */
export const CALLBACKS_OF_BLOCKS = `
  callback_blocks b cross join callbacks c not indexed on c.id between b.block * ${BLOCK} and b.block * ${BLOCK} + ${BLOCK - 1}`

export function createCallbackBlocks(db: Connection): CallbackBlocks {
  // No block that was summarized gets another callback, also after the newest callbacks were removed.
  const readLast = db
    .prepare<[], number>(`select max(coalesce((select max(id) from callbacks), 0), ${FIRST_OPEN} - 1)`)
    .pluck()
  const summarize = db.prepare<{ block: number }>(`
    insert or ignore into callback_blocks (kind, block, earliest, with_payload, without_payload)
    select kind, :block, min(received_at), sum(payload_removed_at is null), sum(payload_removed_at is not null)
    from callbacks where id between :block * ${BLOCK} and :block * ${BLOCK} + ${BLOCK - 1} group by kind`)
  /** null: must be read from the database. */
  let last: number | null = null

  return {
    nextId() {
      last ??= readLast.get() ?? 0
      const id = last + 1
      if (id % BLOCK === 0) summarize.run({ block: id / BLOCK - 1 })
      last = id
      return id
    },
    rolledBack() {
      last = null
    },
  }
}
