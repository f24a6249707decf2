import { beforeEach, describe, expect, it } from 'vitest'
import { readBarcode } from '../../src/rules/barcode.ts'
import { ADDRESS, CUSTOMER } from '../charges/charge-client.ts'
import { simulatorForFile } from '../running.ts'
import { carnetClient } from './carnet-client.ts'

const running = simulatorForFile()
beforeEach(() => sandbox.setTime('2026-03-02T15:00:00Z'))

const sandbox = carnetClient(running, 'sandbox')
const production = carnetClient(running, 'production')
const ITEM = { name: 'a', value: 1 }

describe('creating a carnet', () => {
  it('answers its links and a billet for each month', async () => {
    const { json } = await sandbox.create({ repeats: 2, configurations: { fine: 200, interest: 33 } })
    const { link } = json.data
    const parcelOf = (parcel: string, expire_at: string) => {
      const page = expect.stringMatching(/^https:\/\/localhost:\d+\/billets\/[0-9a-f]{32}$/)
      return {
        charge_id: expect.any(Number),
        parcel,
        status: 'waiting',
        value: 10_000,
        expire_at,
        url: page,
        parcel_link: page,
        barcode: '0'.repeat(47),
        pdf: { charge: expect.stringMatching(/\/billets\/[0-9a-f]{32}\.pdf$/) },
        configurations: { days_to_write_off: 0, fine: 200, interest: 33 },
      }
    }
    expect(json).toEqual({
      code: 200,
      data: {
        carnet_id: expect.any(Number),
        status: 'up_to_date',
        cover: `${link}/cover`,
        carnet_link: link,
        link: expect.stringMatching(/^https:\/\/localhost:\d+\/carnets\/[0-9a-f]{32}$/),
        pdf: { carnet: `${link}.pdf`, cover: `${link}/cover.pdf` },
        charges: [parcelOf('1', '2026-03-10'), parcelOf('2', '2026-04-10')],
      },
    })
    for (const { url, parcel_link, pdf } of json.data.charges)
      expect([parcel_link, pdf.charge]).toEqual([url, `${url}.pdf`])
  })

  it('gives every month the original day, or its last one where the month is too short', async () => {
    const { json } = await sandbox.create({ expire_at: '2027-12-31', repeats: 4 })
    expect(json.data.charges.map(({ expire_at }: { expire_at: string }) => expire_at)).toEqual([
      ...['2027-12-31', '2028-01-31', '2028-02-29', '2028-03-31'],
    ])
  })

  it('in production has lines with the amount and the due date of each parcel', async () => {
    const { json } = await production.create()
    const bills = json.data.charges.map(({ barcode }: { barcode: string }) => readBarcode(barcode))
    expect(bills).toMatchObject(
      [1381, 1412, 1442].map((dueFactor) => ({ outcome: 'read', bill: { bank: 999, amountCents: 10_000, dueFactor } })),
    )
  })

  it('gives each parcel the total of the items, or its share of each item with the cents left over in the first one', async () => {
    const items = [
      { name: 'Course', value: 5_000, amount: 2 },
      { name: 'Book', value: 101 },
    ]
    const valuesOf = async (changes: object) =>
      (await sandbox.create({ items, ...changes })).json.data.charges.map(({ value }: { value: number }) => value)
    expect(await valuesOf({})).toEqual([10_101, 10_101, 10_101])
    expect(await valuesOf({ split_items: false })).toEqual([10_101, 10_101, 10_101])
    expect(await valuesOf({ split_items: true })).toEqual([3334 + 35, 3333 + 33, 3333 + 33])
    const { parcels } = await sandbox.createCarnet({ items, split_items: true })
    expect((await sandbox.show(parcels[0] as number)).items).toEqual([
      { name: 'Course', value: 3334, amount: 1 },
      { name: 'Book', value: 35, amount: 1 },
    ])
  })

  it('takes a conditional discount, whose last day moves with the due date, and null is none', async () => {
    const conditional_discount = { type: 'currency', value: 500, until_date: '2026-03-05' }
    const { parcels } = await production.createCarnet({ conditional_discount })
    const days = await Promise.all(
      parcels.map(async (id) => (await production.show(id)).conditional_discount.until_date),
    )
    expect(days).toEqual(['2026-03-05', '2026-04-05', '2026-05-05'])
    await production.setTime('2026-03-06T15:00:00Z')
    const [first = 0, second = 0] = parcels
    await production.pay(first)
    await production.pay(second)
    const paid = await Promise.all([first, second].map(async (id) => (await production.show(id)).payment.paid_value))
    expect(paid).toEqual([10_000, 9_500])
    const without = await production.createCarnet({ conditional_discount: null })
    expect((await production.show(without.parcels[0] as number)).conditional_discount).toBeNull()
  })

  it('can have the last day of the calendar', async () => {
    const { status, json } = await production.create({ expire_at: '9999-12-31' })
    expect([status, json.data.charges.at(-1).expire_at]).toEqual([200, '9999-12-31'])
  })

  it.each<[string, object, string]>([
    ['no items', { items: undefined }, '/items'],
    ['an empty list of items', { items: [] }, '/items'],
    ['an empty name', { items: [{ ...ITEM, name: '' }] }, '/items/0/name'],
    ['a name with >', { items: [{ ...ITEM, name: 'a>b' }] }, '/items/0/name'],
    ['a negative value', { items: [{ ...ITEM, value: -1 }] }, '/items/0/value'],
    ['an amount of 0', { items: [{ ...ITEM, amount: 0 }] }, '/items/0/amount'],
    ['a total of more than ten digits', { items: [{ name: 'a', value: 9_999_999_999, amount: 2 }] }, '/items'],
    ['no repeats', { repeats: undefined }, '/repeats'],
    ['one parcel', { repeats: 1 }, '/repeats'],
    ['25 parcels', { repeats: 25 }, '/repeats'],
    ['half a parcel', { repeats: 2.5 }, '/repeats'],
    ['parcels as text', { repeats: '3' }, '/repeats'],
    ['no due date', { expire_at: undefined }, '/expire_at'],
    ['a due date in the past', { expire_at: '2026-03-01' }, '/expire_at'],
    ['a due date that does not exist', { expire_at: '2026-02-30' }, '/expire_at'],
    ['no customer', { customer: undefined }, '/customer'],
    ['a name of one word', { customer: { ...CUSTOMER, name: 'Ana' } }, '/customer/name'],
    ['a CPF with a wrong check digit', { customer: { ...CUSTOMER, cpf: '52998224726' } }, '/customer/cpf'],
    ['a short CEP', { customer: { ...CUSTOMER, address: { ...ADDRESS, zipcode: '1' } } }, '/customer/address/zipcode'],
    ['a discount of another type', { conditional_discount: { type: 'x' } }, '/conditional_discount/type'],
    [
      'a discount of more than 100%',
      { conditional_discount: { type: 'percentage', value: 10_001, until_date: '2026-03-05' } },
      '/conditional_discount/value',
    ],
    [
      'a discount without a last day',
      { conditional_discount: { type: 'currency', value: 1 } },
      '/conditional_discount',
    ],
    ['a negative fine', { configurations: { fine: -1 } }, '/configurations/fine'],
    ['negative interest', { configurations: { interest: -1 } }, '/configurations/interest'],
    ['a message of 5 lines', { message: 'a\nb\nc\nd\ne' }, '/message'],
    ['a line of 101 characters', { message: `a\n${'x'.repeat(101)}` }, '/message'],
    ['split_items as text', { split_items: 'true' }, '/split_items'],
    ['an address without a scheme', { metadata: { notification_url: 'x' } }, '/metadata/notification_url'],
    ['a custom_id of 256 characters', { metadata: { custom_id: 'x'.repeat(256) } }, '/metadata/custom_id'],
    ['shippings', { shippings: [ITEM] }, '/shippings'],
    ['an unknown member', { discount: { type: 'currency', value: 1 } }, '/discount'],
  ])('with %s is refused by the name of its property, and leaves no charge', async (_what, changes, property) => {
    const before = (await sandbox.control('GET', '/charges')).json.charges.length
    const { status, json } = await sandbox.create(changes)
    expect([status, json.code, json.error_description?.property]).toEqual([
      ...[400, 3500034, expect.stringMatching(new RegExp(`^${property}`))],
    ])
    expect((await sandbox.control('GET', '/charges')).json.charges).toHaveLength(before)
  })

  it('the limits themselves are good: 24 parcels, 4 lines of 100 characters, no fine, no interest, due today', async () => {
    const message = Array(4).fill('x'.repeat(100)).join('\n')
    const customer = { ...CUSTOMER, birth: '1990-02-28', address: ADDRESS }
    const changes = { message, customer, configurations: { fine: 0, interest: 0 }, expire_at: '2026-03-02' }
    const { status, json } = await sandbox.create({
      ...changes,
      repeats: 24,
      items: [{ ...ITEM, value: 9_999_999_999 }],
    })
    expect([status, json.data.charges.length, json.data.charges.at(-1).expire_at]).toEqual([200, 24, '2028-02-02'])
    expect((await sandbox.create({ repeats: 2 })).status).toBe(200)
  })
})

