import type { Destination } from '../../../domain/destination.ts'
import type { Connection } from '../database/connection.ts'

/** Removes rows of destinations that nothing refers to. */
export interface UnusedDestinations {
  /** A deleted destination, if it never had a delivery. */
  removeDeleted(id: number): void
  /** A destination of origin `route`, if it never had a delivery. The caller has removed its last route. */
  removeRoute(id: number): void
}

/** The search for deliveries of a removed destination visits this many. If it was used for longer, retention removes its row later. */
const LOOKED_AT = 10_000
const NONE_SEEN = { newest: 0, seen: 0, own: 0 }

/** Behind which deliveries its own begin. */
type Row = Pick<Destination, 'id' | 'state' | 'origin'> & { readonly deliveries_after: number }

export function createUnusedDestinations(db: Connection): UnusedDestinations {
  const statements = prepareStatements(db)

  /** Whether it never had a delivery or a replay; false also if that would take long to find out. */
  function isUnused({ id, deliveries_after: after }: Row): boolean {
    if (statements.hasReplays.get(id) !== undefined) return false
    const { newest, seen, own } = statements.ownDeliveries.get({ id, after }) ?? NONE_SEEN
    // Numbers of deliveries are reused after retention has removed the newest ones.
    return newest >= after && seen <= LOOKED_AT && own === 0
  }

  function removeIf(id: number, isCandidate: (row: Row) => boolean): void {
    const row = statements.byId.get(id)
    if (row === undefined || !isCandidate(row) || !isUnused(row)) return
    statements.removeCertificate.run(id)
    statements.removeRow.run(id)
  }

  return {
    removeDeleted: (id) => removeIf(id, ({ state }) => state === 'deleted'),
    removeRoute: (id) => removeIf(id, ({ origin }) => origin === 'route'),
  }
}

function prepareStatements(db: Connection) {
  return {
    byId: db.prepare<[number], Row>('select * from destinations where id = ?'),
    hasReplays: db.prepare<[number], unknown>('select 1 from replays where destination_id = ? limit 1'),
    ownDeliveries: db.prepare<{ id: number; after: number }, { newest: number; seen: number; own: number }>(`
      select coalesce((select max(id) from deliveries), 0) as newest, count(*) as seen, count(*) filter (where destination_id = :id) as own
      from (select destination_id from deliveries where id > :after order by id limit ${LOOKED_AT + 1})`),
    removeCertificate: db.prepare('delete from destination_certificates where destination_id = ?'),
    removeRow: db.prepare('delete from destinations where id = ?'),
  }
}
