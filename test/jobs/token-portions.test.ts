import { expect, it } from 'vitest'
import { type EntryIds, withEntries } from '../../src/domain/service/entry-ids.ts'
import type { WaitingToken } from '../../src/domain/service/notification-token.ts'
import { answeredOutcomes } from '../../src/jobs/resolving/token-query.ts'

const NOW = 1_000_000

function outcomes(ids: readonly number[], entries: EntryIds = { through: 0, beyond: [] }) {
  const token = {
    id: 7,
    environment: 'sandbox',
    token: 't',
    version: 1,
    waitingSince: 0,
    attempts: 0,
    nextAttemptAt: 0,
    lastError: null,
    isUnresolved: false,
    sender: null,
    entries,
  } satisfies WaitingToken
  const readEntry = ({ entryId }: { entryId: number }) => ({
    entryId,
    kind: 'charge',
    subject: null,
    status: null,
    body: new Uint8Array(),
    references: { charge: null, subscription: null },
  })
  const found = ids.map((entryId) => ({ entryId, bytes: new Uint8Array() }))
  return [...answeredOutcomes(token, { entries: found, earlier: 0, now: NOW, readEntry })].map(
    ({ entries: portion, nextAttemptAt, endsWithNewEntry }) => ({
      ids: portion.map(({ entryId }) => entryId),
      isDue: nextAttemptAt === NOW,
      endsWithNewEntry,
    }),
  )
}

const range = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index)

it.each([0, 1, 99, 100, 101, 250, 1000])('an answer of %i entries is stored in portions of 100, all of it', (count) => {
  const found = outcomes(range(count))
  expect(found.flatMap(({ ids }) => ids)).toEqual(range(count))
  expect(Math.max(...found.map(({ ids }) => ids.length))).toBeLessThanOrEqual(100)
  expect(found.map(({ isDue }) => isDue)).toEqual(found.map((_, index) => index < found.length - 1))
  expect(found.map(({ endsWithNewEntry }) => endsWithNewEntry)).toEqual(found.map(({ isDue }) => !isDue))
})

it('of a longer answer the first 1,000 new entries are stored, and the rest is asked for again until all of it is', () => {
  // Entries of before six months are missing, and there are gaps, so that no entry is the first behind `through`.
  const ids = range(5000, 300).filter((id) => id % 7 !== 0)
  let entries: EntryIds = { through: 0, beyond: [] }
  const stored: number[] = []
  for (let query = 0, isDue = true; isDue; query++) {
    const found = outcomes(ids, entries)
    const added = found.flatMap((one) => one.ids)
    expect(added.length).toBeLessThanOrEqual(1000)
    entries = withEntries(entries, added)
    stored.push(...added)
    isDue = found.at(-1)?.isDue === true
    expect(query).toBeLessThan(6)
  }
  expect(stored).toEqual(ids)
})
