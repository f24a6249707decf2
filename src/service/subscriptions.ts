import { type ChargeRecord, getRecord, type MetadataChange, putMetadata } from './charge-resource.ts'
import type { ServiceClient } from './client.ts'

/** Document 2, endpoint 10. @throws ServiceFailure `refused` with status 404 for a subscription that the account does not have */
export function getSubscription(client: ServiceClient, id: string, signal?: AbortSignal): Promise<ChargeRecord> {
  return getRecord(client, { resource: 'subscription', id, signal })
}

/** Document 2, endpoint 12: the change applies to all transactions of the subscription. */
export function putSubscriptionMetadata(
  client: ServiceClient,
  change: MetadataChange,
  signal?: AbortSignal,
): Promise<void> {
  return putMetadata(client, { ...change, resource: 'subscription', signal })
}
