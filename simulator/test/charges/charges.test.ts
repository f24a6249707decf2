import { beforeEach, describe, expect, it } from 'vitest'
import { simulatorForFile } from '../running.ts'
import { chargeClient, LINK } from './charge-client.ts'

const running = simulatorForFile()
beforeEach(() => sandbox.setTime('2026-03-02T15:00:00Z'))

const sandbox = chargeClient(running, 'sandbox')
const production = chargeClient(running, 'production')

describe('creating a charge', () => {
  it('answers its record, in local time, with the total of items and shippings', async () => {
    const { json } = await sandbox.call('POST', '/charge', {
      items: [
        { name: 'Book', value: 1000, amount: 2 },
        { name: 'Pen', value: 0 },
      ],
      shippings: [{ name: 'Post', value: 50 }],
      metadata: { custom_id: 'order 1', notification_url: null },
    })
    expect(json).toEqual({
      code: 200,
      data: {
        charge_id: expect.any(Number),
        total: 2050,
        status: 'new',
        custom_id: 'order 1',
        created_at: '2026-03-02 12:00:00',
      },
    })
  })

  it('GET shows items, shippings with the payee, history and metadata', async () => {
    const id = await sandbox.createCharge({
      shippings: [
        { name: 'Post', value: 50 },
        { name: 'Hand', value: 0, payee_code: 'F'.repeat(32) },
      ],
      metadata: { custom_id: null, notification_url: 'http://localhost:9/x' },
    })
    const own = running().simulator.sites.sandbox.applications.accounts()[0]?.payeeCode
    expect(await sandbox.show(id)).toEqual({
      charge_id: id,
      total: 10_050,
      status: 'new',
      custom_id: null,
      parcel: 1,
      conditional_discount: null,
      created_at: '2026-03-02 12:00:00',
      notification_url: 'http://localhost:9/x',
      items: [{ name: 'Book', value: 10_000, amount: 1 }],
      shippings: [
        { name: 'Post', value: 50, payee_code: own },
        { name: 'Hand', value: 0, payee_code: 'F'.repeat(32) },
      ],
      history: [{ message: 'Cobrança criada', created_at: '2026-03-02 12:00:00' }],
    })
  })

  it.each<[string, object, string]>([
    ['no items', {}, '/items'],
    ['an empty list of items', { items: [] }, '/items'],
    ['an item without a name', { items: [{ value: 1 }] }, '/items/0/name'],
    ['an empty name', { items: [{ name: '', value: 1 }] }, '/items/0/name'],
    ['a name of 256 characters', { items: [{ name: 'x'.repeat(256), value: 1 }] }, '/items/0/name'],
    ['a name with <', { items: [{ name: 'a<b', value: 1 }] }, '/items/0/name'],
    ['a name with >', { items: [{ name: 'a>b', value: 1 }] }, '/items/0/name'],
    ['a negative value', { items: [{ name: 'a', value: -1 }] }, '/items/0/value'],
    ['half a cent', { items: [{ name: 'a', value: 1.5 }] }, '/items/0/value'],
    ['an amount of 0', { items: [{ name: 'a', value: 1, amount: 0 }] }, '/items/0/amount'],
    ['a total of more than ten digits', { items: [{ name: 'a', value: 9_999_999_999, amount: 2 }] }, '/items'],
    ['empty shippings', { items: [{ name: 'a', value: 1 }], shippings: [] }, '/shippings'],
    [
      'a shipping of 256 characters',
      { items: [{ name: 'a', value: 1 }], shippings: [{ name: 'x'.repeat(256), value: 1 }] },
      '/shippings/0/name',
    ],
    [
      'a negative shipping',
      { items: [{ name: 'a', value: 1 }], shippings: [{ name: 'x', value: -1 }] },
      '/shippings/0/value',
    ],
    [
      'a payee of 31 characters',
      { items: [{ name: 'a', value: 1 }], shippings: [{ name: 'x', value: 1, payee_code: 'a'.repeat(31) }] },
      '/shippings/0/payee_code',
    ],
    [
      'a notification address without a scheme',
      { items: [{ name: 'a', value: 1 }], metadata: { notification_url: 'localhost' } },
      '/metadata/notification_url',
    ],
    [
      'an integrator’s id of 256 characters',
      { items: [{ name: 'a', value: 1 }], metadata: { custom_id: 'x'.repeat(256) } },
      '/metadata/custom_id',
    ],
    ['an unknown member', { items: [{ name: 'a', value: 1 }], total: 1 }, '/total'],
  ])('%s is refused by the name of its property', async (_what, body, property) => {
    const { status, json } = await sandbox.call('POST', '/charge', body)
    expect([status, json]).toEqual([
      400,
      { code: 3500034, error: 'validation_error', error_description: { property, message: expect.any(String) } },
    ])
  })

  it('the limits themselves are good', async () => {
    const { status } = await sandbox.call('POST', '/charge', {
      items: [{ name: 'x'.repeat(255), value: 0, amount: 1 }],
      shippings: [{ name: '', value: 0, payee_code: 'aB'.repeat(16) }],
      metadata: {
        custom_id: 'x'.repeat(255),
        notification_url: `https://${'x'.repeat(60)}.example/${'y'.repeat(178)}`,
      },
    })
    expect(status).toBe(200)
  })

  it('a charge of another account, or of the other environment, does not exist', async () => {
    const id = await sandbox.createCharge()
    const token = await running().tokenOf('charges', { account: 1 })
    const foreign = await running().ask('charges', { path: `/v1/charge/${id}`, token })
    const other = await production.call('GET', `/charge/${id + 500}`)
    const odd = await sandbox.call('GET', '/charge/none')
    expect([foreign, other, odd].map(({ status, json }) => [status, json.code])).toEqual(Array(3).fill([404, 3500010]))
  })
})

