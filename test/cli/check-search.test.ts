import { expect, it } from 'vitest'
import { searchFinding } from '../../src/cli/check/storage.ts'

const CAUGHT_UP = {
  indexedThrough: 90,
  latest: 90,
  lagEvents: 0,
  lagSeconds: 0,
  indexBytes: 4096,
  isRebuilding: false,
  rebuiltThrough: null,
  problem: null,
}
const BEHIND = { ...CAUGHT_UP, indexedThrough: 40, lagEvents: 50 }

it('a search index that lacks events for more than a minute is a warning, as on the overview, with the reason if there is one', () => {
  const rebuilding = { ...BEHIND, lagSeconds: 1200, isRebuilding: true }
  expect([CAUGHT_UP, { ...BEHIND, lagSeconds: 60 }, rebuilding].map(searchFinding)).toEqual([null, null, null])
  const found = '50 events cannot be found yet, the oldest of them for 20 min'
  const warning = { area: 'storage', code: 'search_behind', level: 'warning', what: 'search index' }
  expect(searchFinding({ ...BEHIND, lagSeconds: 1200 })).toMatchObject({ ...warning, found })
  expect(searchFinding({ ...BEHIND, lagSeconds: 1200, problem: 'no disk space for the search index' })).toMatchObject({
    ...warning,
    found: `${found}: no disk space for the search index`,
    nextStep: expect.stringContaining('remove the cause'),
  })
})
