import { setTimeout as wait } from 'node:timers/promises'
import type { Redacted, RedactionSearch } from '../../domain/retention.ts'
import type { Store } from '../../domain/store.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import type { View } from '../http/schema-parts.ts'
import type { redactionSchema } from './schema.ts'

export interface RedactionOptions {
  readonly store: Store
  readonly now: () => number
  /** Called after each transaction: claims of these deliveries must not be sent any more. */
  readonly onRedacted: (redacted: Redacted) => void
}

type RedactionView = View<typeof redactionSchema>

/** Events and quarantined facts in one transaction. Each event takes the writer some 2 ms, for the pages of the search index with its terms. */
const STEP = 10
const WAL_ATTEMPTS = 5
const WAL_WAIT_MS = 200

export async function countOf(
  store: Pick<StoreReader, 'findSubject'>,
  search: RedactionSearch,
): Promise<RedactionView> {
  const { positions, quarantineIds } = await store.findSubject(search, Number.MAX_SAFE_INTEGER)
  return { events: positions.length, quarantined: quarantineIds.length, canceled: null, logEmptied: null }
}

/** In steps, so that callbacks are stored in between. */
export async function redactAll(search: RedactionSearch, options: RedactionOptions): Promise<RedactionView> {
  const { store, now, onRedacted } = options
  const view = { events: 0, quarantined: 0, canceled: 0 }
  for (;;) {
    const { hasRepeats, ...found } = await store.findSubject(search, STEP)
    if (found.positions.length === 0 && found.quarantineIds.length === 0 && !hasRepeats) break
    const redacted = await store.redact({ ...search, ...found }, now())
    onRedacted(redacted)
    view.events += redacted.events
    view.quarantined += redacted.quarantined
    view.canceled += redacted.deliveryIds.length
  }
  return { ...view, logEmptied: await checkpointWal(store) }
}

/**
 * Whether the WAL holds nothing of the removed data any more; a long read can keep it from being emptied. null: the database is no file, and cleans up by
 * itself.
 */
async function checkpointWal({ checkpointWal: checkpoint }: Store): Promise<boolean | null> {
  if (checkpoint === undefined) return null
  for (let attempt = 1; !(await checkpoint()); attempt++) {
    if (attempt === WAL_ATTEMPTS) return false
    await wait(WAL_WAIT_MS)
  }
  return true
}