describe('cancelling', () => {
  const cancel = (id: number) => sandbox.call('PUT', `/charge/${id}/cancel`)

  it.each<[string, (id: number) => Promise<unknown>]>([
    ['new', async () => undefined],
    ['waiting', (id) => sandbox.payByBillet(id)],
    ['link', (id) => sandbox.call('POST', `/charge/${id}/link`, LINK)],
    [
      'unpaid',
      async (id) => {
        await sandbox.payByBillet(id)
        await sandbox.control('POST', `/charges/${id}/expire`)
      },
    ],
  ])('is allowed while the charge is %s', async (status, prepare) => {
    const id = await sandbox.createCharge()
    await prepare(id)
    expect(await sandbox.statusOf(id)).toBe(status)
    const answer = await cancel(id)
    expect([answer.status, answer.json, await sandbox.statusOf(id)]).toEqual([200, { code: 200 }, 'canceled'])
  })

  it.each<[string, (id: number) => Promise<unknown>]>([
    ['canceled', cancel],
    [
      'paid',
      async (id) => {
        await sandbox.payByCard(id)
        await sandbox.advance('5s')
      },
    ],
    [
      'expired',
      async (id) => {
        await sandbox.call('POST', `/charge/${id}/link`, LINK)
        await sandbox.control('POST', `/charges/${id}/expire`)
      },
    ],
  ])('is refused when the charge is %s', async (status, prepare) => {
    const id = await sandbox.createCharge()
    await prepare(id)
    const answer = await cancel(id)
    expect([answer.status, answer.json.code, await sandbox.statusOf(id)]).toEqual([412, 3500043, status])
  })
})

describe('metadata', () => {
  it('are changed one by one, at any time, and null takes the address away', async () => {
    const id = await sandbox.createCharge({ metadata: { custom_id: 'a', notification_url: 'http://localhost:9/old' } })
    await sandbox.call('PUT', `/charge/${id}/cancel`)
    const answer = await sandbox.call('PUT', `/charge/${id}/metadata`, { custom_id: 'b' })
    expect([answer.status, answer.json]).toEqual([200, { code: 200 }])
    expect(await sandbox.show(id)).toMatchObject({ custom_id: 'b', notification_url: 'http://localhost:9/old' })
    await sandbox.call('PUT', `/charge/${id}/metadata`, { notification_url: null })
    expect(await sandbox.show(id)).toMatchObject({ custom_id: 'b', notification_url: null, status: 'canceled' })
  })

  it.each<[object, string]>([
    [{ notification_url: 'ftp://localhost/' }, '/notification_url'],
    [{ notification_url: 'http://' }, '/notification_url'],
    [{ notification_url: '//localhost/' }, '/notification_url'],
    [{ notification_url: `http://x/${'y'.repeat(247)}` }, '/notification_url'],
    [{ custom_id: 'x'.repeat(256) }, '/custom_id'],
    [{ custom_id: null }, '/custom_id'],
    [{ custom: 'x' }, '/custom'],
  ])('%j is refused', async (body, property) => {
    const id = await sandbox.createCharge()
    const { status, json } = await sandbox.call('PUT', `/charge/${id}/metadata`, body)
    expect([status, json.error_description?.property]).toEqual([400, property])
  })
})

