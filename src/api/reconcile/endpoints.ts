import type { Reconciler } from '../../domain/reconcile/reconciler.ts'
import { type ExpectedOptions, expectSubject, expectSubjects } from './expected.ts'
import { type GapsOptions, listGaps } from './gaps.ts'
import { type RunOptions, showReconcile, startReconcile } from './runs.ts'

/** What the gateway hands over. */
export interface ReconcileOptions extends RunOptions, Pick<GapsOptions, 'realms' | 'takeUp'> {}

export type ReconcileEndpointsOptions = ReconcileOptions & ExpectedOptions & GapsOptions

export function reconcileEndpoints(options: ReconcileEndpointsOptions) {
  return {
    expectSubject: expectSubject(options),
    expectSubjects: expectSubjects(options),
    listGaps: listGaps(options),
    showReconcile: showReconcile(options),
  }
}

/** Only where a gateway runs. */
export function reconcileRunEndpoints(options: RunOptions, reconciler: Reconciler) {
  return { startReconcile: startReconcile(options, reconciler) }
}
