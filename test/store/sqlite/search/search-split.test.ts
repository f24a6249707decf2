import { expect, it, onTestFinished } from 'vitest'
import { openForReading } from '../../../../src/store/sqlite/database/connection.ts'
import { inOnePart } from '../../../../src/store/sqlite/search/in-parts.ts'
import { prepareSearchSplit } from '../../../../src/store/sqlite/search/merge-runs.ts'
import { aCallback, aFact } from '../../../support/builders.ts'
import { indexAll } from '../../../support/search.ts'
import { openTestStore, temporaryDatabase } from '../../../support/store.ts'

/** A run is small with so many events: a split leaves no removed event in a larger one. */
const SMALL = 128

/** One run. @param isIndexed whether the nth event, which has a callback of its own, is in it */
async function openWithRun(isIndexed: (n: number) => boolean) {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await store.configureSearch({ secret: null })
  const kinds = Array.from({ length: 700 }, (_, n) => (isIndexed(n) ? 'payment' : 'secret'))
  const stored = await Promise.all(
    kinds.map((kind, n) => store.storeCallback(aCallback({ kind, text: `{"n":${n}}`, facts: [aFact({ kind })] }))),
  )
  await indexAll(store)
  const db = openForReading(file)
  onTestFinished(() => void db.close())
  return { store, db, callbackIds: stored.map(({ callbackId }) => callbackId as number) }
}

it.each<[string, (n: number) => boolean]>([
  ['all', () => true],
  ['every third', (n) => n % 3 === 0],
  ['few of the older', (n) => n > 500 || n % 5 === 0],
  ['few of the newer', (n) => n < 200 || n % 5 === 0],
  ['a gap in the middle', (n) => n < 250 || n > 500],
])(
  'a split leaves no event that retention removes in a large run: of the events, %s are in the index',
  async (_, isIndexed) => {
    const { store, db, callbackIds } = await openWithRun(isIndexed)
    for (let at = 0; at < callbackIds.length; at += 11) {
      const ids = callbackIds.slice(at, at + 3)
      const { runs } = inOnePart(prepareSearchSplit(db, ids)) ?? { runs: [] }
      const large = runs.filter(({ first, last, events }) => events > SMALL && last > at && first <= at + 3)
      expect(large.map(({ first, last }) => [at + 1, first, last])).toEqual([])
    }
    // Otherwise retention would make the same split again and again.
    for (const at of [0, 400, 690]) {
      const ids = callbackIds.slice(at)
      const change = await store.prepareSearchSplit(ids)
      if (change !== null) expect(await store.applySearchChange(change)).toBe(true)
      expect(await store.prepareSearchSplit(ids)).toBeNull()
    }
  },
)
