/* A program that a campaign kills: it stores events, indexes, merges, rebuilds, redacts and removes at the same time, without end. */
import { createSearchIndexer } from '../../src/jobs/search-indexer.ts'
import { openStore } from '../../src/store/open-store.ts'
import { aCallback, aFact, NOON } from './builders.ts'
import { seededRandom } from './crash-rounds.ts'
import { SUBJECTS, searchedValues } from './searched-values.ts'

const [file, seed] = process.argv.slice(2) as [string, string]
const random = seededRandom(Number(seed))
const pick = (below: number) => Math.floor(random() * below)
const store = await openStore({ file, deduplicationWindowMs: 0, queue: { events: 10_000, bytes: 1 << 26 } })
const log = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const pace = {
  elapsed: () => 0,
  rest: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, 5))),
}
const index = createSearchIndexer({ store, kinds: [], now: Date.now, log, pace })
index.start()

async function storeSome(): Promise<void> {
  const from = await store.latestPosition()
  await Promise.all(
    Array.from({ length: 1 + pick(60) }, (_, at) => {
      const body = Buffer.from(JSON.stringify(searchedValues(from + at)))
      const facts = [aFact({ subject: `subject-${pick(SUBJECTS)}` })]
      return store.storeCallback(aCallback({ body, facts, receivedAt: NOON + from + at }))
    }),
  )
  index.wake()
}

async function redactOne(): Promise<void> {
  const search = { subject: `subject-${pick(SUBJECTS)}`, institution: null, environment: null }
  const found = await store.findSubject(search, 10)
  await store.redact({ ...search, ...found }, NOON)
  await store.checkpointWal?.()
}

async function removeSome(): Promise<void> {
  const part = random() < 0.5 ? 'payload' : 'metadata'
  const { callbacks } = await store.findRemovable({ part, kind: 'payment', before: NOON * 2, after: null }, 30)
  const callbackIds = callbacks.map(({ callbackId }) => callbackId)
  await store.prepareRemoval(callbackIds)
  await store.removeAged({ part, before: NOON * 2, callbackIds }, NOON * 2)
}

process.send?.('ready')
for (;;) {
  const choice = random()
  if (choice < 0.7) await storeSome()
  else if (choice < 0.85) await redactOne()
  else if (choice < 0.97) await removeSome()
  else await index.rebuild()
}
