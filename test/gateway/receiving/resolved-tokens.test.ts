import { expect, it } from 'vitest'
import { callApi, callBack } from '../../support/calls.ts'
import { scrape } from '../../support/metrics.ts'
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
          id: 1,
          type: 'charge',
          custom_id: 'o 1',
          created_at: expect.any(String),
          status: { current: 'new', previous: null },
          identifiers: { charge_id: id },
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

it('without resolving, tokens are forwarded as they came and come again; a reload turns it on, and they stop', async () => {
  const { start, configure, sandbox, notificationUrl, running, statesOf } = await createResolvingSite()
  const gateway = await start({ resolveTokens: false })
  await sandbox.createCharge({ metadata: { notification_url: notificationUrl(gateway) } })
  const [first] = await until(
    () => eventsOf(gateway),
    // The second try comes at once.
    ({ length }) => length >= 1,
  )
  const token = first?.subject as string
  const asItCame = {
    subject: token,
    status: null,
    source: 'callback',
    unresolved: false,
    data: `notification=${token}`,
  }
  expect(first).toMatchObject(asItCame)
  await sandbox.advance('1m')
  expect(await eventsOf(gateway)).toMatchObject([asItCame, asItCame])
  expect(statesOf(token)).toEqual(['pending'])

  await gateway.reload(await configure({ resolveTokens: true }))
  await sandbox.advance('5m')
  await until(async () => (await eventsOf(gateway)).length === 3)
  expect((await eventsOf(gateway))[2]).toMatchObject({ status: 'new', source: 'resolved' })
  expect(statesOf(token)).toEqual(['delivered'])
  const attempts = () => running.simulator.sites.sandbox.webhooks.callbacks.list().flatMap((one) => one.attempts).length
  const before = attempts()
  await sandbox.advance('5h')
  expect(attempts()).toBe(before)

  await gateway.reload(await configure(null))
  const answer = { method: 'POST', headers: FORM, environment: 'sandbox', body: `notification=${token}` } as const
  expect((await callBack(gateway, { ...answer, path: '/callbacks/charge' })).status).toBe(200)
  expect((await eventsOf(gateway))[3]).toMatchObject(asItCame)
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

it('a token over mutual TLS is resolved too, after a restart, and wakes a long poll', async () => {
  const { start, sandbox, running } = await createResolvingSite()
  const id = await sandbox.createCharge()
  const { token = '' } = running.simulator.sites.sandbox.collection<{ token: string }>('notifications').list()[0] ?? {}
  await running.control('POST', '/faults', {
    on: 'api',
    fault: 'timeout',
    path: '/notification/',
    interface: 'charges',
  })
  const first = await start()
  const callback = { path: '/callbacks/charge', environment: 'sandbox', headers: FORM } as const
  for (let times = 0; times < 2; times++)
    expect((await callBack(first, { ...callback, body: `notification=${token}` })).status).toBe(200)
  expect(await eventsOf(first)).toEqual([])
  // Its query is the one that gets no answer; left for the next gateway, the fault would hold that one up.
  await until(async () => (await running.control('GET', '/faults')).json.faults[0].isUsedUp)
  await first.stop()

  const second = await start()
  const { body } = await callApi(second.api, '/v1/events?wait=30')
  expect(JSON.parse(body).data).toMatchObject([{ subject: String(id), status: 'new', source: 'resolved' }])
  const { body: shown } = await callApi(second.api, `/v1/events/${JSON.parse(body).data[0].id}`)
  expect(JSON.parse(shown)).toMatchObject({
    authentication: 'service',
    evidence: { authentication: 'mutual-tls', bytes: `notification=${token}`.length, peer: expect.anything() },
  })
  const labels = 'kind="charge",environment="sandbox"'
  const samples = await scrape(second)
  expect(samples[`portaria_facts_total{${labels},result="event"}`]).toBe(1)
})
