import { beforeEach, describe, expect, it } from 'vitest'
import { crc16 } from '../../src/rules/instant-payment-code.ts'
import { qrCodeImage } from '../../src/rules/qr-code.ts'
import { ADDRESS, CUSTOMER } from '../charges/charge-client.ts'
import { simulatorForFile } from '../running.ts'
import { subscriptionClient } from './subscription-client.ts'

const running = simulatorForFile()
beforeEach(() => sandbox.setTime('2026-03-02T15:00:00Z'))

const sandbox = subscriptionClient(running, 'sandbox')
const production = subscriptionClient(running, 'production')

describe('billets', () => {
  it('make the subscription active and its first charge wait, and answer the billet', async () => {
    const id = await sandbox.createSubscription({}, { interval: 2, repeats: 6 })
    const [charge] = await sandbox.chargesOf(id)
    const { status, json } = await sandbox.payByBillet(id, {
      configurations: { fine: 0, interest: 0 },
      message: 'a\nb\nc\nd',
    })
    const { plan } = await sandbox.recordOf(id)
    const link = expect.stringMatching(/^https:\/\/localhost:\d+\/billets\/[0-9a-f]{32}$/)
    expect([status, json.data]).toEqual([
      200,
      {
        subscription_id: id,
        status: 'active',
        plan: { id: plan.plan_id, interval: 2, repeats: 6 },
        charge: { id: charge, status: 'waiting', parcel: 1, total: 10_000 },
        first_execution: '02/03/2026',
        total: 10_000,
        payment: 'banking_billet',
        barcode: '0'.repeat(47),
        link,
        billet_link: link,
        expire_at: '2026-03-10',
        pdf: { charge: `${json.data.link}.pdf` },
      },
    ])
    expect(await sandbox.recordOf(id)).toMatchObject({
      status: 'active',
      payment_method: 'banking_billet',
      occurrences: 1,
      next_execution: '2026-05-02',
      next_expire_at: '2026-05-10',
    })
    const { payment, customer } = await sandbox.show(charge as number)
    expect([payment.message, payment.banking_billet.expire_at, customer]).toEqual([
      'a\nb\nc\nd',
      '2026-03-10',
      CUSTOMER,
    ])
  })

  it('of production can be paid, and those of an account with instant payments have a code', async () => {
    const [{ account } = { account: '' }] = running().simulator.sites.production.applications.list()
    await production.control('PUT', `/accounts/${account}/instant-payment`, { on: true })
    const id = await production.createSubscription()
    const { json } = await production.payByBillet(id)
    expect(json.data).toMatchObject({
      barcode: expect.stringMatching(/^\d{37}0000010000$/),
      payment: 'banking_billet',
    })
    const { qrcode, qrcode_image } = json.data.pix
    expect(qrcode).toMatch(/^000201.*5406100\.005802BR.*6304[0-9A-F]{4}$/)
    expect(qrcode.slice(-4)).toBe(crc16(qrcode.slice(0, -4)))
    const [, image = ''] = qrcode_image.split('data:image/svg+xml;base64,')
    expect(Buffer.from(image, 'base64').toString()).toBe(qrCodeImage(qrcode))
    await production.control('POST', `/charges/${json.data.charge.id}/pay`, {})
    expect((await production.recordOf(id)).history).toMatchObject([{ status: 'paid' }])
  })

  it('take a conditional discount beside payment', async () => {
    const id = await sandbox.createSubscription()
    const discount = { type: 'percentage', value: 1_500, until_date: '2026-03-08' }
    await sandbox.payByBillet(id, {}, { conditional_discount: discount })
    const [charge] = await sandbox.chargesOf(id)
    expect((await sandbox.show(charge as number)).conditional_discount).toEqual(discount)
  })
})

describe('a card', () => {
  it('is charged at once, and its charge is paid when its bank has answered', async () => {
    const id = await sandbox.createSubscription()
    const [charge] = await sandbox.chargesOf(id)
    const { json } = await sandbox.payByCard(id, {
      customer: { ...CUSTOMER, birth: '1990-01-31' },
      billing_address: { ...ADDRESS, complement: 'Fundos' },
    })
    expect(json.data).toEqual({
      subscription_id: id,
      status: 'active',
      plan: expect.any(Object),
      total: 10_000,
      payment: 'credit_card',
      charge: { id: charge, status: 'waiting', parcel: 1, total: 10_000 },
      first_execution: '02/03/2026',
    })
    await sandbox.advance('5s')
    expect(await sandbox.recordOf(id)).toMatchObject({
      payment_method: 'credit_card',
      next_execution: '2026-04-02',
      next_expire_at: null,
      history: [{ charge_id: charge, status: 'paid' }],
    })
  })

  it.each(['jcb', 'aura', 'discover'])('of the brand %s is refused, and its token is not used up', async (brand) => {
    const id = await sandbox.createSubscription()
    const payment_token = await sandbox.createCard({ brand })
    for (let time = 0; time < 2; time += 1) {
      const { status, json } = await sandbox.payByCard(id, { payment_token })
      expect([status, json.error_description]).toEqual([
        400,
        { property: '/payment/credit_card/payment_token', message: 'A bandeira do cartão não é aceita.' },
      ])
    }
    expect((await sandbox.recordOf(id)).status).toBe('new')
  })

  it.each(['visa', 'mastercard', 'amex', 'elo', 'hipercard'])('of the brand %s is accepted, once', async (brand) => {
    const payment_token = await sandbox.createCard({ brand })
    expect((await sandbox.payByCard(await sandbox.createSubscription(), { payment_token })).status).toBe(200)
    expect((await sandbox.payByCard(await sandbox.createSubscription(), { payment_token })).status).toBe(400)
  })
})

