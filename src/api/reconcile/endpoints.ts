import type { Reconciler } from '../../domain/reconcile/reconciler.ts'
import { served } from '../http/served.ts'
import { EXPECTATIONS, GAP_READS, RECONCILE_READS, RECONCILE_RUNS } from './contract.ts'
import { EXPECTING, type ExpectedOptions } from './expected.ts'
import { GAPS, type GapsOptions } from './gaps.ts'
import { type RunOptions, SHOWING, STARTING } from './runs.ts'

/** What the gateway hands over. */
export interface ReconcileOptions extends RunOptions, Pick<GapsOptions, 'realms' | 'takeUp'> {}

export function reconcileEndpoints(options: ReconcileOptions & ExpectedOptions & GapsOptions) {
  return {
    ...served(EXPECTATIONS, EXPECTING, options),
    ...gapReads(options),
    ...served(RECONCILE_READS, SHOWING, options),
  }
}

export function gapReads(options: GapsOptions) {
  return served(GAP_READS, GAPS, options)
}

/** Only where a gateway runs. */
export function reconcileRunEndpoints({ kinds }: RunOptions, reconciler: Reconciler) {
  return served(RECONCILE_RUNS, STARTING, { kinds, reconciler })
}
