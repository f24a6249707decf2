import type { DeliveryChoice, DeliveryFilter } from '../../domain/delivery.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { lookedUpHint } from '../http/filter-hint.ts'

/** For an empty list: words for a state that no delivery has; null: some have it, or the filter names none. */
export function deliveryHint(
  store: Pick<StoreReader, 'listDeliveries'>,
  { state }: DeliveryFilter,
): Promise<string | null> {
  const has = async (_: 'state', value: string) =>
    (await store.listDeliveries({ state: value as DeliveryChoice }, 1)).length > 0
  return lookedUpHint('delivery', { state }, has)
}
