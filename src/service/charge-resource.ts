import type { ChargeType } from '../domain/reconcile/subjects.ts'
import type { ChargeResource } from '../domain/service/charge-route.ts'
import { membersOf } from './answer.ts'
import { garbage } from './call.ts'
import type { ServiceClient, ServiceRequest } from './client.ts'

/** What the record of a charge, a subscription or a carnet says about itself and its notifications. */
export interface ChargeRecord {
  readonly id: string
  readonly status: string | null
  readonly customId: string | null
  /** null: none is set. */
  readonly notificationUrl: string | null
  /** `data` of the answer. */
  readonly data: Readonly<Record<string, unknown>>
}

/** A change of metadata. */
export interface MetadataChange {
  readonly id: string
  readonly metadata: ChargeMetadata
  /** Limit of the call with its repetitions. Default: that of the client. */
  readonly callTimeoutMs?: number
}

/** The body of endpoints 3 and 12 of Document 2; what is left out stays. */
export interface ChargeMetadata {
  readonly notification_url?: string | null
  readonly custom_id?: string | null
}

/** Document 2, endpoint 10 of a subscription. @throws ServiceFailure `refused` with status 404 for a record that the account does not have */
export async function getChargeRecord(
  client: ServiceClient,
  resource: ChargeType,
  id: string,
  options: Pick<ServiceRequest, 'isRepeatable' | 'signal'> = {},
): Promise<ChargeRecord> {
  const path = `/v1/${resource}/${encodeURIComponent(id)}`
  const { status, json } = await client.request('charges', { method: 'GET', path, ...options })
  const data = membersOf(membersOf(json).data)
  if (String(data[`${resource}_id`]) !== id)
    throw garbage({ ...client, on: 'charges' }, status, `answered without the record of ${resource} ${id}`)
  const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    id,
    data,
    status: textOrNull(data.status),
    customId: textOrNull(data.custom_id),
    notificationUrl: textOrNull(data.notification_url),
  }
}

/**
 * Document 2, endpoints 3 and 12; that of a subscription applies to all its charges. Repeated after transport errors, because the same metadata again
 * changes nothing.
 */
export async function putChargeMetadata(
  client: ServiceClient,
  resource: ChargeResource,
  { id, metadata, callTimeoutMs }: MetadataChange,
): Promise<void> {
  const path = `/v1/${resource}/${encodeURIComponent(id)}/metadata`
  const { status, json } = await client.request('charges', {
    method: 'PUT',
    path,
    json: metadata,
    ...(callTimeoutMs !== undefined && { callTimeoutMs }),
  })
  if (membersOf(json).code !== 200)
    throw garbage({ ...client, on: 'charges' }, status, `answered the metadata of ${resource} ${id} without code 200`)
}
