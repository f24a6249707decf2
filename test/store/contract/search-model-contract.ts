import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { indexAll, scan, searchAll } from '../../support/search.ts'
import type { StoreUnderTest } from './store-contract.ts'

/** Few values, so that events share them; prefixes of each other; beyond ASCII, where UTF-16 and UTF-8 sort differently. */
const VALUES = [
  'half \ud801',
  `${'y'.repeat(63)}\u{10400}`,
  `${'y'.repeat(63)}\u{20000}`,
  'pix',
  'pixel',
  'pixels',
  'pixelado',
  'ana',
  'anabela',
  'açaí',
  '\uff5eab',
  '𐐷abcd',
  '2026-11-22',
  '150.10',
  '𐐷zz',
]
const QUERIES = [
  ...VALUES,
  'pixe',
  'pixel ana',
  'acai',
  '2026',
  'nowhere',
  'pixelado 150,10',
  'unique',
  'sub-3',
  'evt_1',
]

type Step =
  | { readonly store: readonly (readonly string[])[]; readonly kind: string }
  | { readonly index: number }
  | { readonly task: 'merge' | 'rebuild' | 'split' }
  | { readonly redact: number }
  | { readonly age: number; readonly part: 'payload' | 'metadata' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      store: fc.array(fc.subarray(VALUES), { maxLength: 12 }),
      kind: fc.constantFrom('payment', 'charge'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ index: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ task: fc.constantFrom('merge' as const, 'rebuild' as const, 'split' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ redact: fc.nat({ max: 20 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      age: fc.integer({ min: 1, max: 6 }),
      part: fc.constantFrom('payload' as const, 'metadata' as const),
    }),
  },
)

async function perform(store: Store, step: Step, state: { stored: number }): Promise<void> {
  if ('store' in step)
    for (const values of step.store) {
      const n = state.stored++
      const body = Buffer.from(
        JSON.stringify({ values, n: `unique${n}`, long: 'x'.repeat(64), more: n % 7 === 0 ? manyOf(n) : [] }),
      )
      const fact = aFact({ kind: step.kind, subject: `sub-${n % 5}` })
      await store.storeCallback(aCallback({ kind: step.kind, body, facts: [fact], receivedAt: NOON + n }))
    }
  else if ('index' in step) await indexSome(store, step.index)
  else if ('redact' in step) await redact(store, `sub-${step.redact % 5}`)
  else if ('age' in step) await age(store, step.part, step.age)
  else if (step.task === 'merge') await indexAll(store, ['merge'])
  else if (step.task === 'split') await split(store)
  else await store.rebuildSearch().then(() => indexSome(store, 3, 'rebuild'))
}

/** Enough terms that a run has several pages. */
function manyOf(n: number): string[] {
  return Array.from({ length: 120 }, (_, at) => `${(n * 7919 + at * 104_729) % 1_000_003}abcdefghijklmnopqrstuvwxyz`)
}

async function indexSome(store: Store, limit: number, task: 'index' | 'rebuild' = 'index'): Promise<void> {
  for (let n = 0; n < 3; n++) {
    await store.workOnSearch(task, { limit })
  }
}

async function redact(store: Store, subject: string): Promise<void> {
  const found = await store.findSubject({ subject, institution: null, environment: null }, 50)
  await store.redact({ subject, institution: null, environment: null, ...found }, NOON)
}

async function age(store: Store, part: 'payload' | 'metadata', count: number): Promise<void> {
  for (const kind of ['payment', 'charge']) {
    const found = await store.findRemovable({ part, kind, before: NOON * 2, after: null }, count)
    const callbackIds = found.callbacks.map(({ callbackId }) => callbackId)
    await store.removeAged({ part, before: NOON * 2, callbackIds }, NOON * 2)
  }
}

async function split(store: Store): Promise<void> {
  const { callbacks } = await store.findRemovable(
    { part: 'payload', kind: 'payment', before: NOON * 2, after: null },
    9,
  )
  const ids = callbacks.map(({ callbackId }) => callbackId)
  while ((await store.prepareRemoval(ids)) !== null);
}

async function expectSameAsScan(store: Store): Promise<void> {
  const kinds = ['payment', 'charge']
  const { indexedThrough } = await store.readSearchState(NOON)
  const { events } = await store.listEvents({ kinds }, 1000)
  const indexed = events.filter(({ position }) => position <= indexedThrough)
  const positionsOf = (found: readonly { position: number }[]) => found.map(({ position }) => position)
  for (const query of QUERIES) {
    const among = query.startsWith('evt_') ? events : indexed
    const found = positionsOf(await searchAll(store, query, { kinds, limit: 7 }))
    const expected = query.startsWith('evt_') ? events.filter(({ id }) => id.startsWith(query)) : scan(among, query)
    expect([query, found]).toEqual([query, positionsOf(expected).sort((a, b) => b - a)])
    const ofKind = { kinds: ['charge'], before: 20 }
    expect(positionsOf(await searchAll(store, query, ofKind))).toEqual(
      positionsOf(expected.filter(({ kind, position }) => kind === 'charge' && position < 20)).sort((a, b) => b - a),
    )
  }
}

/** Whatever is done to the index, a search finds what is there. */
export function describeSearchModel(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  it(`${name}: a search finds what a scan of the indexed events finds, whatever was merged, split, removed and made again`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const store = await createStoreUnderTest().open()
        const state = { stored: 0 }
        for (const one of steps) await perform(store, one, state)
        await expectSameAsScan(store)
        await indexAll(store)
        await expectSameAsScan(store)
        await store.close()
      }),
      { numRuns: 8 },
    )
  }, 60_000)
}
