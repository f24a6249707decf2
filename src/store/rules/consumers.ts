import {
  type Acknowledgment,
  CONSUMER_LIMIT,
  CONSUMERS_PER_OWNER,
  type Consumer,
  currentLease,
} from '../../domain/consumer.ts'
import type { Cursor } from '../../domain/public-id.ts'

/** Consumers of one owner, and of all. */
export interface ConsumerCounts {
  readonly own: number
  readonly total: number
}

export function areTooManyConsumers({ own, total }: ConsumerCounts): boolean {
  return own >= CONSUMERS_PER_OWNER || total >= CONSUMER_LIMIT
}

/** Whether a range behind `after` may be leased to it. A consumer that was deleted meanwhile starts at position 0. */
export function mayLease(consumer: Consumer | null, after: number, now: number): boolean {
  if (consumer === null) return after === 0
  return consumer.position === after && currentLease(consumer, now) === null
}

/** The position that the consumer moves to, or why it does not. */
export function acknowledgedPosition(
  consumer: Consumer | null,
  { batchId, upTo, now }: { readonly batchId: string; readonly upTo: number | null; readonly now: number },
): number | Exclude<Acknowledgment, Consumer> {
  const batch = consumer && currentLease(consumer, now)
  if (consumer === null || batch?.id !== batchId) return 'not out'
  const position = upTo ?? batch.end
  return position < consumer.position || position > batch.end ? 'outside' : position
}

/** A removal between a 410 and the move to its cursor is a gap of its own. @param latest when the latest removal was announced */
export function gapsReportedBy({ gapsReportedAt }: Cursor, latest: number): number {
  return gapsReportedAt === 0 ? latest : Math.min(gapsReportedAt, latest)
}
