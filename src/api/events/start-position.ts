import type { Cursor } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { invalidRequest } from '../../platform/errors.ts'

/**
 * The position after which a reader starts; left out: the beginning.
 * @throws PortariaError `request_invalid` for a cursor that this database never gave: it would skip events still to come
 */
export async function startPosition(
  store: Pick<StoreReader, 'latestPosition'>,
  start: Cursor | 'latest' | undefined,
): Promise<number> {
  if (start === undefined) return 0
  const latest = await store.latestPosition()
  if (start === 'latest') return latest
  if (start.position > latest) throw invalidRequest('the query is wrong', [{ parameter: 'after', words: AHEAD }])
  return start.position
}

const AHEAD =
  'is after all events, so the cursor comes from another database: start without after and deduplicate by id, or start with after=latest'
