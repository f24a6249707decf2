import { isInRealm, partsOf, type Realm, type RealmFilter } from '../../domain/realm.ts'
import type { ReconciledKinds } from '../../domain/reconcile/reconciled-kinds.ts'
import type { Reconciler } from '../../domain/reconcile/reconciler.ts'
import { invalidRequest } from '../../platform/errors.ts'
import { parseTime } from '../../platform/time.ts'
import type { Handlers } from '../http/contract.ts'
import type { RECONCILE_READS, RECONCILE_RUNS } from './contract.ts'
import { runView } from './view.ts'

export interface RunOptions {
  /** Those of the current configuration. */
  readonly kinds: () => readonly ReconciledKinds[]
  /** null: no gateway runs that would ask the service. */
  readonly reconciler: Reconciler | null
}

export const SHOWING: Handlers<typeof RECONCILE_READS, RunOptions> = {
  showReconcile(_call, { kinds, reconciler }) {
    const run = reconciler?.current() ?? null
    const views = kinds().map(({ environment, ...names }) => ({ ...partsOf(environment), ...names }))
    return { json: { kinds: views, run: run && runView(run) } }
  },
}

export const STARTING: Handlers<typeof RECONCILE_RUNS, RunOptions & { readonly reconciler: Reconciler }> = {
  startReconcile({ body }, { kinds, reconciler }) {
    const { since, institution, environment, dryRun } = body
    const environments = wanted(kinds(), { institution, environment })
    const from = since === undefined ? null : parseTime(since)
    return { status: 202, json: runView(reconciler.start({ since: from, environments, isDryRun: dryRun })) }
  },
}

/** @throws PortariaError `request_invalid` where nothing of what is wanted is reconciled */
function wanted(kinds: readonly ReconciledKinds[], filter: RealmFilter): readonly Realm[] {
  if (filter.institution === undefined && filter.environment === undefined) return []
  const all = kinds.map(({ environment }) => environment)
  const found = all.filter((environment) => isInRealm(filter, environment))
  if (found.length > 0) return found
  const known = all.length === 0 ? 'no environment is' : `${all.join(', ')} ${all.length === 1 ? 'is' : 'are'}`
  const pointer = filter.environment === undefined ? '/institution' : '/environment'
  throw invalidRequest('the request is not valid', [{ pointer, words: `is not reconciled: ${known}` }])
}
