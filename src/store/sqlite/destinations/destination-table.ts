import type { Destination, DestinationSettings } from '../../../domain/destination.ts'
import type { DestinationRow } from '../../rows/destination-row.ts'
import { columnsOf } from '../../rows/destination-row.ts'
import {
  knownDestination,
  orderChange,
  REORDERED_AT_ONCE,
  refuseConfigured,
  refuseMoreDestinations,
  refuseReordering,
  refuseTakenName,
} from '../../rules/destinations.ts'
import type { Connection } from '../database/connection.ts'
import { pendingDeliveries } from '../rows/delivery-rows.ts'
import type { OrderKeys } from '../rows/order-keys.ts'

/** The rows of destinations, and what every change of them checks. */
export type DestinationTable = ReturnType<typeof createDestinationTable>

export function createDestinationTable(db: Connection, orderKeys: OrderKeys) {
  const statements = prepareStatements(db)

  function get(id: number): Destination {
    return knownDestination(id, statements.byId.get(id))
  }

  /** @throws PortariaError `conflict` for a destination of the configuration file */
  function getChangeable(id: number): Destination {
    const destination = get(id)
    refuseConfigured(destination)
    return destination
  }

  function insert(
    settings: DestinationSettings,
    now: number,
    from: Pick<Destination, 'origin'> & Partial<Pick<Destination, 'owner' | 'registrationId'>>,
  ): number {
    const made = { ...columnsOf(settings), owner: null, registrationId: null, ...from, now }
    return Number(statements.insert.run(made).lastInsertRowid)
  }

  function checkName(name: string, owner: string | null): void {
    refuseTakenName(name, statements.byName.get({ name, owner }))
  }

  function checkCounts(owner: string | null): void {
    const own = owner === null ? null : (statements.countOfOwner.get(owner)?.n ?? 0)
    refuseMoreDestinations(statements.count.get()?.n ?? 0, own)
  }

  /** A change of order is one transaction, during which callbacks wait: about 10 ms per 1,000 deliveries. */
  function checkReordering({ id, name, order }: Destination, after: DestinationSettings): void {
    if (after.order === order) return
    if (statements.isWaitingMore.get({ id, limit: REORDERED_AT_ONCE }) !== undefined) refuseReordering(name)
  }

  /** Applies a changed order to waiting deliveries. */
  function write(id: number, before: DestinationSettings, settings: DestinationSettings, now: number): void {
    statements.update.run({ ...columnsOf(settings), id })
    const change = orderChange(before, settings)
    if (change === 'enable') orderKeys.enable(id)
    else if (change === 'disable') orderKeys.disable(id)
    else if (change === 'release exhausted') orderKeys.releaseExhausted(id, now)
  }

  return { statements, get, getChangeable, insert, checkName, checkCounts, checkReordering, write }
}

function prepareStatements(db: Connection) {
  return {
    byId: db.prepare<[number], DestinationRow>('select * from destinations where id = ?'),
    byName: db.prepare<{ name: string; owner: string | null }, DestinationRow>(`
      select * from destinations
      where coalesce(owner, '') = coalesce(:owner, '') and name = :name and state in ('active', 'paused', 'retired')`),
    current: db.prepare<[], DestinationRow>(
      `select * from destinations where state in ('active', 'paused') order by id`,
    ),
    configured: db.prepare<[], DestinationRow>(
      `select * from destinations where origin = 'configuration' and state in ('active', 'paused')`,
    ),
    count: db.prepare<[], { n: number }>(`select count(*) as n from destinations where state in ('active', 'paused')`),
    countOfOwner: db.prepare<[string], { n: number }>(
      `select count(*) as n from destinations where owner = ? and state in ('active', 'paused')`,
    ),
    insert: db.prepare(`
      insert into destinations (name, origin, owner, registration_id, state, url, kinds, environments, institutions, subjects, authentication, format,
        secrets, timeout_ms, concurrency, rate, schedule, delivery_order, on_exhausted, authorities, headers, created_at, deliveries_after)
      values (:name, :origin, :owner, :registrationId, 'active', :url, :kinds, :environments, :institutions, :subjects, :authentication, :format,
        :secrets, :timeoutMs, :concurrency, :rate, :schedule, :order, :onExhausted, :authorities, :headers, :now, (select coalesce(max(id), 0) from deliveries))`),
    update: db.prepare(`
      update destinations set name = :name, url = :url, kinds = :kinds, environments = :environments, institutions = :institutions, subjects = :subjects,
        authentication = :authentication, format = :format, secrets = :secrets, timeout_ms = :timeoutMs, concurrency = :concurrency, rate = :rate, schedule = :schedule, delivery_order = :order,
        on_exhausted = :onExhausted, authorities = :authorities, headers = :headers
      where id = :id`),
    // By the partial indexes of waiting deliveries, which are few compared with all.
    isWaitingMore: db.prepare<[{ id: number; limit: number }], unknown>(`
      select 1 from (
        select id from ${pendingDeliveries('id', 'and destination_id = :id')}
        union all
        select id from deliveries indexed by deliveries_order where destination_id = :id and order_key is not null and state = 'blocked'
      ) limit 1 offset :limit`),
    setSecrets: db.prepare('update destinations set secrets = ?, previous_secret_until = ? where id = ?'),
    setState: db.prepare('update destinations set state = ?, pause_reason = ?, deliveries_through = null where id = ?'),
    removeRoutes: db.prepare('delete from charge_routes where destination_id = ?'),
    setCircuit: db.prepare('update destinations set circuit_opened_at = ? where id = ?'),
  }
}
