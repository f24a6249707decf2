import type { ClearedResponseBodies } from '../../../domain/store.ts'
import type { Connection } from '../database/connection.ts'

/** What can be done without when space runs short. */
export function createSpaceReclaimer(db: Connection) {
  const [clearAttempts, clearDeliveries] = [
    prepareClearing(db, 'attempts', 'answer'),
    prepareClearing(db, 'deliveries', 'first_answer'),
  ]
  return {
    /** A cursor below 0 is the negative number of a delivery: the attempts in rows of deliveries come last. */
    clearResponseBodies(after: number, limit: number): ClearedResponseBodies {
      const attempts = after < 0 ? NOTHING_LEFT : clearAttempts(after, limit)
      if (attempts.next !== null) return attempts
      const { next, cleared } = clearDeliveries(Math.max(0, -after), limit)
      return { next: next === null ? null : -next, cleared }
    },
  }
}

const NOTHING_LEFT: ClearedResponseBodies = { next: null, cleared: 0 }

/** Looks at `limit` rows after the one with this id. `next`: the last of them; null: there is none. */
function prepareClearing(db: Connection, table: string, column: string) {
  const lastOf = db
    .prepare<[number, number], number | null>(
      `select max(id) from (select id from ${table} where id > ? order by id limit ?)`,
    )
    .pluck()
  const clear = db.prepare(`update ${table} set ${column} = null where id > ? and id <= ? and length(${column}) > 0`)
  return function clearAfter(after: number, limit: number): ClearedResponseBodies {
    const last = lastOf.get(after, limit) ?? null
    return { next: last, cleared: last === null ? 0 : clear.run(after, last).changes }
  }
}

/** As in StoreReader. */
export function reusableBytes(db: Connection): number {
  const [pages, size] = ['freelist_count', 'page_size'].map((name) => db.pragma(name, { simple: true }) as number)
  return (pages as number) * (size as number)
}
