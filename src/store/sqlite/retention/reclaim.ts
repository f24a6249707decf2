import type { ClearedResponseBodies } from '../../../domain/store.ts'
import type { Connection } from '../database/connection.ts'

/** What can be done without when space runs short. */
export function createSpaceReclaimer(db: Connection) {
  const dropRefusals = db.prepare('delete from refusals where id in (select id from refusals order by id limit ?)')
  const lastOf = db
    .prepare<[number, number], number | null>(
      'select max(id) from (select id from attempts where id > ? order by id limit ?)',
    )
    .pluck()
  const clearResponseBodies = db.prepare(
    'update attempts set answer = null where id > ? and id <= ? and length(answer) > 0',
  )
  return {
    dropRefusals: (limit: number): number => dropRefusals.run(limit).changes,
    clearResponseBodies(after: number, limit: number): ClearedResponseBodies {
      const last = lastOf.get(after, limit) ?? null
      return { next: last, cleared: last === null ? 0 : clearResponseBodies.run(after, last).changes }
    },
  }
}

/** As in StoreReader. */
export function reusableBytes(db: Connection): number {
  const [pages, size] = ['freelist_count', 'page_size'].map((name) => db.pragma(name, { simple: true }) as number)
  return (pages as number) * (size as number)
}