describe('the record of a carnet', () => {
  it('has its value, its parcels by number, metadata and history', async () => {
    const metadata = { custom_id: 'order 1', notification_url: 'http://localhost:9/x' }
    const { json } = await sandbox.create({ metadata, split_items: true, message: 'Thanks' })
    const { carnet_id, charges, ...same } = json.data
    expect(await sandbox.recordOf(carnet_id)).toEqual({
      ...same,
      carnet_id,
      repeats: 3,
      value: 10_000,
      split_items: true,
      ...metadata,
      charges: charges.map((charge: object, index: number) => ({ ...charge, parcel: index + 1 })),
      created_at: '2026-03-02 12:00:00',
      history: [{ message: 'Carnê criado', created_at: '2026-03-02 12:00:00' }],
    })
    expect((await sandbox.recordOf((await sandbox.createCarnet()).id)).value).toBe(30_000)
  })

  it('of another account, of the other environment, or unknown, does not exist', async () => {
    const { id } = await sandbox.createCarnet()
    const token = await running().tokenOf('charges', { account: 1 })
    const answers = [
      await running().ask('charges', { path: `/v1/carnet/${id}`, token }),
      await sandbox.call('GET', '/carnet/1'),
      await sandbox.call('GET', '/carnet/x'),
      await production.call('GET', `/carnet/${id + 100}`),
    ]
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(Array(4).fill([404, 3500010]))
  })

  it('is not changed by other methods: 405 with Allow', async () => {
    const { id } = await sandbox.createCarnet()
    const answers = [await sandbox.call('DELETE', `/carnet/${id}`), await sandbox.call('GET', '/carnet')]
    expect(answers.map(({ status, headers }) => [status, headers.allow])).toEqual([
      [405, 'GET, HEAD'],
      [405, 'POST'],
    ])
  })
})
