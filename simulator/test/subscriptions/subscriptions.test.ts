import { beforeEach, describe, expect, it } from 'vitest'
import { simulatorForFile } from '../running.ts'
import { subscriptionClient } from './subscription-client.ts'

const running = simulatorForFile()
beforeEach(() => sandbox.setTime('2026-03-02T15:00:00Z'))

const sandbox = subscriptionClient(running, 'sandbox')
const ITEM = { name: 'a', value: 1 }

describe('creating a subscription', () => {
  it('answers its record with the first charge, in local time', async () => {
    const plan = await sandbox.createPlan()
    const { json } = await sandbox.subscribe(plan, {
      items: [{ name: 'Book', value: 1000, amount: 2 }],
      shippings: [{ name: 'Post', value: 50 }],
      metadata: { custom_id: 'order 1', notification_url: null },
    })
    expect(json).toEqual({
      code: 200,
      data: {
        subscription_id: expect.any(Number),
        status: 'new',
        custom_id: 'order 1',
        charges: [{ charge_id: expect.any(Number), status: 'new', total: 2050, parcel: 1 }],
        created_at: '2026-03-02 12:00:00',
      },
    })
    const charge = await sandbox.show(json.data.charges[0].charge_id)
    expect(charge).toMatchObject({ total: 2050, custom_id: 'order 1', shippings: [{ name: 'Post', value: 50 }] })
  })

  it.each<[string, object, string]>([
    ['no items', {}, '/items'],
    ['an empty list of items', { items: [] }, '/items'],
    ['an empty name', { items: [{ ...ITEM, name: '' }] }, '/items/0/name'],
    ['a name of 256 characters', { items: [{ ...ITEM, name: 'x'.repeat(256) }] }, '/items/0/name'],
    ['a name with <', { items: [{ ...ITEM, name: 'a<b' }] }, '/items/0/name'],
    ['a name with >', { items: [{ ...ITEM, name: 'a>b' }] }, '/items/0/name'],
    ['no name', { items: [{ value: 1 }] }, '/items/0/name'],
    ['no value', { items: [{ name: 'a' }] }, '/items/0/value'],
    ['a value as a text', { items: [{ ...ITEM, value: '1' }] }, '/items/0/value'],
    ['half an amount', { items: [{ ...ITEM, amount: 1.5 }] }, '/items/0/amount'],
    ['a shipping without a name', { items: [ITEM], shippings: [{ value: 1 }] }, '/shippings/0/name'],
    ['a shipping without a value', { items: [ITEM], shippings: [{ name: 'x' }] }, '/shippings/0/value'],
    [
      'a payee that is not hexadecimal',
      { items: [ITEM], shippings: [{ ...ITEM, payee_code: 'g'.repeat(32) }] },
      '/shippings/0/payee_code',
    ],
    [
      'an address without a host',
      { items: [ITEM], metadata: { notification_url: 'https://' } },
      '/metadata/notification_url',
    ],
    ['a negative value', { items: [{ ...ITEM, value: -1 }] }, '/items/0/value'],
    ['an amount of 0', { items: [{ ...ITEM, amount: 0 }] }, '/items/0/amount'],
    ['a total of more than ten digits', { items: [{ name: 'a', value: 9_999_999_999, amount: 2 }] }, '/items'],
    ['empty shippings', { items: [ITEM], shippings: [] }, '/shippings'],
    [
      'a payee of 31 characters',
      { items: [ITEM], shippings: [{ ...ITEM, payee_code: 'a'.repeat(31) }] },
      '/shippings/0',
    ],
    [
      'an address without a scheme',
      { items: [ITEM], metadata: { notification_url: 'x' } },
      '/metadata/notification_url',
    ],
    [
      'a shipping of 256 characters',
      { items: [ITEM], shippings: [{ ...ITEM, name: 'x'.repeat(256) }] },
      '/shippings/0',
    ],
    ['a negative shipping', { items: [ITEM], shippings: [{ name: 'x', value: -1 }] }, '/shippings/0/value'],
    [
      'a custom_id of 256 characters',
      { items: [ITEM], metadata: { custom_id: 'x'.repeat(256) } },
      '/metadata/custom_id',
    ],
    ['an unknown member', { items: [ITEM], trial_days: 3 }, '/trial_days'],
  ])('with %s is refused by the name of its property', async (_what, body, property) => {
    const plan = await sandbox.createPlan()
    const { status, json } = await sandbox.call('POST', `/plan/${plan}/subscription`, body)
    expect([status, json.code, json.error_description?.property]).toEqual([
      ...[400, 3500034, expect.stringMatching(new RegExp(`^${property}`))],
    ])
  })

  it.each([
    { items: [{ name: 'x'.repeat(255), value: 0, amount: 1 }] },
    { items: [ITEM], shippings: [{ name: 'x'.repeat(255), value: 0, payee_code: 'aF'.repeat(16) }] },
    { items: [ITEM], metadata: { custom_id: null, notification_url: null } },
    { items: [ITEM], metadata: { notification_url: 'http://x' } },
  ])('%j is within the limits', async (body) => {
    const plan = await sandbox.createPlan()
    expect((await sandbox.call('POST', `/plan/${plan}/subscription`, body)).status).toBe(200)
  })

  it('needs a plan of the account', async () => {
    const plan = await sandbox.createPlan()
    const token = await running().tokenOf('charges', { account: 1 })
    const path = `/v1/plan/${plan}/subscription`
    const foreign = await running().ask('charges', { method: 'POST', path, body: { items: [ITEM] }, token })
    const unknown = await sandbox.subscribe(1)
    expect([foreign, unknown].map(({ status, json }) => [status, json.code])).toEqual(Array(2).fill([404, 3500010]))
  })
})

