import { expect, it } from 'vitest'
import { plainReceiver } from '../notifications/plain-receiver.ts'
import { simulatorForFile } from '../running.ts'
import { chargeClient } from './charge-client.ts'

const running = simulatorForFile()

const sandbox = chargeClient(running, 'sandbox')
const settled = () => running().simulator.sites.sandbox.tasks.settled()

it('many charges are created at once, each with a token of its own and entries in order', {
  timeout: 240_000,
}, async () => {
  await sandbox.setTime('2026-03-02T15:00:00Z')
  const [, { clientId } = { clientId: '' }] = running().simulator.sites.sandbox.applications.list()
  await sandbox.control('PUT', `/applications/${clientId}/notifications`, { form: 'token' })
  const { received, urlOf } = await plainReceiver()
  const many = { count: 600, clientId, notificationUrl: urlOf('n'), value: 150, payment: 'credit_card' }
  const { status, json } = await sandbox.control('POST', '/charges', many)
  expect([status, json.count, new Set(json.charges).size]).toEqual([201, 600, 600])
  await sandbox.advance('5s')
  await settled()
  const tokens = [...new Set(received.map(({ body }) => new URLSearchParams(body).get('notification')))]
  expect([received.length, tokens.length]).toEqual([1800, 600])
  const token = await running().tokenOf('charges', { account: 1 })
  const { json: last } = await running().ask('charges', { path: `/v1/notification/${tokens[599]}`, token })
  expect(last.data).toMatchObject([
    { id: 1, status: { current: 'new' } },
    { id: 2, status: { current: 'waiting' } },
    { id: 3, status: { current: 'paid' }, value: 150 },
  ])
})

it('without members one charge of the first application is created; a wrong application is 404', async () => {
  const { json } = await sandbox.control('POST', '/charges', {})
  const charge = await sandbox.show(json.charges[0])
  expect(charge).toMatchObject({ status: 'new', total: 10_000, notification_url: null, custom_id: '1' })
  expect((await sandbox.control('POST', '/charges', { clientId: 'none' })).status).toBe(404)
  expect((await sandbox.control('POST', '/charges', { count: 100_001 })).status).toBe(400)
})
