import { type Consumer, currentLease } from '../../domain/consumer.ts'
import { cursorAfter } from '../../domain/public-id.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { consumerSchema } from './schema.ts'

/** @param latest position of the newest event, for the consumer's lag */
export function consumerView(consumer: Consumer, latest: number, now: number): View<typeof consumerSchema> {
  return {
    name: consumer.name,
    owner: consumer.owner,
    position: cursorAfter(consumer.position),
    behind: Math.max(0, latest - consumer.position),
    batchExpiresAt: isoOrNull(currentLease(consumer, now)?.expiresAt ?? null),
    createdAt: iso(consumer.createdAt),
    acknowledgedAt: isoOrNull(consumer.acknowledgedAt),
  }
}
