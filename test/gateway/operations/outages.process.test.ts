import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { findingsAt } from '../../cli/checking.ts'
import { allEvents, callApi, callBack } from '../../support/calls.ts'
import { createSite, type SpawnedGateway, spawnGateway, type TestSite } from '../../support/gateway.ts'
import { scrape } from '../../support/metrics.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const HOUR = 3_600_000
const WINDOW = 'portaria_service_outage_window_seconds'

/** As if so much time had passed since the process ended. */
function passed(site: TestSite, ms: number): void {
  const db = new Database(join(site.folder, 'data/portaria.db'))
  db.prepare('update gateway_runs set seen_at = seen_at - :ms, ended_at = ended_at - :ms').run({ ms })
  db.close()
}

async function end({ process, exited }: SpawnedGateway, signal: NodeJS.Signals): Promise<void> {
  process.kill(signal)
  await exited
}

const outageEvents = async (gateway: SpawnedGateway) =>
  (await allEvents(gateway.api, '&kind=operator')).filter(({ subject }) => subject === 'service')

const shown = async (site: TestSite) =>
  (await findingsAt(site, { offline: true })).filter(({ code }) => code.startsWith('outage'))

it('after a crash it says what may be lost and until when the service sends again, with one event, delivered once', {
  timeout: 60_000,
}, async () => {
  const { url, received } = await startReceiver()
  const site = await createSite({ destinations: [{ name: 'books', url, kinds: ['operator'] }] })
  const first = await spawnGateway(site)
  expect([(await scrape(first))[WINDOW], await shown(site)]).toEqual([0, []])
  await end(first, 'SIGKILL')
  passed(site, 10 * HOUR)
  expect(await shown(site)).toMatchObject([{ level: 'problem', nextStep: 'start the gateway' }])

  const second = await spawnGateway(site)
  expect((await callBack({ ...second, site })).status).toBe(200)
  await until(() => received.length === 1)
  const { outages } = JSON.parse((await callApi(second.api, '/v1/overview')).body)
  expect(outages).toMatchObject([{ cause: 'down', windows: [{ retries: 'short' }] }])
  const [{ beganAt, endedAt, windows }] = outages
  expect(Date.parse(windows[0].lostThrough)).toBe(Date.parse(endedAt) - 325 * 60_000)
  expect(windows[0].lostFrom).toBe(beganAt)
  expect(JSON.parse(`${received[0]?.body}`)).toMatchObject({ type: 'service.outage', cause: 'down', beganAt, endedAt })
  expect(second.lines.filter(({ event }) => event === 'service.outage')).toMatchObject([{ level: 'warn', beganAt }])
  const left = (await scrape(second))[WINDOW] ?? 0
  expect([left > 325 * 60 - 120, left <= 325 * 60]).toEqual([true, true])
  expect(await shown(site)).toMatchObject([{ level: 'problem', found: expect.stringContaining('may be lost') }])

  await end(second, 'SIGTERM')
  const third = await spawnGateway(site)
  await callBack({ ...third, site }, { body: '{"n":2}' })
  expect([(await outageEvents(third)).length, received.length]).toEqual([1, 1])
  expect((await shown(site)).length).toBe(1)
})

it('a stop and a start within seconds is no outage', { timeout: 60_000 }, async () => {
  const site = await createSite()
  await end(await spawnGateway(site), 'SIGTERM')
  const gateway = await spawnGateway(site)
  expect([await outageEvents(gateway), await shown(site)]).toEqual([[], []])
})
