import { type ChargeRecord, getRecord, type MetadataChange, putMetadata } from './charge-resource.ts'
import type { ServiceClient } from './client.ts'

/** `GET /v1/charge/:id`. @throws ServiceFailure `refused` with status 404 for a charge that the account does not have */
export function getCharge(client: ServiceClient, id: string, signal?: AbortSignal): Promise<ChargeRecord> {
  return getRecord(client, { resource: 'charge', id, signal })
}

/** Document 2, endpoint 3. Repeated after transport errors, because the same metadata again changes nothing. */
export function putChargeMetadata(client: ServiceClient, change: MetadataChange, signal?: AbortSignal): Promise<void> {
  return putMetadata(client, { ...change, resource: 'charge', signal })
}
