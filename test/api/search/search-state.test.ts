import { expect, it } from 'vitest'
import { anInterpretedCallback } from '../../support/builders.ts'
import { until } from '../../support/until.ts'
import { askJson, startApi } from '../api.ts'

const NOON = Date.UTC(2026, 0, 15, 12)

function state(api: Awaited<ReturnType<typeof startApi>>) {
  return askJson<Record<string, unknown>>(api, '/v1/search')
}

it('GET /v1/search tells how far the index is behind the events', async () => {
  const api = await startApi()
  const nothing = { indexedThrough: 0, latest: 0, lagEvents: 0, lagSeconds: 0 }
  const idle = { isRebuilding: false, rebuiltThrough: null, problem: null }
  expect(await state(api)).toEqual({ ...nothing, ...idle, indexBytes: 0 })
  for (const minutes of [10, 5])
    await api.store.storeCallback({
      ...anInterpretedCallback(`{"identificador":"id-${minutes}"}`),
      receivedAt: NOON - minutes * 60_000,
    })
  expect(await state(api)).toEqual({ ...nothing, ...idle, indexBytes: 0, latest: 2, lagEvents: 2, lagSeconds: 600 })
  api.searchIndex.start()
  const indexed = await until(
    () => state(api),
    ({ lagEvents }) => lagEvents === 0,
  )
  expect(indexed).toEqual({ ...nothing, ...idle, indexedThrough: 2, latest: 2, indexBytes: expect.any(Number) })
  expect(indexed.indexBytes).toBeGreaterThan(0)
})

it('POST /v1/search/reindex makes the index again in the background', async () => {
  const api = await startApi()
  await api.store.storeCallback(anInterpretedCallback('{"identificador":"id-1"}'))
  api.searchIndex.start()
  const isIndexed = ({ lagEvents }: Record<string, unknown>) => lagEvents === 0
  const { indexBytes } = await until(() => state(api), isIndexed)
  const started = await askJson(api, '/v1/search/reindex', { method: 'POST' })
  expect(started).toMatchObject({ indexedThrough: 1, latest: 1 })
  const again = await until(
    () => state(api),
    ({ isRebuilding }) => isRebuilding === false,
  )
  expect(again).toMatchObject({ indexedThrough: 1, lagEvents: 0, indexBytes, rebuiltThrough: null })
  expect(api.lines.map(({ event }) => event)).toContain('search.rebuild_started')
})