describe('a body', () => {
  it.each<[string, object, string]>([
    ['another name', { customer: { ...CUSTOMER, name: 'Ana' } }, 'customer/name'],
    ['a wrong CPF', { customer: { ...CUSTOMER, cpf: '52998224726' } }, 'customer/cpf'],
    ['no mail', { customer: { ...CUSTOMER, email: undefined } }, 'customer/email'],
    ['a short phone', { customer: { ...CUSTOMER, phone_number: '119' } }, 'customer/phone_number'],
    [
      'an address without a city',
      { customer: { ...CUSTOMER, address: { ...ADDRESS, city: '' } } },
      'customer/address/city',
    ],
    ...['street', 'number', 'neighborhood', 'zipcode', 'city', 'state'].map((name): [string, object, string] => [
      `an address without ${name}`,
      { customer: { ...CUSTOMER, address: { ...ADDRESS, [name]: undefined } } },
      `customer/address/${name}`,
    ]),
    ['no customer', { customer: undefined }, 'customer'],
    ['half a fine', { configurations: { fine: 0.5 } }, 'configurations/fine'],
    ['a line of 101 letters beyond the basic plane', { message: '😀'.repeat(101) }, 'message'],
    ['no due date', { expire_at: undefined }, 'expire_at'],
    ['no such day', { expire_at: '2026-02-30' }, 'expire_at'],
    ['a past due date', { expire_at: '2026-03-01' }, 'expire_at'],
    ['a due date within the trial', { trial_days: 9 }, 'expire_at'],
    ['a negative fine', { configurations: { fine: -1 } }, 'configurations/fine'],
    ['a negative interest', { configurations: { interest: -1 } }, 'configurations/interest'],
    ['five lines', { message: 'a\nb\nc\nd\ne' }, 'message'],
    ['a line of 101 characters', { message: 'x'.repeat(101) }, 'message'],
    ['a negative trial', { trial_days: -1 }, 'trial_days'],
    ['a trial of 366 days', { trial_days: 366 }, 'trial_days'],
    ['an unknown member', { other: 1 }, 'other'],
  ])('of billets with %s is refused', async (_what, changes, property) => {
    const { status, json } = await sandbox.payByBillet(await sandbox.createSubscription(), changes)
    expect([status, json.code, json.error_description?.property]).toEqual([
      ...[400, 3500034, `/payment/banking_billet/${property}`],
    ])
  })

  it.each<[string, object, string]>([
    ['a birthday that is none', { customer: { ...CUSTOMER, birth: '31/01/1990' } }, 'customer/birth'],
    ['a token of 39 characters', { payment_token: 'a'.repeat(39) }, 'payment_token'],
    ['an unknown token', { payment_token: 'a'.repeat(40) }, 'payment_token'],
    ['an address without a street', { billing_address: { ...ADDRESS, street: '' } }, 'billing_address/street'],
    ['two instalments', { installments: 2 }, 'installments'],
    ['a trial of half a day', { trial_days: 0.5 }, 'trial_days'],
  ])('of a card with %s is refused', async (_what, changes, property) => {
    const { status, json } = await sandbox.payByCard(await sandbox.createSubscription(), changes)
    expect([status, json.code, json.error_description?.property]).toEqual([
      ...[400, 3500034, `/payment/credit_card/${property}`],
    ])
  })

  it.each([
    Array(4).fill('é'.repeat(100)).join('\n'),
    Array(4).fill('x'.repeat(100)).join('\r\n'),
    '😀'.repeat(100),
    '',
  ])('of billets can have the message %j', async (message) => {
    const answer = await sandbox.payByBillet(await sandbox.createSubscription(), { message })
    expect(answer.status).toBe(200)
  })

  it('has exactly one method', async () => {
    const id = await sandbox.createSubscription()
    const banking_billet = { customer: CUSTOMER, expire_at: '2026-03-10' }
    const credit_card = { customer: CUSTOMER, payment_token: await sandbox.createCard() }
    for (const payment of [{}, { banking_billet, credit_card }, undefined]) {
      const { status, json } = await sandbox.call('POST', `/subscription/${id}/pay`, { payment })
      expect([status, json.error_description?.property]).toEqual([400, '/payment'])
    }
  })

  it('with trial_days beside payment is refused', async () => {
    const id = await sandbox.createSubscription()
    const { status, json } = await sandbox.payByCard(id, {}, { trial_days: 3 })
    expect([status, json.error_description?.property]).toEqual([400, '/trial_days'])
  })
})

describe('the payment method', () => {
  it('is set once', async () => {
    const id = await sandbox.createSubscription()
    await sandbox.payByCard(id)
    const { status, json } = await sandbox.payByCard(id)
    expect([status, json.code, json.error_description?.property]).toEqual([412, 3500034, '/status'])
  })

  it('is not set for a single charge of a subscription, nor a link', async () => {
    const [charge] = await sandbox.chargesOf(await sandbox.createSubscription())
    const payment = { banking_billet: { customer: CUSTOMER, expire_at: '2026-03-10' } }
    const link = { expire_at: '2026-03-10', request_delivery_address: false, payment_method: 'all' }
    const answers = [
      await sandbox.call('POST', `/charge/${charge}/pay`, { payment }),
      await sandbox.call('POST', `/charge/${charge}/link`, link),
    ]
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(Array(2).fill([412, 3500034]))
  })

  it('is not set where the plan was deleted', async () => {
    const plan = await sandbox.createPlan()
    const { json } = await sandbox.subscribe(plan)
    await sandbox.call('DELETE', `/plan/${plan}`)
    const answer = await sandbox.payByCard(json.data.subscription_id)
    expect([answer.status, answer.json.error_description?.property]).toEqual([412, '/plan_id'])
  })
})
