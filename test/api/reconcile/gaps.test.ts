import { expect, it } from 'vitest'
import type { Realm } from '../../../src/domain/realm.ts'
import type { GapsQuery } from '../../../src/domain/reconcile/gaps.ts'
import { asClient, askJson, startApi } from '../api.ts'

const REALMS: readonly Realm[] = ['production', 'sandbox', 'bank-a/production', 'bank-a/sandbox']

/** An API over a store that tells its queries; nothing is stored. */
async function withQueries() {
  const queries: GapsQuery[] = []
  const listGaps = async (query: GapsQuery) => {
    queries.push(query)
    return { data: [], openings: [] }
  }
  const taken: number[] = []
  const takeUp = async () => void taken.push(queries.length)
  return { api: await startApi({ store: { listGaps }, reconcile: { realms: REALMS, takeUp } }), queries, taken }
}

it.each([
  ['', { limit: 100 }],
  ['?since=2026-03-04&limit=7', { since: '2026-03-04', limit: 7 }],
  ['?since=2026-03-04T22:00:00-03:00', { since: '2026-03-05', limit: 100 }],
  ['?environment=sandbox', { environments: ['sandbox', 'bank-a/sandbox'], limit: 100 }],
  ['?institution=bank-a', { environments: ['bank-a/production', 'bank-a/sandbox'], limit: 100 }],
  ['?institution=bank-a&environment=production', { environments: ['bank-a/production'], limit: 100 }],
])('GET /v1/gaps%s takes up new events, and asks the store once', async (query, wanted) => {
  const { api, queries, taken } = await withQueries()
  expect(await askJson(api, `/v1/gaps${query}`)).toEqual({ data: [], openings: [] })
  expect([queries, taken]).toEqual([[wanted], [0]])
})

it('an unknown institution has no gaps', async () => {
  const { api, queries } = await withQueries()
  expect(await askJson(api, '/v1/gaps?institution=bank-z')).toEqual({ data: [], openings: [] })
  expect(queries).toEqual([])
})

it('a client sees its environment, of every institution', async () => {
  const { api, queries } = await withQueries()
  const { authorization } = await asClient(api, ['events.read'], { environment: 'sandbox' })
  await askJson(api, '/v1/gaps', { authorization })
  expect(queries).toEqual([{ environments: ['sandbox', 'bank-a/sandbox'], limit: 100 }])
})

it('shows what the store counts', async () => {
  const api = await startApi()
  const expected = { kind: 'registration', environment: 'sandbox', subject: 'opening-1', type: 'opening' } as const
  const at = Date.UTC(2026, 2, 4, 12)
  await api.store.expectSubjects([expected], at)
  await api.store.settleAnswer({
    ...{ kind: 'registration', environment: 'sandbox', asked: [{ type: 'opening', subject: 'opening-1' }] },
    ...{ at: at + 1, told: [], lack: 'undecided', schedule: { everyMs: 1000, giveUpAfterMs: 1000 } },
  })
  await api.store.noteSubjects({
    ...{ from: 0, through: 1, subjects: [] },
    events: [{ kind: 'payment', environment: 'production', day: '2026-03-04', received: 3, reconciled: 2 }],
  })
  await api.store.keepUnknown([{ kind: 'payment', environment: 'production', day: '2026-03-04', unknown: 1 }])
  expect(await askJson(api, '/v1/gaps')).toEqual({
    data: [
      {
        ...{ kind: 'payment', institution: null, environment: 'production', day: '2026-03-04' },
        ...{ received: 3, reconciled: 2, duplicates: 0, unknown: 1 },
        ...{ delay: null, settledBy: 'question to the service' },
      },
    ],
    openings: ['opening-1'],
  })
  expect(await askJson(api, '/v1/gaps?environment=production')).toMatchObject({ data: [{}], openings: [] })
  expect(await askJson(api, '/v1/gaps?since=2026-03-05')).toMatchObject({ data: [] })
})
