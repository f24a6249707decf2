import type { Destination } from '../../../domain/destination.ts'
import { orderChange, REORDERED_AT_ONCE, refuseReordering } from '../../rules/destinations.ts'
import { listDestinations, type Rewritten } from '../../sql/destinations.ts'
import { ask } from '../database/ask.ts'
import type { Connection } from '../database/connection.ts'
import { pendingDeliveries } from '../rows/delivery-rows.ts'
import type { OrderKeys } from '../rows/order-keys.ts'

export interface Destinations {
  /** Active and paused destinations, in memory, as of the last commit: only the writer changes them. */
  current(): readonly Destination[]
  /** After a commit or rollback of any method that changes one. */
  reload(): void
}

export function createDestinations(db: Connection): Destinations {
  /** Only `reload` replaces it. */
  let cache = ask(db, listDestinations)
  return {
    current: () => cache,
    reload() {
      cache = ask(db, listDestinations)
    },
  }
}

/** By the partial indexes of waiting deliveries, which are few compared with all. */
const IS_WAITING_MORE = `
  select 1 from (
    select id from ${pendingDeliveries('id', 'and destination_id = :id')}
    union all
    select id from deliveries indexed by deliveries_order where destination_id = :id and order_key is not null and state = 'blocked'
  ) limit 1 offset :limit`

/** A change of order is one transaction, during which callbacks wait: about 10 ms per 1,000 deliveries. @throws PortariaError `conflict` */
export function checkReordering(db: Connection, { before, after }: Rewritten): void {
  const { id, name, order } = before
  if (after.order === order) return
  if (db.prepare(IS_WAITING_MORE).get({ id, limit: REORDERED_AT_ONCE }) !== undefined) refuseReordering(name)
}

/** Applies a changed order to waiting deliveries. */
export function reorder(orderKeys: OrderKeys, { before, after }: Rewritten, now: number): void {
  const change = orderChange(before, after)
  if (change === 'enable') orderKeys.enable(before.id)
  else if (change === 'disable') orderKeys.disable(before.id)
  else if (change === 'release exhausted') orderKeys.releaseExhausted(before.id, now)
}
