import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Store } from '../../src/domain/store.ts'
import { openStore } from '../../src/store/open-store.ts'
import { NOON } from '../support/builders.ts'
import { seededRandom } from '../support/crash-rounds.ts'
import { violationsOf } from '../support/invariants.ts'
import { indexAll, scan, searchAll } from '../support/search.ts'
import { temporaryDatabase } from '../support/store.ts'

const ROUNDS = 8
const QUERIES = [
  'ana',
  'anab',
  'lucia',
  'eva 7.10',
  '2026',
  '2026-11-13',
  'subject-7',
  'subject-12 eva',
  '0a',
  'nowhere',
]

interface Difference {
  readonly query: string
  /** Positions that the search found. */
  readonly found: string
  /** Positions that the scan found. */
  readonly expected: string
}

/** The searches that find something else than a scan of the events that are indexed. */
async function compare(
  store: Store,
  random: () => number,
): Promise<{ differences: readonly Difference[]; indexed: number }> {
  const { indexedThrough } = await store.readSearchState(NOON)
  const events = []
  for (let after = 0, more = true; more; ) {
    const page = await store.listEvents({ after }, 1000)
    events.push(...page.events)
    more = page.more
    after = page.next
  }
  const indexed = events.filter(({ position }) => position <= indexedThrough)
  const withData = indexed.filter(({ payloadRemovedAt }) => payloadRemovedAt === null)
  // Values of single events.
  const own = Array.from({ length: withData.length === 0 ? 0 : 8 }, () => {
    const event = withData[Math.floor(random() * withData.length)]
    return JSON.parse(Buffer.from(event?.body ?? []).toString()).own[3].slice(0, 12) as string
  })
  const numbers = Array.from({ length: 5 }, () => String(Math.floor(random() * 2000)).padStart(4, '7'))
  const positions = (all: readonly { position: number }[]) => all.map(({ position }) => position).join()
  const differences: Difference[] = []
  for (const query of [...QUERIES, ...numbers, ...own]) {
    const found = positions(await searchAll(store, query, { limit: 500 }))
    const expected = positions(scan(indexed, query))
    if (found !== expected) differences.push({ query, found, expected })
  }
  return { differences, indexed: indexed.length }
}

it('after a kill at any moment between indexing, merging and removing, a search finds what a scan finds', async () => {
  const seed = Date.now() % 100_000
  const random = seededRandom(seed)
  const file = temporaryDatabase()
  let indexed = 0
  for (let round = 0; round < ROUNDS; round++) {
    const child = fork(resolve('test/support/index-under-load.ts'), [file, String(seed + round)], { stdio: 'inherit' })
    const exited = once(child, 'exit')
    await Promise.race([once(child, 'message'), exited])
    await wait(200 + random() * 1500)
    child.kill('SIGKILL')
    expect((await exited)[1], `seed ${seed}, round ${round}`).toBe('SIGKILL')

    expect(violationsOf(file, { now: NOON, stuckAfterMs: 1e12 }), `seed ${seed}, round ${round}`).toEqual([])
    const store = await openStore({
      file,
      deduplicationWindowMs: 0,
      queue: { events: 1000, bytes: 1 << 24 },
      lockWaitMs: 5000,
    })
    try {
      for (const isComplete of [false, true]) {
        // Every other round leaves the work to the next process.
        if (isComplete && round % 2 === 0) break
        if (isComplete) await indexAll(store)
        const compared = await compare(store, random)
        expect(compared.differences, `seed ${seed}, round ${round}`).toEqual([])
        indexed = Math.max(indexed, compared.indexed)
      }
    } finally {
      await store.close()
    }
  }
  expect(indexed).toBeGreaterThan(100)
})
