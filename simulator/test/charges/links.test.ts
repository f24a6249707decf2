import { beforeEach, describe, expect, it } from 'vitest'
import { simulatorForFile } from '../running.ts'
import { CUSTOMER, chargeClient, LINK } from './charge-client.ts'

const running = simulatorForFile()
beforeEach(() => sandbox.setTime('2026-03-02T15:00:00Z'))

const sandbox = chargeClient(running, 'sandbox')
const production = chargeClient(running, 'production')
const DISCOUNT = { type: 'percentage', value: 1500, until_date: '2026-03-05' }

async function createLink(changes: object = {}): Promise<number> {
  const id = await sandbox.createCharge()
  const { status, text } = await sandbox.call('POST', `/charge/${id}/link`, { ...LINK, ...changes })
  if (status !== 200) throw new Error(text)
  return id
}
const update = (id: number, changes: object = {}) => sandbox.call('PUT', `/charge/${id}/link`, { ...LINK, ...changes })

describe('a payment link', () => {
  it('is made of a new charge, and answers its record', async () => {
    const id = await sandbox.createCharge()
    const { status, json } = await sandbox.call('POST', `/charge/${id}/link`, {
      ...LINK,
      billet_discount: 5000,
      conditional_discount: DISCOUNT,
    })
    expect([status, json]).toEqual([
      200,
      {
        code: 200,
        data: {
          charge_id: id,
          status: 'link',
          total: 10_000,
          created_at: '2026-03-02 12:00:00',
          payment_url: expect.stringMatching(/^https:\/\/localhost:\d+\/payment-links\/[0-9a-f]{32}$/),
          billet_discount: 5000,
          card_discount: null,
          message: null,
          conditional_discount_value: 1500,
          conditional_discount_type: 'percentage',
          conditional_discount_date: '2026-03-05',
          ...LINK,
        },
      },
    ])
    expect((await sandbox.show(id)).link).toEqual(
      (({ charge_id, status, total, created_at, ...attributes }) => attributes)(json.data),
    )
  })

  it('is updated before payment: what is left out stays, and null removes the conditional discount', async () => {
    const id = await createLink({
      billet_discount: 1,
      card_discount: 2,
      message: 'Hello',
      conditional_discount: DISCOUNT,
    })
    const { json } = await update(id, {
      card_discount: 3,
      request_delivery_address: true,
      payment_method: 'credit_card',
    })
    expect(json.data).toMatchObject({
      billet_discount: 1,
      card_discount: 3,
      message: 'Hello',
      conditional_discount_value: 1500,
      status: 'link',
      request_delivery_address: true,
      payment_method: 'credit_card',
      expire_at: '2026-03-10',
    })
    const removed = await update(id, { conditional_discount: null, expire_at: '2026-03-02' })
    expect(removed.json).toMatchObject({
      code: 200,
      data: {
        conditional_discount_value: null,
        conditional_discount_type: null,
        conditional_discount_date: null,
        expire_at: '2026-03-02',
      },
    })
    expect((await sandbox.show(id)).conditional_discount).toBeNull()
  })

  it.each<[string, object, string]>([
    ['a message of 2 characters', { message: 'xx' }, '/message'],
    ['a message of 81 characters', { message: 'x'.repeat(81) }, '/message'],
    ['a message that is null', { message: null }, '/message'],
    ['a negative billet discount', { billet_discount: -1 }, '/billet_discount'],
    ['half a cent off', { card_discount: 0.5 }, '/card_discount'],
    ['a day that does not exist', { expire_at: '2026-02-29' }, '/expire_at'],
    ['a date in another order', { expire_at: '10/03/2026' }, '/expire_at'],
    ['yesterday', { expire_at: '2026-03-01' }, '/expire_at'],
    ['no date', { expire_at: undefined }, '/expire_at'],
    ['no word about an address', { request_delivery_address: undefined }, '/request_delivery_address'],
    ['a boolean as text', { request_delivery_address: 'true' }, '/request_delivery_address'],
    ['no payment method', { payment_method: undefined }, '/payment_method'],
    ['another payment method', { payment_method: 'cash' }, '/payment_method'],
    ['an unknown attribute', { discount: 1 }, '/discount'],
    [
      'a discount without a type',
      { conditional_discount: { ...DISCOUNT, type: undefined } },
      '/conditional_discount/type',
    ],
    [
      'a discount without a date',
      { conditional_discount: { ...DISCOUNT, until_date: undefined } },
      '/conditional_discount/until_date',
    ],
    [
      'a discount until no day',
      { conditional_discount: { ...DISCOUNT, until_date: '2026-13-01' } },
      '/conditional_discount/until_date',
    ],
    ['a discount of half a cent', { conditional_discount: { ...DISCOUNT, value: 0.5 } }, '/conditional_discount/value'],
    [
      'a discount of more than 100%',
      { conditional_discount: { ...DISCOUNT, value: 10_001 } },
      '/conditional_discount/value',
    ],
  ])('%s is refused, when it is made and when it is updated', async (_what, changes, property) => {
    const fresh = await sandbox.createCharge()
    const made = await sandbox.call('POST', `/charge/${fresh}/link`, { ...LINK, ...changes })
    const updated = await update(await createLink(), changes)
    expect([made, updated].map(({ status, json }) => [status, json.error_description?.property])).toEqual(
      Array(2).fill([400, property]),
    )
  })

  it('the limits themselves are good: messages of 3 and 80 characters, a link for today, 100% off', async () => {
    const id = await createLink({ message: 'xxx', expire_at: '2026-03-02', billet_discount: 0 })
    const full = { type: 'percentage', value: 10_000, until_date: '2026-03-02' }
    expect((await update(id, { message: 'x'.repeat(80), conditional_discount: full })).status).toBe(200)
  })

  it('is made only of a new charge, and updated only where there is one', async () => {
    const linked = await createLink()
    const waiting = await sandbox.createCharge()
    await sandbox.payByBillet(waiting)
    const answers = [
      await sandbox.call('POST', `/charge/${linked}/link`, LINK),
      await sandbox.call('POST', `/charge/${waiting}/link`, LINK),
      await update(waiting),
      await sandbox.payByBillet(linked),
    ]
    expect(answers.map(({ status, json }) => [status, json.error_description?.property])).toEqual(
      Array(4).fill([412, '/status']),
    )
  })

  it('is not updated any more when the charge was cancelled', async () => {
    const id = await createLink()
    await sandbox.call('PUT', `/charge/${id}/cancel`)
    expect((await update(id)).status).toBe(412)
  })

  it('is expired when its last day has ended in local time, not a second before', async () => {
    const id = await createLink({ expire_at: '2026-03-03' })
    await sandbox.setTime('2026-03-04T02:59:59Z')
    expect(await sandbox.statusOf(id)).toBe('link')
    await sandbox.advance('1s')
    expect(await sandbox.statusOf(id)).toBe('expired')
  })

  it('can have the last day of the calendar', async () => {
    const id = await createLink({ expire_at: '9999-12-31' })
    await sandbox.setTime('9998-12-31T00:00:00Z')
    expect(await sandbox.statusOf(id)).toBe('link')
  })

  it('that was moved to a later day expires then; what has expired is renewed by a new date', async () => {
    const id = await createLink({ expire_at: '2026-03-03' })
    await update(id, { expire_at: '2026-03-04' })
    await sandbox.setTime('2026-03-05T02:59:59Z')
    expect(await sandbox.statusOf(id)).toBe('link')
    await sandbox.advance('1s')
    expect(await sandbox.statusOf(id)).toBe('expired')
    expect((await update(id, { expire_at: '2026-03-05' })).json.data.status).toBe('link')
  })

  /** @returns the status of the page's answer */
  async function payByCard(id: number, outcome: string): Promise<number> {
    const fields = { ...CUSTOMER, method: 'credit_card', payment_token: await sandbox.createCard({ outcome }) }
    const { status } = await running().askRaw((await sandbox.show(id)).link.payment_url, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    return status
  }

  it('whose card was refused can be paid again: on its page, and after an update', async () => {
    const id = await createLink()
    expect(await payByCard(id, 'unpaid')).toBe(200)
    await sandbox.advance('5s')
    expect(await sandbox.statusOf(id)).toBe('unpaid')
    expect(await payByCard(id, 'unpaid')).toBe(200)
    await sandbox.control('POST', `/charges/${id}/refuse`)
    expect((await update(id)).json.data.status).toBe('link')
    expect((await sandbox.show(id)).payment).toBeUndefined()
    await sandbox.advance('1s')
    expect(await payByCard(id, 'paid')).toBe(200)
    // The second card's bank answers now, which is nothing to the third card.
    await sandbox.advance('4s')
    expect(await sandbox.statusOf(id)).toBe('waiting')
    await sandbox.advance('1s')
    expect(await sandbox.statusOf(id)).toBe('paid')
    expect(await payByCard(id, 'paid')).toBe(409)
  })

  it('whose card was refused takes no payment after its last day, until it is renewed', async () => {
    const id = await createLink()
    await payByCard(id, 'unpaid')
    await sandbox.setTime('2026-03-11T03:00:00Z')
    expect([await sandbox.statusOf(id), await payByCard(id, 'paid')]).toEqual(['unpaid', 409])
    expect((await update(id, { expire_at: '2026-03-20' })).json.data.status).toBe('link')
    expect(await payByCard(id, 'paid')).toBe(200)
  })

  it('of a charge that was cancelled does not expire', async () => {
    const id = await createLink({ expire_at: '2026-03-03' })
    await sandbox.call('PUT', `/charge/${id}/cancel`)
    await sandbox.setTime('2026-03-09T00:00:00Z')
    expect(await sandbox.statusOf(id)).toBe('canceled')
  })

  it('of the other environment is another record', async () => {
    const id = await createLink()
    expect((await production.call('PUT', `/charge/${id + 1000}/link`, LINK)).json.code).toBe(3500010)
  })
})
