import { isInRealm, type Realm } from '../../domain/realm.ts'
import type { ReconcileReads } from '../../domain/reconcile/reconcile-store.ts'
import { iso } from '../../platform/time.ts'
import { eventFilterFor } from '../auth/store-scope.ts'
import { dropUndefined } from '../http/answer.ts'
import { endpoint } from '../http/endpoint.ts'
import { gapsQuerySchema, gapsSchema } from './schema.ts'
import { gapsView } from './view.ts'

export interface GapsOptions {
  readonly store: Pick<ReconcileReads, 'listGaps'>
  /** Of the configuration. */
  readonly realms: readonly Realm[]
  /** Takes up the newest events, so that they count; null: no gateway runs. */
  readonly takeUp: (() => Promise<void>) | null
}

export function listGaps({ store, realms, takeUp }: GapsOptions) {
  return endpoint({
    method: 'get',
    path: '/v1/gaps',
    access: ['operations.read', 'events.read'],
    tag: 'Reconciliation',
    errors: 'problem',
    summary: 'List what was missed, and what cannot be known',
    description: 'By kind, environment and day. Without operations.read of the environment of the client.',
    query: gapsQuerySchema,
    answers: { 200: { description: 'The days.', schema: gapsSchema } },
    async run(call) {
      const { since, institution, environment: asked, limit } = call.query
      const { environment } = eventFilterFor(call, dropUndefined({ environment: asked }))
      const isFiltered = institution !== undefined || environment !== undefined
      const environments = isFiltered ? realms.filter((one) => isInRealm({ institution, environment }, one)) : undefined
      const day = since === undefined ? undefined : iso(since).slice(0, 10)
      if (environments?.length === 0) return { json: { data: [], openings: [] } }
      await takeUp?.()
      return { json: gapsView(await store.listGaps({ ...dropUndefined({ since: day, environments }), limit })) }
    },
  })
}
