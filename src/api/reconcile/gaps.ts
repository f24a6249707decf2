import { isInRealm, type Realm } from '../../domain/realm.ts'
import type { ReconcileReads } from '../../domain/reconcile/reconcile-store.ts'
import { given } from '../../platform/given.ts'
import { iso } from '../../platform/time.ts'
import { eventFilterFor } from '../auth/store-scope.ts'
import type { Handlers } from '../http/contract.ts'
import type { GAP_READS } from './contract.ts'
import { gapsView } from './view.ts'

export interface GapsOptions {
  readonly store: Pick<ReconcileReads, 'listGaps'>
  /** Of the configuration. */
  readonly realms: readonly Realm[]
  /** Takes up the newest events, so that they count; null: no gateway runs. */
  readonly takeUp: (() => Promise<void>) | null
}

export const GAPS: Handlers<typeof GAP_READS, GapsOptions> = {
  async listGaps(call, { store, realms, takeUp }) {
    const { since, institution, environment: asked, limit } = call.query
    const { environment } = eventFilterFor(call, given({ environment: asked }))
    const isFiltered = institution !== undefined || environment !== undefined
    const environments = isFiltered ? realms.filter((one) => isInRealm({ institution, environment }, one)) : undefined
    const day = since === undefined ? undefined : iso(since).slice(0, 10)
    if (environments?.length === 0) return { json: { data: [], openings: [] } }
    await takeUp?.()
    return { json: gapsView(await store.listGaps({ ...given({ since: day, environments }), limit })) }
  },
}
