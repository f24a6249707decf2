import {
  DESTINATION_LIMIT,
  DESTINATIONS_PER_OWNER,
  type Destination,
  type DestinationSettings,
} from '../../../domain/destination.ts'
import { PortariaError } from '../../../platform/errors.ts'
import type { Connection } from '../database/connection.ts'
import { pendingDeliveries } from '../rows/delivery-rows.ts'
import type { OrderKeys } from '../rows/order-keys.ts'
import { type DestinationRow, destinationOfRow } from '../rows/rows.ts'

/** The most deliveries that a change of `order` may update while other calls wait for the writer. */
const REORDERED_AT_ONCE = 50_000

/** The rows of destinations, and what every change of them checks. */
export type DestinationTable = ReturnType<typeof createDestinationTable>

export function createDestinationTable(db: Connection, orderKeys: OrderKeys) {
  const statements = prepareStatements(db)

  function get(id: number): Destination {
    const row = statements.byId.get(id)
    if (row === undefined || row.state === 'deleted')
      throw new PortariaError('not_found', `there is no destination dst_${id}`)
    return destinationOfRow(row)
  }

  /** @throws PortariaError `conflict` for a destination of the configuration file */
  function getChangeable(id: number): Destination {
    const destination = get(id)
    if (destination.origin !== 'configuration') return destination
    throw new PortariaError(
      'conflict',
      `${destination.name} comes from the configuration file: change it there and reload the gateway (SIGHUP)`,
    )
  }

  function insert(
    settings: DestinationSettings,
    now: number,
    from: Pick<Destination, 'origin'> & Partial<Pick<Destination, 'owner' | 'registrationId'>>,
  ): number {
    const made = { ...columnsOf(settings), owner: null, registrationId: null, ...from, now }
    return Number(statements.insert.run(made).lastInsertRowid)
  }

  /** Names are unique per owner, so a conflict does not reveal other owners' names. */
  function checkName(name: string, owner: string | null): void {
    if (statements.byName.get({ name, owner }) === undefined) return
    throw new PortariaError(
      'conflict',
      `there is a destination named ${name} already: choose another name, or delete it first`,
    )
  }

  function checkCounts(owner: string | null): void {
    if ((statements.count.get()?.n ?? 0) >= DESTINATION_LIMIT) {
      throw new PortariaError(
        'conflict',
        `there are ${DESTINATION_LIMIT} destinations already, and no more are allowed: delete some first`,
      )
    }
    if (owner !== null && (statements.countOfOwner.get(owner)?.n ?? 0) >= DESTINATIONS_PER_OWNER) {
      throw new PortariaError(
        'conflict',
        `the client has ${DESTINATIONS_PER_OWNER} destinations already, and no more are allowed: delete some first`,
      )
    }
  }

  /** A change of order is one transaction, during which callbacks wait: about 10 ms per 1,000 deliveries. */
  function checkReordering({ id, name, order }: Destination, after: DestinationSettings): void {
    if (after.order === order || statements.isWaitingMore.get({ id, limit: REORDERED_AT_ONCE }) === undefined) return
    throw new PortariaError(
      'conflict',
      [
        `more than ${REORDERED_AT_ONCE} deliveries wait for ${name}, and callbacks would wait while their order is changed:`,
        'change it when fewer wait; for a destination of the configuration file, a restart changes it, too',
      ].join(' '),
    )
  }

  /** Applies a changed order to waiting deliveries. */
  function write(id: number, before: DestinationSettings, settings: DestinationSettings, now: number): void {
    statements.update.run({ ...columnsOf(settings), id })
    if (before.order === 'none' && settings.order === 'subject') orderKeys.enable(id)
    else if (before.order === 'subject' && settings.order === 'none') orderKeys.disable(id)
    else if (before.onExhausted === 'hold' && settings.onExhausted === 'continue') orderKeys.releaseExhausted(id, now)
  }

  return { statements, get, getChangeable, insert, checkName, checkCounts, checkReordering, write }
}

export function columnsOf(settings: DestinationSettings) {
  return {
    name: settings.name,
    url: settings.url,
    kinds: settings.kinds === null ? null : JSON.stringify(settings.kinds),
    environments: settings.environments === null ? null : JSON.stringify(settings.environments),
    institutions: settings.institutions === null ? null : JSON.stringify(settings.institutions),
    subjects: settings.subjects === null ? null : JSON.stringify(settings.subjects),
    authentication: settings.authentication,
    format: settings.format,
    secrets: JSON.stringify(settings.secrets),
    timeoutMs: settings.timeoutMs,
    concurrency: settings.concurrency,
    rate: settings.rateLimit,
    schedule: settings.schedule === null ? null : JSON.stringify(settings.schedule),
    order: settings.order,
    onExhausted: settings.onExhausted,
    authorities: settings.authorities,
    headers: JSON.stringify(settings.headers),
  }
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
