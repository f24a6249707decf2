import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { chargeClient } from '../../../simulator/test/charges/charge-client.ts'
import { callBack } from '../../support/calls.ts'
import type { TestGateway, TestSite } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { createReconcileSite, eventsOf, expectSubject, type Json, reconcile } from './reconcile-site.ts'

/** As if the gateway had stopped an hour earlier. */
function moveLastRun({ folder }: TestSite): void {
  const db = new Database(join(folder, 'data/portaria.db'))
  db.prepare('update gateway_runs set seen_at = seen_at - :ms, ended_at = ended_at - :ms').run({ ms: 3_600_000 })
  db.close()
}

const subjectsOf = async (gateway: TestGateway, query: string) =>
  (await eventsOf(gateway, query)).map(({ subject }: Json) => subject)

it('behind an outage everything open is asked for at once, whenever it is due', async () => {
  const { running, site, start, pay } = await createReconcileSite()
  const id = await pay()
  const before = await start()
  await expectSubject(before, 'payment', id)
  expect(await reconcile(before)).toMatchObject({ found: 1 })
  await before.stop()
  await running.control('POST', `/payments/${id}/settle`)

  // A restart is no outage: the next question is an hour away.
  const restarted = await start()
  expect(await eventsOf(restarted, 'kind=payment')).toHaveLength(1)
  await restarted.stop()
  moveLastRun(site)
  const after = await start()
  const [, settled] = await until(
    () => eventsOf(after, 'kind=payment'),
    (events) => events.length > 1,
  )
  expect(settled).toMatchObject({ subject: id, status: 'LIQUIDADO', source: 'reconciled' })
  const db = new Database(join(site.folder, 'data/portaria.db'), { readonly: true })
  const isAsked = () => db.prepare('select count(*) from outages where reconciled_at is not null').pluck().get() === 1
  await until(isAsked)
  db.close()
})

it('an expected id that stays silent is reported once, one with an event is not', async () => {
  const { start, pay } = await createReconcileSite()
  const [heard, silent] = [await pay(), '999']
  const gateway = await start({ silentAfter: '1s' })
  await expectSubject(gateway, 'payment', heard)
  await reconcile(gateway)
  await expectSubject(gateway, 'payment', silent)
  // Each run ends with a look at what is silent.
  const told = async () => {
    await reconcile(gateway)
    return subjectsOf(gateway, 'kind=operator&status=silent')
  }
  expect(await until(told, (subjects) => subjects.length > 0)).toEqual([silent])
  expect(await told()).toEqual([silent])
})

it('a charge is read by the token of its callbacks, whose entries tell the steps between', async () => {
  const { running, start } = await createReconcileSite()
  const client = chargeClient(() => running, 'sandbox')
  const charge = await client.createCharge()
  const site = running.simulator.sites.sandbox
  const { notificationToken: token } = site.collection<Json>('charges').get(charge) as Json
  const gateway = await start()
  const entry = { charge_id: charge, custom_id: null, status: 'new', created_at: '2026-03-02 12:00:00' }
  const body = JSON.stringify({ notification: { token, entries: [entry] } })
  const path = '/callbacks/charge'
  expect((await callBack(gateway, { path, body, environment: 'sandbox' })).status).toBe(200)
  await client.payByBillet(charge)
  await client.call('PUT', `/charge/${charge}/cancel`)

  expect(await reconcile(gateway)).toMatchObject({ failed: 0, unknown: 0 })
  const events = await eventsOf(gateway, `kind=charge&subject=${charge}`)
  const entries: Json[] = (await client.call('GET', `/notification/${token}`)).json.data
  expect(entries.length).toBeGreaterThan(2)
  expect(events.map(({ status }: Json) => status)).toEqual(entries.map((one) => one.status.current))
  expect(events.map(({ source }: Json) => source)).toEqual(
    entries.map((_, at) => (at === 0 ? 'callback' : 'reconciled')),
  )
  expect(events.at(-1).data.notification.token).toBe(token)
})
