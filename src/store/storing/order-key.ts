import type { DeliveryOrder } from '../../domain/destination.ts'
import type { Realm } from '../../domain/realm.ts'
import { subjectHash } from './subject-hash.ts'

/** Hash of environment and subject; null: the destination has no order, or the event no subject. */
export function orderKeyOf(
  { order }: { readonly order: DeliveryOrder },
  { environment, subject }: { readonly environment: Realm; readonly subject: string | null },
): number | null {
  return order === 'subject' && subject !== null ? subjectHash(`${environment} ${subject}`) : null
}
