/**
 * A change is merged into the row in the writer's transaction (RFC 7396), so two at once lose nothing. A new order
 * gives pending deliveries their order keys in the same transaction; more than 50,000 of them are refused unless the
 * gateway is starting.
 */

import {
  DESTINATION_LIMIT,
  DESTINATIONS_PER_OWNER,
  type Destination,
  type DestinationSettings,
  isPausedForCertificate,
} from '../../../domain/destination.ts'
import {
  type DestinationChanges,
  type SecretRotation,
  withChanges,
  withRotation,
} from '../../../domain/destination-changes.ts'
import { isSameRegistration, isSameUrl, type NewRegistration, type Registered } from '../../../domain/registration.ts'
import { isSameRouteTarget } from '../../../domain/service/charge-route.ts'
import { PortariaError } from '../../../platform/errors.ts'
import type { Connection } from '../database/connection.ts'
import { pendingDeliveries } from '../rows/delivery-rows.ts'
import type { OrderKeys } from '../rows/order-keys.ts'
import { type DestinationRow, destinationOfRow } from '../rows/rows.ts'

export interface Destinations {
  /** Active and paused destinations, in memory, as of the last commit: only the writer changes them. */
  current(): readonly Destination[]
  /** After a commit or rollback of any method below. */
  reload(): void
  sync(wanted: { configured: readonly DestinationSettings[]; now: number; isStarting: boolean }): { retired: string[] }
  create(settings: DestinationSettings, now: number, owner: string | null): Destination
  register(settings: DestinationSettings, registration: NewRegistration, now: number): Registered
  /** As `Store.moveRegistration`. */
  move(id: number, url: string): Registered
  /** The owner's destination of origin `route` with this URL; created if there is none. */
  openRoute(settings: DestinationSettings, now: number, owner: string | null): Registered
  update(id: number, changes: DestinationChanges, now: number): Destination
  rotateSecret(id: number, rotation: SecretRotation): Destination
  pause(id: number, reason: string): Destination
  resume(id: number, pauseReason?: string): Destination
  remove(id: number): Destination
  /** @param openedAt null: closes the circuit */
  setCircuit(id: number, openedAt: number | null): void
}

/** The most deliveries that a change of `order` may update while other calls wait for the writer. */
const REORDERED_AT_ONCE = 50_000