describe('the record of a subscription', () => {
  it('has its plan, and no payment method and dates before they are defined', async () => {
    const plan = await sandbox.createPlan({ name: 'Gym', interval: 3, repeats: 12 })
    const { json } = await sandbox.subscribe(plan, { metadata: { notification_url: 'http://localhost:9/x' } })
    const [{ charge_id }] = json.data.charges
    expect(await sandbox.recordOf(json.data.subscription_id)).toEqual({
      subscription_id: json.data.subscription_id,
      value: 10_000,
      status: 'new',
      custom_id: null,
      notification_url: 'http://localhost:9/x',
      payment_method: null,
      next_execution: null,
      next_expire_at: null,
      plan: { plan_id: plan, name: 'Gym', interval: 3, repeats: 12 },
      occurrences: 1,
      created_at: '2026-03-02 12:00:00',
      history: [{ charge_id, status: 'new', created_at: '2026-03-02 12:00:00' }],
    })
  })

  it('of another account, or unknown, does not exist', async () => {
    const id = await sandbox.createSubscription()
    const token = await running().tokenOf('charges', { account: 1 })
    const calls = [
      ...[
        ['GET', ''],
        ['PUT', '/cancel'],
        ['PUT', '/metadata', { custom_id: 'a' }],
      ],
      ...[['POST', '/history', { description: 'a' }]],
    ] as const
    for (const [method, path, body] of calls) {
      const asked = { method, ...(body !== undefined && { body }) }
      const answers = [
        await running().ask('charges', { ...asked, path: `/v1/subscription/${id}${path}`, token }),
        await running().ask('charges', { ...asked, path: `/v1/subscription/1${path}` }),
      ]
      expect(answers.map(({ status, json }) => [status, json.code])).toEqual(Array(2).fill([404, 3500010]))
    }
  })
})

describe('metadata', () => {
  it('are changed in the subscription and in all its charges, past ones too', async () => {
    const metadata = { custom_id: 'a', notification_url: 'http://localhost:9/old' }
    const id = await sandbox.createSubscription({ metadata })
    await sandbox.payByCard(id)
    await sandbox.setTime('2026-05-03T15:00:00Z')
    const answer = await sandbox.call('PUT', `/subscription/${id}/metadata`, {
      notification_url: 'http://localhost:9/new',
    })
    expect([answer.status, answer.json]).toEqual([200, { code: 200 }])
    const charges = await sandbox.chargesOf(id)
    const records = [await sandbox.recordOf(id), ...(await Promise.all(charges.map(sandbox.show)))]
    expect(records.map(({ custom_id, notification_url }) => [custom_id, notification_url])).toEqual(
      Array(4).fill(['a', 'http://localhost:9/new']),
    )
    await sandbox.call('PUT', `/subscription/${id}/metadata`, { custom_id: 'Ação_1 - b', notification_url: null })
    expect(await sandbox.show(charges[1] as number)).toMatchObject({ custom_id: 'Ação_1 - b', notification_url: null })
  })

  it.each<[object, string]>([
    [{}, ''],
    [{ notification_url: '' }, '/notification_url'],
    [{ notification_url: 'ftp://localhost/' }, '/notification_url'],
    [{ notification_url: 'https://' }, '/notification_url'],
    [{ notification_url: `http://x/${'y'.repeat(247)}` }, '/notification_url'],
    [{ custom_id: '' }, '/custom_id'],
    [{ custom_id: 'x'.repeat(256) }, '/custom_id'],
    [{ custom_id: 'order#1' }, '/custom_id'],
    [{ custom_id: null }, '/custom_id'],
    [{ custom: 'x' }, '/custom'],
  ])('%j is refused', async (body, property) => {
    const id = await sandbox.createSubscription()
    const { status, json } = await sandbox.call('PUT', `/subscription/${id}/metadata`, body)
    expect([status, json.code, json.error_description?.property]).toEqual([400, 3500034, property])
  })

  it('the limits themselves are good', async () => {
    const id = await sandbox.createSubscription()
    const body = { custom_id: 'x'.repeat(255), notification_url: `http://x/${'y'.repeat(246)}` }
    expect((await sandbox.call('PUT', `/subscription/${id}/metadata`, body)).status).toBe(200)
  })
})
