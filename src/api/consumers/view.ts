import type { EventLag } from '../../domain/consumer.ts'
import { type Consumer, currentLease } from '../../domain/consumer.ts'
import { cursorAfter } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { batchSchema } from './batch-contract.ts'
import type { NoBatch } from './batches.ts'
import type { ConsumerView } from './contract.ts'

/** Consumers with their lags. */
export async function consumerViews(
  store: Pick<StoreReader, 'listLags'>,
  consumers: readonly Consumer[],
  now: number,
): Promise<ConsumerView[]> {
  const lags = await store.listLags(consumers.map(({ position }) => position))
  return consumers.map((consumer, index) => viewOf(consumer, lags[index], now))
}

export async function consumerView(
  store: Pick<StoreReader, 'listLags'>,
  consumer: Consumer,
  now: number,
): Promise<ConsumerView> {
  const [lag] = await store.listLags([consumer.position])
  return viewOf(consumer, lag, now)
}

function viewOf(consumer: Consumer, lag: EventLag | undefined, now: number): ConsumerView {
  return {
    name: consumer.name,
    owner: consumer.owner,
    position: cursorAfter(consumer.position),
    behind: lag?.events ?? 0,
    behindSince: isoOrNull(lag?.oldestAt ?? null),
    leased: leaseView(currentLease(consumer, now)?.expiresAt ?? null),
    createdAt: iso(consumer.createdAt),
    acknowledgedAt: isoOrNull(consumer.acknowledgedAt),
  }
}

export function noBatchView({ leasedUntil }: NoBatch, hint: string | null): View<typeof batchSchema> {
  const leased = leaseView(leasedUntil)
  return { batch: null, data: [], expiresAt: null, ...(leased !== null && { leased }), ...(hint !== null && { hint }) }
}

function leaseView(until: number | null): { readonly until: string } | null {
  return until === null ? null : { until: iso(until) }
}
