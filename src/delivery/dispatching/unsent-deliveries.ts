import type { Destination } from '../../domain/destination.ts'
import type { RetryPolicy } from '../../domain/retry-schedule.ts'
import type { Store } from '../../domain/store.ts'
import type { Log } from '../../platform/log.ts'

export interface UnsentDeliveriesOptions {
  readonly store: Pick<Store, 'cancelDeliveries' | 'exhaustDeliveries'>
  readonly policy: Pick<RetryPolicy, 'maxAgeMs'>
  readonly now: () => number
  readonly log: Log
}

/** In one transaction. */
const BATCH = 2000

/** Cancels the pending deliveries of a removed destination. */
export async function cancelAll({ id, name, state }: Destination, options: UnsentDeliveriesOptions): Promise<void> {
  const { store, now, log } = options
  let canceled = 0
  for (let count = BATCH; count === BATCH; canceled += count) {
    count = await store.cancelDeliveries(id, BATCH, now())
  }
  if (canceled > 0) log.warn({ destination: name, state, canceled }, 'deliveries.canceled')
}

/** Exhausts the deliveries of a destination that are too old. @returns how many */
export async function exhaustOld({ id, name }: Destination, options: UnsentDeliveriesOptions): Promise<number> {
  const { store, policy, now, log } = options
  let exhausted = 0
  let holding = 0
  for (let count = BATCH; count === BATCH; exhausted += count) {
    const batch = await store.exhaustDeliveries(id, now() - policy.maxAgeMs, BATCH, now())
    count = batch.count
    holding += batch.holding
  }
  const holdsItsSubject = holding > 0 && { holdsItsSubject: true }
  if (exhausted > 0)
    log.error(
      { destination: name, exhausted, reason: 'older than forwarding.maxAge', ...holdsItsSubject },
      'deliveries.exhausted',
    )
  return exhausted
}
