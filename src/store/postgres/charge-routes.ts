import type { Realm } from '../../domain/realm.ts'
import type {
  ChargeKey,
  ChargeResource,
  ChargeRoute,
  NewChargeRoute,
  OpenedRoute,
} from '../../domain/service/charge-route.ts'
import { openedRoute, refuseRouteOfAnother } from '../rules/charge-routes.ts'
import type { Sql } from './database/sql.ts'
import { removeUnused } from './deliveries/delivery-actions.ts'
import { openRouteDestination } from './destinations.ts'
import type { Transaction } from './writing/transaction.ts'

export interface RouteRow {
  readonly environment: Realm
  readonly resource: ChargeResource
  readonly resource_id: string
  readonly owner: string | null
  readonly url: string
  readonly destination_id: number
  readonly is_confirmed: boolean
  readonly changed_at: number
}

export function routeOfRow(row: RouteRow): ChargeRoute {
  return {
    environment: row.environment,
    resource: row.resource,
    resourceId: row.resource_id,
    owner: row.owner,
    url: row.url,
    destinationId: row.destination_id,
    isConfirmed: row.is_confirmed,
    changedAt: row.changed_at,
  }
}

/** Equal for equal charges. */
export function routeText({ environment, resource, resourceId }: ChargeKey): string {
  return `${environment} ${resource} ${resourceId}`
}

const OF_KEY = 'environment = :environment and resource = :resource and resource_id = :resourceId'

function keyOf({ environment, resource, resourceId }: ChargeKey) {
  return { environment, resource, resourceId }
}

export async function getChargeRoute(sql: Sql, key: ChargeKey): Promise<ChargeRoute | null> {
  const row = await sql.get<RouteRow>(`select * from charge_routes where ${OF_KEY}`, keyOf(key))
  return row === undefined ? null : routeOfRow(row)
}

async function write(sql: Sql, route: ChargeRoute): Promise<void> {
  await sql.run(
    `insert into charge_routes (environment, resource, resource_id, owner, url, destination_id, is_confirmed, changed_at)
    values (:environment, :resource, :resourceId, :owner, :url, :destinationId, :isConfirmed, at_ms(:changedAt))
    on conflict (environment, resource, resource_id) do update set owner = excluded.owner, url = excluded.url,
      destination_id = excluded.destination_id, is_confirmed = excluded.is_confirmed, changed_at = excluded.changed_at`,
    { ...route },
  )
}

async function drop(sql: Sql, key: ChargeKey): Promise<void> {
  await sql.run(`delete from charge_routes where ${OF_KEY}`, keyOf(key))
}

async function dropDestination(sql: Sql, id: number): Promise<void> {
  const routed = await sql.get('select 1 from charge_routes where destination_id = :id limit 1', { id })
  if (routed === undefined) await removeUnused(sql, id, 'route')
}

async function isRevoked(sql: Sql, owner: string | null): Promise<boolean> {
  if (owner === null) return false
  return (await sql.get('select 1 from clients where id = :owner and revoked_at is not null', { owner })) !== undefined
}

export async function openChargeRoute(
  _parts: unknown,
  transaction: Transaction,
  route: NewChargeRoute,
  now: number,
): Promise<OpenedRoute> {
  const { sql } = transaction
  const { owner } = route
  const previous = await getChargeRoute(sql, route)
  if (previous !== null)
    refuseRouteOfAnother(previous, { owner, now, isOwnerRevoked: await isRevoked(sql, previous.owner) })
  const { destination, isNew } = await openRouteDestination(transaction, route.settings, now, owner)
  const opened = openedRoute(route, previous, { destinationId: destination.id, now })
  await write(sql, opened)
  return { route: opened, previous, destination, isNewDestination: isNew }
}

export async function confirmChargeRoute(
  _parts: unknown,
  { sql }: Transaction,
  key: ChargeKey,
  owner: string | null,
  now: number,
): Promise<void> {
  const route = await getChargeRoute(sql, key)
  if (route?.owner === owner)
    await write(sql, { ...route, isConfirmed: true, changedAt: Math.max(now, route.changedAt) })
}

export async function restoreChargeRoute(
  _parts: unknown,
  { sql, ...transaction }: Transaction,
  opened: ChargeRoute,
  previous: ChargeRoute | null,
): Promise<void> {
  const current = await getChargeRoute(sql, opened)
  if (current?.owner !== opened.owner || current.changedAt !== opened.changedAt) return
  // A destination that was deleted meanwhile ends its routes.
  const isPresent = (await transaction.destinations()).some(({ id }) => id === previous?.destinationId)
  if (previous !== null && isPresent) await write(sql, previous)
  else await drop(sql, opened)
  await dropDestination(sql, opened.destinationId)
}

export async function deleteChargeRoute(
  _parts: unknown,
  { sql }: Transaction,
  key: ChargeKey,
  owner: string | null,
): Promise<boolean> {
  const route = await getChargeRoute(sql, key)
  if (route === null || route.owner !== owner) return false
  await drop(sql, key)
  await dropDestination(sql, route.destinationId)
  return true
}
