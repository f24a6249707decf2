import { expect, it } from 'vitest'
import { aCallback, aDestination, NOON } from '../../support/builders.ts'
import { ask, askJson, startApi } from '../api.ts'

interface Waiting {
  readonly state: string
  readonly waitsFor: string | null
  readonly nextProbeAt: string | null
}

const PROBE_AT = NOON + 30_000

/** Deliveries 1 and 2 of one subject to `books`, in order. */
async function withTwo() {
  const api = await startApi({ nextProbeOf: (id) => (id === 1 ? PROBE_AT : null) })
  await api.store.createDestination(aDestination({ name: 'books', order: 'subject' }), NOON)
  for (const text of ['{"n":1}', '{"n":2}']) await api.store.storeCallback(aCallback({ text }))
  const { data } = await askJson<{ data: { id: string }[] }>(api, '/v1/events')
  const event = `/v1/events/${data[0]?.id}`
  const waits = async () => {
    const listed = await askJson<{ data: Waiting[] }>(api, '/v1/deliveries')
    const shown = await askJson<{ deliveries: Waiting[] }>(api, event)
    const tried = await askJson<{ data: Waiting[] }>(api, `${event}/deliveries`)
    expect([shown.deliveries, tried.data.map(({ waitsFor, nextProbeAt }) => ({ waitsFor, nextProbeAt }))]).toEqual([
      [expect.objectContaining({ waitsFor: listed.data[0]?.waitsFor, nextProbeAt: listed.data[0]?.nextProbeAt })],
      [{ waitsFor: listed.data[0]?.waitsFor, nextProbeAt: listed.data[0]?.nextProbeAt }],
    ])
    return listed.data.map(({ state, waitsFor, nextProbeAt }) => [state, waitsFor, nextProbeAt])
  }
  return { api, waits }
}

it('a delivery says what it waits for: its subject, its paused destination, or the next probe of an open circuit', async () => {
  const { api, waits } = await withTwo()
  const behind = ['blocked', 'subject', null]
  expect(await waits()).toEqual([['pending', null, null], behind])
  await api.store.setCircuit(1, NOON)
  expect(await waits()).toEqual([['pending', 'circuit', '2026-01-15T12:00:30.000Z'], behind])
  expect(await askJson(api, '/v1/destinations/books/stats')).toMatchObject({
    nextProbeAt: '2026-01-15T12:00:30.000Z',
  })
  await api.store.pauseDestination(1, 'maintenance')
  expect(await waits()).toEqual([['pending', 'resume', null], behind])
})

it('a delivery that has ended waits for nothing, however its destination is', async () => {
  const { api, waits } = await withTwo()
  await api.store.setCircuit(1, NOON)
  expect((await ask(api, '/v1/deliveries/dlv_1/skip', { method: 'POST' })).status).toBe(200)
  expect((await waits())[0]).toEqual(['canceled', null, null])
})
