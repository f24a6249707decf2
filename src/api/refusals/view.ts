import { numberedId, parseNumberedId } from '../../domain/public-id.ts'
import { partsOrNull } from '../../domain/realm.ts'
import type { RefusalRecord } from '../../domain/refusal.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { refusalSchema } from './schema.ts'

/** @throws PortariaError `not_found` */
export async function findRefusal(store: StoreReader, id: string): Promise<RefusalRecord> {
  const number = parseNumberedId('rfs', id)
  const refusal = number === null ? null : await store.getRefusal(number)
  if (refusal === null) throw new PortariaError('not_found', say`there is no refusal ${{ id: id.slice(0, 64) }}`)
  return refusal
}

export function refusalView({
  id,
  refusedAt,
  environment,
  isProbe,
  chain,
  ...refusal
}: RefusalRecord): View<typeof refusalSchema> {
  return {
    id: numberedId('rfs', id),
    refusedAt: iso(refusedAt),
    ...refusal,
    ...partsOrNull(environment),
    probe: isProbe,
    chain: chain.map(({ notBefore, notAfter, ...offered }) => ({
      ...offered,
      notBefore: isoOrNull(notBefore),
      notAfter: isoOrNull(notAfter),
    })),
  }
}
