import type { QuarantineFilter } from '../../domain/quarantine.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { lookedUpHint } from '../http/filter-hint.ts'

/** For an empty list: words for the values of the filter that no quarantined fact has; null: each occurs. */
export function quarantineHint(
  store: Pick<StoreReader, 'listQuarantine'>,
  { kinds, institution, environment, state, reason }: QuarantineFilter,
): Promise<string | null> {
  const has = async (name: 'kind' | 'institution' | 'environment' | 'state' | 'reason', value: string) => {
    const filter = (name === 'kind' ? { kinds: [value] } : { [name]: value }) as QuarantineFilter
    return (await store.listQuarantine(filter, 1)).length > 0
  }
  return lookedUpHint('quarantined fact', { kind: kinds, institution, environment, state, reason }, has)
}
