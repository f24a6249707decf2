import type { ChargeReferences } from '../../../domain/event.ts'
import type { Realm } from '../../../domain/realm.ts'
import type { ChargeKey, ChargeRoute } from '../../../domain/service/charge-route.ts'
import { type RouteRow, routeOfRow } from '../../rows/route-row.ts'
import { OF_KEY } from '../../sql/charge-routes.ts'
import type { Connection } from '../database/connection.ts'

/** Inside the transaction. */
export interface ChargeRoutes {
  /** The route of the charge, or else of its subscription; null: none. While there are no routes at all, it costs nothing. */
  routeOf(environment: Realm, references: ChargeReferences): ChargeRoute | null
  /** After a commit or rollback of a method that changes routes. */
  reload(): void
}

export function createChargeRoutes(db: Connection): ChargeRoutes {
  const select = db.prepare<ChargeKey, RouteRow>(`select * from charge_routes where ${OF_KEY}`)
  const first = db.prepare<[], unknown>('select 1 from charge_routes limit 1')
  /** `reload` alone changes it. */
  let isAny = first.get() !== undefined

  function find(key: ChargeKey): ChargeRoute | null {
    const row = select.get(key)
    return row === undefined ? null : routeOfRow(row)
  }

  return {
    routeOf(environment, { charge, subscription }) {
      if (!isAny) return null
      const own = charge === null ? null : find({ environment, resource: 'charge', resourceId: charge })
      if (own !== null || subscription === null) return own
      return find({ environment, resource: 'subscription', resourceId: subscription })
    },
    reload() {
      isAny = first.get() !== undefined
    },
  }
}