describe('history', () => {
  it('only adds: the messages of the integrator stand between those of the service', async () => {
    const id = await sandbox.createCharge()
    const before = await sandbox.show(id)
    const answer = await sandbox.call('POST', `/charge/${id}/history`, { description: 'Called the customer' })
    expect([answer.status, answer.json]).toEqual([200, { code: 200 }])
    const { history, ...rest } = await sandbox.show(id)
    expect({ ...rest, history: before.history }).toEqual(before)
    await sandbox.call('PUT', `/charge/${id}/cancel`)
    expect((await sandbox.show(id)).history.map(({ message }: { message: string }) => message)).toEqual([
      ...['Cobrança criada', 'Called the customer', 'Cobrança cancelada'],
    ])
  })

  it.each([[{}], [{ description: '' }], [{ description: 'x'.repeat(256) }], [{ description: 'a', by: 'me' }]])(
    '%j is refused',
    async (body) => {
      const id = await sandbox.createCharge()
      expect((await sandbox.call('POST', `/charge/${id}/history`, body)).status).toBe(400)
    },
  )
})

describe('reading', () => {
  it('no GET changes a record', async () => {
    const { records } = running().simulator.sites.sandbox
    const id = await sandbox.createCharge({ metadata: { custom_id: 'x' } })
    await sandbox.call('POST', `/charge/${id}/link`, LINK)
    const before = records.dump()
    await sandbox.call('GET', `/charge/${id}`)
    await sandbox.control('GET', '/charges')
    const tokens = Object.keys(before['sandbox.notifications'] ?? {})
    for (const token of tokens) await sandbox.call('GET', `/notification/${token}`)
    expect(records.dump()).toEqual(before)
  })

  it('the control API lists the charges of all accounts', async () => {
    const id = await sandbox.createCharge({ metadata: { custom_id: 'listed' } })
    const token = await running().tokenOf('charges', { account: 1 })
    const body = { items: [{ name: 'a', value: 1 }] }
    const other = await running().ask('charges', { method: 'POST', path: '/v1/charge', body, token })
    expect((await sandbox.control('GET', '/charges')).json.charges.slice(-2)).toEqual([
      { charge_id: id, account: '200001', status: 'new', total: 10_000, custom_id: 'listed' },
      { charge_id: other.json.data.charge_id, account: '200002', status: 'new', total: 1, custom_id: null },
    ])
  })

  it('paths with a slash behind them are the same, and another method is 405', async () => {
    const id = await sandbox.createCharge()
    const slash = await sandbox.call('GET', `/charge/${id}/`)
    const wrong = await sandbox.call('DELETE', `/charge/${id}`)
    expect([slash.status, wrong.status, wrong.headers.allow]).toEqual([200, 405, 'GET, HEAD'])
  })

  it('takes a PUT without a body under any content type', async () => {
    const id = await sandbox.createCharge()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const path = `/v1/charge/${id}/cancel`
    expect((await running().ask('charges', { method: 'PUT', path, headers, body: '' })).status).toBe(200)
  })
})

it('is closed without a token of the charges interface', async () => {
  const token = await running().tokenOf('payment')
  const none = await running().ask('charges', { path: '/v1/charge/1', token: null })
  const other = await running().ask('charges', { path: '/v1/charge/1', token })
  expect([none, other].map(({ status, json }) => [status, json.code, json.error])).toEqual(
    Array(2).fill([401, 3500008, 'unauthorized']),
  )
})
