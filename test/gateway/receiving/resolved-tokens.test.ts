import { expect, it } from 'vitest'
import { callApi } from '../../support/calls.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { createResolvingSite, eventsOf } from './resolving-site.ts'

const sorted = (states: string[]) => [...new Set(states)]

it('a token becomes an event per entry, in their order, and the service takes it for delivered', async () => {
  const { start, sandbox, notificationUrl, running, statesOf } = await createResolvingSite()
  const gateway = await start()
  const receiver = await startReceiver()
  await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { url: receiver.url, name: 'books' } })
  const id = await sandbox.createCharge({ metadata: { notification_url: notificationUrl(gateway), custom_id: 'o 1' } })
  await until(async () => (await eventsOf(gateway)).length === 1)
  await sandbox.call('PUT', `/charge/${id}/cancel`)
  const events = await until(
    () => eventsOf(gateway),
    ({ length }) => length === 2,
  )
  expect(events.map(({ subject, status }) => [subject, status])).toEqual([
    [String(id), 'new'],
    [String(id), 'canceled'],
  ])
  const token: string = events[0]?.data.notification.token
  expect(events[0]?.data).toEqual({
    notification: {
      token,
      entries: [
        {
          ...{ id: 1, type: 'charge', custom_id: 'o 1', created_at: expect.any(String) },
          ...{ status: { current: 'new', previous: null }, identifiers: { charge_id: id } },
        },
      ],
    },
  })
  expect(events[0]).toMatchObject({
    source: 'resolved',
    unresolved: false,
    authentication: 'service',
    contentType: 'application/json',
    part: null,
  })
  await running.simulator.sites.sandbox.tasks.settled()
  expect(sorted(statesOf(token))).toEqual(['delivered'])

  const { headers, body } = await callApi(gateway.api, `/v1/events/${events[1]?.id}/original`)
  expect([body, headers['content-type']]).toEqual([`notification=${token}`, 'application/x-www-form-urlencoded'])
  const received = await until(
    () => receiver.received,
    ({ length }) => length === 2,
  )
  expect(received.map(({ body }) => JSON.parse(body.toString()).notification.entries.length)).toEqual([1, 1])
  expect(received[0]?.headers).toMatchObject({
    'portaria-authentication': 'service',
    'portaria-source': 'resolved',
    'content-type': 'application/json',
  })
})
