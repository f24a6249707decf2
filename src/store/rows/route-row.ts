import type { Realm } from '../../domain/realm.ts'
import type { ChargeKey, ChargeResource, ChargeRoute } from '../../domain/service/charge-route.ts'

export interface RouteRow {
  readonly environment: Realm
  readonly resource: ChargeResource
  readonly resource_id: string
  readonly owner: string | null
  readonly url: string
  readonly destination_id: number
  readonly is_confirmed: boolean | number
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
    isConfirmed: Boolean(row.is_confirmed),
    changedAt: row.changed_at,
  }
}

/** Equal for equal charges. */
export function routeText({ environment, resource, resourceId }: ChargeKey): string {
  return `${environment} ${resource} ${resourceId}`
}
