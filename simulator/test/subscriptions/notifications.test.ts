import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { plainReceiver } from '../notifications/plain-receiver.ts'
import { simulatorForFile } from '../running.ts'
import { subscriptionClient } from './subscription-client.ts'

const running = simulatorForFile({ webhooks: { retryMinutes: 'short' } })
beforeEach(() => sandbox.setTime('2026-03-02T15:00:00Z'))

const sandbox = subscriptionClient(running, 'sandbox')
const settled = () => running().simulator.sites.sandbox.tasks.settled()
const withUrl = (notification_url: string) =>
  sandbox.createSubscription({ metadata: { notification_url, custom_id: 'a' } })
const entriesOf = async (token: string) => (await sandbox.call('GET', `/notification/${token}`)).json.data

describe('notifications of a subscription', () => {
  it('as JSON name the subscription and its charges, with one token for its whole life', async () => {
    const { urlOf, received } = await plainReceiver()
    const id = await withUrl(urlOf('n'))
    const [charge] = await sandbox.chargesOf(id)
    await settled()
    await sandbox.payByCard(id)
    await sandbox.advance('5s')
    await sandbox.call('PUT', `/subscription/${id}/cancel`)
    await settled()
    const told = received.map(({ body }) => JSON.parse(body).notification)
    expect(new Set(told.map(({ token }) => token)).size).toBe(1)
    const both = { charge_id: charge, subscription_id: id, custom_id: 'a', created_at: '2026-03-02 12:00:00' }
    const { charge_id, ...own } = both
    const later = { created_at: '2026-03-02 12:00:05' }
    const entries = [
      ...[
        { ...own, status: 'new' },
        { ...both, status: 'new' },
        { ...own, status: 'active' },
      ],
      { ...both, status: 'waiting' },
      { ...both, ...later, status: 'paid', received_by_bank_at: '2026-03-02' },
      { ...own, ...later, status: 'canceled' },
    ]
    const sent = told.map((notification) => notification.entries)
    expect(sent).toHaveLength(entries.length)
    expect(sent).toEqual(expect.arrayContaining(entries.map((entry) => [entry])))
  })

  it('as a token are resolved to entries of the subscription and of its charges, in their order', async () => {
    const [{ clientId } = { clientId: '' }] = running().simulator.sites.sandbox.applications.list()
    await sandbox.control('PUT', `/applications/${clientId}/notifications`, { form: 'token' })
    onTestFinished(async () => {
      await sandbox.control('PUT', `/applications/${clientId}/notifications`, { form: 'json' })
    })
    const { urlOf, received } = await plainReceiver()
    const id = await withUrl(urlOf('n'))
    await sandbox.payByCard(id)
    await sandbox.setTime('2026-04-03T15:00:00Z')
    const [first, second] = await sandbox.chargesOf(id)
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
    const entries = await entriesOf(new URLSearchParams(received[0]?.body).get('notification') ?? '')
    const told = entries.map(
      (entry: { id: number; type: string; identifiers: object; status: { current: string; previous: string } }) => [
        ...[entry.id, entry.type, entry.identifiers, entry.status.previous, entry.status.current],
      ],
    )
    const [own, charge] = ['subscription', 'subscription_charge']
    const of = (charge_id?: number) => ({ charge_id, subscription_id: id })
    expect(told).toEqual([
      [1, own, { subscription_id: id }, null, 'new'],
      [2, charge, of(first), null, 'new'],
      [3, own, { subscription_id: id }, 'new', 'active'],
      [4, charge, of(first), 'new', 'waiting'],
      [5, charge, of(first), 'waiting', 'paid'],
      [6, charge, of(second), null, 'new'],
      [7, charge, of(second), 'new', 'waiting'],
      [8, charge, of(second), 'waiting', 'paid'],
    ])
    expect(entries[4]).toMatchObject({ value: 10_000, received_by_bank_at: '2026-03-02', custom_id: 'a' })
  })

  it('go to the new address of the subscription, those of earlier charges and those that wait included', async () => {
    const { urlOf, received } = await plainReceiver(({ path }) => (path === '/old' ? 500 : 200))
    const id = await withUrl(urlOf('old'))
    await sandbox.payByBillet(id)
    await settled()
    await sandbox.call('PUT', `/subscription/${id}/metadata`, { notification_url: urlOf('new') })
    const [charge] = await sandbox.chargesOf(id)
    await sandbox.call('PUT', `/charge/${charge}/cancel`)
    await sandbox.advance('1h')
    const statuses = received
      .filter(({ path }) => path === '/new')
      .map(({ body }) => JSON.parse(body).notification.entries[0].status)
    expect(statuses.sort()).toEqual(['active', 'canceled', 'new', 'new', 'waiting'])
  })

  it('of one charge go to the address of that charge alone, where it has its own', async () => {
    const { urlOf, received } = await plainReceiver(({ path }) => (path === '/all' ? 500 : 200))
    const id = await withUrl(urlOf('all'))
    await settled()
    const [charge] = await sandbox.chargesOf(id)
    await sandbox.call('PUT', `/charge/${charge}/metadata`, { notification_url: urlOf('one') })
    await sandbox.advance('1h')
    const entries = received
      .filter(({ path }) => path === '/one')
      .map(({ body }) => JSON.parse(body).notification.entries[0])
    expect(entries).toMatchObject([{ charge_id: charge, status: 'new' }])
  })
})