export function createDestinations(db: Connection, orderKeys: OrderKeys): Destinations {
  const statements = prepareStatements(db)
  let cache: Destination[] = []

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

  function upsertConfigured(settings: DestinationSettings, now: number, isStarting: boolean): void {
    const row = statements.byName.get({ name: settings.name, owner: null })
    if (row === undefined) {
      insert(settings, now, { origin: 'configuration' })
      return
    }
    if (row.origin !== 'configuration') {
      throw new PortariaError(
        'conflict',
        `the destination ${settings.name} of the configuration file exists already, made by a command: rename one of them, or delete dst_${row.id}`,
      )
    }
    const state = row.state === 'retired' ? (row.pause_reason === null ? 'active' : 'paused') : row.state
    statements.setState.run(state, row.pause_reason, row.id)
    if (!isStarting) checkReordering(destinationOfRow(row), settings)
    write(row.id, destinationOfRow(row), settings, now)
  }

  const destinations: Destinations = {
    current: () => cache,
    reload() {
      cache = statements.current.all().map(destinationOfRow)
    },
    sync({ configured, now, isStarting }) {
      for (const settings of configured) upsertConfigured(settings, now, isStarting)
      const names = new Set(configured.map((settings) => settings.name))
      const left = statements.configured.all().filter((row) => !names.has(row.name))
      for (const row of left) statements.setState.run('retired', row.pause_reason, row.id)
      return { retired: left.map((row) => row.name) }
    },
    create(settings, now, owner) {
      checkName(settings.name, owner)
      checkCounts(owner)
      return get(insert(settings, now, { origin: 'operator', owner }))
    },
    register(settings, { id: registrationId, owner }, now) {
      const existing = cache.find((one) => one.owner === owner && isSameRegistration(one, settings))
      if (existing !== undefined) return { destination: existing, isNew: false }
      checkName(settings.name, owner)
      checkCounts(owner)
      const id = insert(settings, now, { origin: 'registration', owner, registrationId })
      return { destination: get(id), isNew: true }
    },
    move(id, url) {
      const moved = { ...get(id), url }
      const existing = cache.find((one) => one.owner === moved.owner && isSameRegistration(one, moved))
      if (existing !== undefined) return { destination: existing, isNew: false }
      statements.update.run({ ...columnsOf(moved), id })
      return { destination: get(id), isNew: true }
    },
    openRoute(settings, now, owner) {
      const existing = cache.find(
        (one) => one.origin === 'route' && one.owner === owner && isSameUrl(one.url, settings.url),
      )
      if (existing !== undefined) return { destination: existing, isNew: false }
      checkName(settings.name, owner)
      checkCounts(owner)
      return { destination: get(insert(settings, now, { origin: 'route', owner })), isNew: true }
    },
    update(id, changes, now) {
      const before = getChangeable(id)
      const after = withChanges(before, changes)
      if (after.name !== before.name) checkName(after.name, before.owner)
      if (before.origin === 'registration' && !isSameRegistration(before, after)) {
        throw new PortariaError(
          'conflict',
          `${before.name} is a registration: its URL and kinds are changed by registering the other URL, and deleting this one`,
        )
      }
      if (before.origin === 'route' && !isSameRouteTarget(before, after)) {
        throw new PortariaError(
          'conflict',
          `${before.name} is the notification_url of charges, and gets their notifications only: its URL, kinds, environments and subjects cannot be changed; the app sets another notification_url for each charge`,
        )
      }
      checkReordering(before, after)
      write(id, before, after, now)
      return get(id)
    },
    rotateSecret(id, rotation) {
      const destination = getChangeable(id)
      if (destination.secrets[0] === rotation.secret)
        throw new PortariaError('conflict', `${destination.name} signs with that secret already: give it another one`)
      const { secrets, previousSecretUntil } = withRotation(destination, rotation)
      statements.setSecrets.run(JSON.stringify(secrets), previousSecretUntil, id)
      return get(id)
    },
    pause(id, reason) {
      const destination = get(id)
      if (destination.state === 'retired')
        throw new PortariaError('conflict', `${destination.name} left the configuration file: it cannot be paused`)
      const known = isPausedForCertificate(destination) ? null : destination.pauseReason
      statements.setState.run('paused', known ?? reason, id)
      return get(id)
    },
    resume(id, pauseReason) {
      const destination = get(id)
      if (pauseReason !== undefined && destination.pauseReason !== pauseReason) return destination
      if (destination.state === 'retired')
        throw new PortariaError('conflict', `${destination.name} left the configuration file: put it back there`)
      statements.setState.run('active', null, id)
      return get(id)
    },
    remove(id) {
      const destination = get(id)
      if (destination.origin === 'configuration') {
        throw new PortariaError(
          'conflict',
          `${destination.name} comes from the configuration file: remove it there and reload the gateway (SIGHUP); pause it meanwhile`,
        )
      }
      statements.setState.run('deleted', null, id)
      statements.removeRoutes.run(id)
      return { ...destination, state: 'deleted', pauseReason: null }
    },
    setCircuit(id, openedAt) {
      statements.setCircuit.run(openedAt, id)
    },
  }
  destinations.reload()
  return destinations
}

function columnsOf(settings: DestinationSettings) {
  return {
    name: settings.name,
    url: settings.url,
    kinds: settings.kinds === null ? null : JSON.stringify(settings.kinds),
    environments: settings.environments === null ? null : JSON.stringify(settings.environments),
    subjects: settings.subjects === null ? null : JSON.stringify(settings.subjects),
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
      insert into destinations (name, origin, owner, registration_id, state, url, kinds, environments, subjects, format, secrets,
        timeout_ms, concurrency, rate, schedule, delivery_order, on_exhausted, authorities, headers, created_at, deliveries_after)
      values (:name, :origin, :owner, :registrationId, 'active', :url, :kinds, :environments, :subjects, :format, :secrets,
        :timeoutMs, :concurrency, :rate, :schedule, :order, :onExhausted, :authorities, :headers, :now, (select coalesce(max(id), 0) from deliveries))`),
    update: db.prepare(`
      update destinations set name = :name, url = :url, kinds = :kinds, environments = :environments, subjects = :subjects, format = :format,
        secrets = :secrets, timeout_ms = :timeoutMs, concurrency = :concurrency, rate = :rate, schedule = :schedule, delivery_order = :order,
        on_exhausted = :onExhausted, authorities = :authorities, headers = :headers
      where id = :id`),
    // By the partial indexes of waiting deliveries, which are few compared with all.
    isWaitingMore: db.prepare<[{ id: number; limit: number }], unknown>(`
      select 1 from (
        select id from ${pendingDeliveries('id', 'and destination_id = :id')}
        union all
        select id from deliveries indexed by deliveries_line where destination_id = :id and order_key is not null and state = 'blocked'
      ) limit 1 offset :limit`),
    setSecrets: db.prepare('update destinations set secrets = ?, previous_secret_until = ? where id = ?'),
    setState: db.prepare('update destinations set state = ?, pause_reason = ?, deliveries_through = null where id = ?'),
    removeRoutes: db.prepare('delete from charge_routes where destination_id = ?'),
    setCircuit: db.prepare('update destinations set circuit_opened_at = ? where id = ?'),
  }
}
