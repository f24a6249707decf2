import type { ChargeReferences } from '../../../domain/event.ts'
import type { Realm } from '../../../domain/realm.ts'
import type {
  ChargeKey,
  ChargeResource,
  ChargeRoute,
  NewChargeRoute,
  OpenedRoute,
} from '../../../domain/service/charge-route.ts'
import { openedRoute, refuseRouteOfAnother } from '../../rules/charge-routes.ts'
import type { Connection } from '../database/connection.ts'
import type { Destinations } from '../destinations/destinations.ts'
import type { UnusedDestinations } from '../destinations/unused-destinations.ts'

/** Inside the transaction. */
export interface ChargeRoutes {
  /** The route of the charge, or else of its subscription; null: none. While there are no routes at all, it costs nothing. */
  routeOf(environment: Realm, references: ChargeReferences): ChargeRoute | null
  open(route: NewChargeRoute, now: number): OpenedRoute
  confirm(key: ChargeKey, owner: string | null, now: number): void
  restore(opened: ChargeRoute, previous: ChargeRoute | null): void
  remove(key: ChargeKey, owner: string | null): boolean
  /** After a commit or rollback of a method that changes routes. */
  reload(): void
}

interface RouteRow {
  readonly environment: Realm
  readonly resource: ChargeResource
  readonly resource_id: string
  readonly owner: string | null
  readonly url: string
  readonly destination_id: number
  readonly is_confirmed: number
  readonly changed_at: number
}

const OF_KEY = 'environment = :environment and resource = :resource and resource_id = :resourceId'

export function getChargeRoute(db: Connection, { environment, resource, resourceId }: ChargeKey): ChargeRoute | null {
  const row = db
    .prepare<ChargeKey, RouteRow>(`select * from charge_routes where ${OF_KEY}`)
    .get({ environment, resource, resourceId })
  return row === undefined ? null : routeOfRow(row)
}

export function createChargeRoutes(
  db: Connection,
  destinations: Destinations,
  unused: Pick<UnusedDestinations, 'removeRoute'>,
): ChargeRoutes {
  const statements = prepareStatements(db)
  /** `reload` alone changes it. */
  let isAny = false

  function find({ environment, resource, resourceId }: ChargeKey): ChargeRoute | null {
    const row = statements.find.get({ environment, resource, resourceId })
    return row === undefined ? null : routeOfRow(row)
  }

  function write({ isConfirmed, ...route }: ChargeRoute): void {
    statements.write.run({ ...route, isConfirmed: isConfirmed ? 1 : 0 })
  }

  function drop({ environment, resource, resourceId }: ChargeKey): void {
    statements.remove.run({ environment, resource, resourceId })
  }

  function dropDestination(id: number): void {
    if (statements.isRouted.get(id) === undefined) unused.removeRoute(id)
  }

  function isRevoked(owner: string | null): boolean {
    return owner !== null && statements.isRevoked.get(owner) !== undefined
  }

  const routes: ChargeRoutes = {
    routeOf(environment, { charge, subscription }) {
      if (!isAny) return null
      const own = charge === null ? null : find({ environment, resource: 'charge', resourceId: charge })
      if (own !== null || subscription === null) return own
      return find({ environment, resource: 'subscription', resourceId: subscription })
    },

    open(wanted, now) {
      const { settings, owner } = wanted
      const previous = find(wanted)
      if (previous !== null) refuseRouteOfAnother(previous, { owner, now, isOwnerRevoked: isRevoked(previous.owner) })
      const { destination, isNew } = destinations.openRoute(settings, now, owner)
      const route = openedRoute(wanted, previous, { destinationId: destination.id, now })
      write(route)
      return { route, previous, destination, isNewDestination: isNew }
    },

    confirm(key, owner, now) {
      const route = find(key)
      if (route?.owner === owner) write({ ...route, isConfirmed: true, changedAt: Math.max(now, route.changedAt) })
    },

    restore(opened, previous) {
      const current = find(opened)
      if (current?.owner !== opened.owner || current.changedAt !== opened.changedAt) return
      // A destination that was deleted meanwhile ends its routes.
      const isPresent = destinations.current().some(({ id }) => id === previous?.destinationId)
      if (previous !== null && isPresent) write(previous)
      else drop(opened)
      dropDestination(opened.destinationId)
    },

    remove(key, owner) {
      const route = find(key)
      if (route === null || route.owner !== owner) return false
      drop(key)
      dropDestination(route.destinationId)
      return true
    },

    reload() {
      isAny = statements.isAny.get() !== undefined
    },
  }
  routes.reload()
  return routes
}

function routeOfRow(row: RouteRow): ChargeRoute {
  return {
    environment: row.environment,
    resource: row.resource,
    resourceId: row.resource_id,
    owner: row.owner,
    url: row.url,
    destinationId: row.destination_id,
    isConfirmed: row.is_confirmed === 1,
    changedAt: row.changed_at,
  }
}

function prepareStatements(db: Connection) {
  return {
    find: db.prepare<ChargeKey, RouteRow>(`select * from charge_routes where ${OF_KEY}`),
    write: db.prepare(`
      insert or replace into charge_routes (environment, resource, resource_id, owner, url, destination_id, is_confirmed, changed_at)
      values (:environment, :resource, :resourceId, :owner, :url, :destinationId, :isConfirmed, :changedAt)`),
    remove: db.prepare<ChargeKey>(`delete from charge_routes where ${OF_KEY}`),
    isRouted: db.prepare<[number], unknown>('select 1 from charge_routes where destination_id = ? limit 1'),
    isRevoked: db.prepare<[string], unknown>('select 1 from clients where id = ? and revoked_at is not null'),
    isAny: db.prepare<[], unknown>('select 1 from charge_routes limit 1'),
  }
}
