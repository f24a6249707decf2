import { onTestFinished } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import type { StoreOptions } from '../../../src/store/open-store.ts'
import { expectCountedSums, openTestStore, storeOptions, temporaryDatabase } from '../../support/store.ts'
import { KINDS } from './reading-contract.ts'
import type { StoreUnderTest } from './store-contract.ts'

/** A year: callbacks of the contracts are received at a fixed time, and all of them are in the window. */
const YEAR = 365 * 86_400_000

export function optionsFor(changes: Partial<StoreOptions> = {}): StoreOptions {
  return storeOptions({
    deduplicationWindowMs: YEAR,
    kinds: KINDS,
    queue: { events: 1000, bytes: 1 << 24 },
    ...changes,
  })
}

/** Runs contracts against SQLite. They are spread over several files, which run beside each other. */
export function runOnSqlite(contracts: readonly ((name: string, create: () => StoreUnderTest) => void)[]): void {
  for (const describeContract of contracts) {
    describeContract('SQLite', () => {
      const file = temporaryDatabase()
      const open = async () => withCheckedSums(await openTestStore(optionsFor({ file })), file)
      return { open, reopen: open }
    })
  }
}

/** Closed at the end of the test, if the test has not closed it: then the sums that the writer keeps are what the database counts. */
function withCheckedSums(store: Store, file: string): Store {
  let closing: Promise<void> | undefined
  async function checkAndClose() {
    await expectCountedSums(store, file)
    await store.close()
  }
  const close = () => (closing ??= checkAndClose())
  onTestFinished(close)
  return { ...store, close }
}
