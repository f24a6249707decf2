import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Address } from '../../../src/gateway/addresses.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { aCallback, aDestination } from '../../support/builders.ts'
import { callApi } from '../../support/calls.ts'
import { createSite, spawnGateway, type TestSite } from '../../support/gateway.ts'
import { violationsOf } from '../../support/invariants.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const EVENTS = 2600

interface Replay {
  readonly state: string
  readonly created: number
  readonly waiting: number
}

const databaseOf = (site: TestSite) => join(site.folder, 'data/portaria.db')
const openDatabase = (site: TestSite) =>
  openStore({ file: databaseOf(site), deduplicationWindowMs: 86_400_000, queue: { events: 10_000, bytes: 1 << 26 } })
const replayAt = async (api: Address) => JSON.parse((await callApi(api, '/v1/replays/rpl_1')).body) as Replay

/** A database with events that a destination of this URL never got. */
async function fill(site: TestSite, url: string): Promise<void> {
  const store = await openDatabase(site)
  for (let n = 0; n < EVENTS; n += 200)
    await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        store.storeCallback(aCallback({ text: `{"n":${n + i}}`, receivedAt: Date.now() })),
      ),
    )
  await store.createDestination(aDestination({ url, concurrency: 4 }), Date.now())
  await store.close()
}

it('a replay goes on after the gateway was killed in the middle of it, and creates nothing twice', {
  timeout: 60_000,
}, async () => {
  const site = await createSite()
  const receiver = await startReceiver()
  await fill(site, receiver.url)

  const killed = await spawnGateway(site)
  const asked = await callApi(killed.api, '/v1/replays', { method: 'POST', body: { destination: 'books' } })
  expect([asked.status, JSON.parse(asked.body)]).toMatchObject([202, { matched: EVENTS }])
  await until(() => receiver.received.length > 50)
  killed.process.kill('SIGKILL')
  await killed.exited

  const gateway = await spawnGateway(site)
  const replay = await until(
    () => replayAt(gateway.api),
    ({ state, waiting }) => state === 'done' && waiting === 0,
    40_000,
  )
  expect(replay.created).toBe(EVENTS)
  gateway.process.kill('SIGTERM')
  await gateway.exited

  expect(violationsOf(databaseOf(site), { now: Date.now(), stuckAfterMs: 10_000 })).toEqual([])
  const store = await openDatabase(site)
  const deliveries = await store.listDeliveries({}, 2 * EVENTS)
  await store.close()
  expect(deliveries.filter(({ state }) => state === 'delivered')).toHaveLength(EVENTS)
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids)).toEqual(new Set(deliveries.map((delivery) => delivery.eventId)))
  // Only what was under way, or not on record yet, went out again.
  expect(ids.length).toBeLessThan(2 * EVENTS)
})
