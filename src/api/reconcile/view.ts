import { partsOf } from '../../domain/realm.ts'
import type { Gaps } from '../../domain/reconcile/gaps.ts'
import type { ReconcileProgress } from '../../domain/reconcile/reconciler.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { gapsSchema, reconcileRunSchema } from './schema.ts'

export type GapsView = View<typeof gapsSchema>
export type ReconcileRunView = View<typeof reconcileRunSchema>

/** As the API, `portaria service gaps` and the page show it. */
export function gapsView({ data, openings }: Gaps): GapsView {
  const days = data.map(({ kind, environment, ...rest }) => ({ kind, ...partsOf(environment), ...rest }))
  return { data: days, openings }
}

export function runView(run: ReconcileProgress): ReconcileRunView {
  const { id, isDryRun, since, state, beganAt, endedAt } = run
  const environments = run.environments.map(({ environment, ...counts }) => ({ ...partsOf(environment), ...counts }))
  return {
    id,
    dryRun: isDryRun,
    since: isoOrNull(since),
    state,
    beganAt: iso(beganAt),
    endedAt: isoOrNull(endedAt),
    environments,
  }
}
