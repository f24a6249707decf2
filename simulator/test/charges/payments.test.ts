import { beforeEach, describe, expect, it } from 'vitest'
import { readBarcode } from '../../src/rules/barcode.ts'
import { simulatorForFile } from '../running.ts'
import { ADDRESS, CUSTOMER, chargeClient } from './charge-client.ts'

const running = simulatorForFile()
beforeEach(() => sandbox.setTime('2026-03-02T15:00:00Z'))

const sandbox = chargeClient(running, 'sandbox')
const production = chargeClient(running, 'production')
const outbox = (environment: 'sandbox' | 'production') =>
  Object.values(running().simulator.sites[environment].records.dump()[`${environment}.outbox`] ?? {})

/** A charge in production whose billet waits. */
async function withBillet(...changes: object[]): Promise<number> {
  const id = await production.createCharge()
  const { status, text } = await production.payByBillet(id, ...changes)
  if (status !== 200) throw new Error(text)
  return id
}
const pay = (id: number, body: object = {}) => production.control('POST', `/charges/${id}/pay`, body)

describe('a billet', () => {
  it('makes the new charge wait, and answers its line, page and PDF', async () => {
    const id = await production.createCharge()
    const answer = await production.payByBillet(id, { configurations: { fine: 200 }, message: 'a\nb\nc\nd' })
    const page = expect.stringMatching(/^https:\/\/localhost:\d+\/billets\/[0-9a-f]{32}$/)
    expect([answer.status, answer.json.data]).toEqual([
      200,
      {
        charge_id: id,
        total: 10_000,
        status: 'waiting',
        payment: 'banking_billet',
        expire_at: '2026-03-10',
        barcode: expect.stringMatching(/^999\d{44}$/),
        link: page,
        billet_link: page,
        pdf: { charge: expect.stringMatching(/\.pdf$/) },
        configurations: { days_to_write_off: 0, fine: 200, interest: 0 },
      },
    ])
    expect(await production.show(id)).toMatchObject({
      status: 'waiting',
      customer: CUSTOMER,
      payment: { method: 'banking_billet', message: 'a\nb\nc\nd', paid_at: null, paid_value: null },
    })
  })

  it('carries amount and due date in the digits of its line', async () => {
    const { json } = await production.payByBillet(await production.createCharge())
    expect(readBarcode(json.data.barcode)).toMatchObject({
      outcome: 'read',
      bill: { bank: 999, amountCents: 10_000, dueFactor: 1381 },
    })
  })

  it('of the sandbox has a line of zeros and cannot be paid', async () => {
    const id = await sandbox.createCharge()
    expect((await sandbox.payByBillet(id)).json.data.barcode).toBe('0'.repeat(47))
    const answer = await sandbox.control('POST', `/charges/${id}/pay`, { place: 'bank_agency' })
    expect([answer.status, answer.json.error, await sandbox.statusOf(id)]).toEqual([
      ...[409, 'billets of the sandbox cannot be paid: use production', 'waiting'],
    ])
  })

  it('is unpaid when the day of its due date has ended in local time, not a second before', async () => {
    const id = await withBillet({ expire_at: '2026-03-02' })
    await production.setTime('2026-03-03T02:59:59Z')
    expect(await production.statusOf(id)).toBe('waiting')
    await production.advance('1s')
    expect(await production.statusOf(id)).toBe('unpaid')
  })

  it('in production does not pay itself', async () => {
    const id = await withBillet()
    await production.advance('6d')
    expect(await production.statusOf(id)).toBe('waiting')
  })

  it('is paid online: record, history and a message to the payer', async () => {
    const id = await withBillet()
    await production.setTime('2026-03-04T13:30:00Z')
    const answer = await pay(id)
    expect([answer.status, answer.json.status]).toEqual([200, 'paid'])
    const { payment, history, status } = await production.show(id)
    expect([status, payment, history.at(-1)]).toEqual([
      'paid',
      expect.objectContaining({
        paid_at: '2026-03-04 10:30:00',
        paid_value: 10_000,
        received_by_bank_at: '2026-03-04',
      }),
      { message: 'Pagamento confirmado', created_at: '2026-03-04 10:30:00' },
    ])
    expect(outbox('production').at(-1)).toMatchObject({
      channel: 'email',
      to: CUSTOMER.email,
      subject: 'charge_paid',
      text: `Your payment of R$ 100.00 for charge ${id} was confirmed.`,
    })
  })

  it('is paid once only', async () => {
    const id = await withBillet()
    expect([(await pay(id)).status, (await pay(id)).status]).toEqual([200, 409])
  })

  it('paid at a bank agency is confirmed later than it was paid', async () => {
    const id = await withBillet()
    await production.setTime('2026-03-06T12:00:00Z')
    await pay(id, { place: 'bank_agency', paid_on: '2026-03-04' })
    expect((await production.show(id)).payment).toMatchObject({
      paid_at: '2026-03-06 09:00:00',
      received_by_bank_at: '2026-03-04',
    })
  })

  it('is not paid in the future, nor before it was made', async () => {
    const id = await withBillet()
    const answers = [await pay(id, { paid_on: '2026-03-03' }), await pay(id, { paid_on: '2026-03-01' })]
    expect(answers.map(({ status, json }) => [status, json.error])).toEqual([
      [409, 'paid_on is in the future'],
      [409, 'paid_on is before the billet was made'],
    ])
  })

  it('that is unpaid can still be paid late', async () => {
    const id = await withBillet({ expire_at: '2026-03-02' })
    await production.setTime('2026-03-05T12:00:00Z')
    expect([await production.statusOf(id), (await pay(id)).json.status]).toEqual(['unpaid', 'paid'])
  })

  describe('of a cancelled charge', () => {
    const cancel = (id: number) => production.call('PUT', `/charge/${id}/cancel`)
    const agency = { place: 'bank_agency' }

    it('is paid at a bank agency when it was printed before, and the payer gets a message', async () => {
      const id = await withBillet()
      await production.control('POST', `/charges/${id}/print`)
      await cancel(id)
      const before = outbox('production').length
      expect([(await pay(id, agency)).json.status, await production.statusOf(id)]).toEqual(['paid', 'paid'])
      expect(outbox('production').slice(before)).toMatchObject([{ to: CUSTOMER.email, subject: 'charge_paid' }])
    })

    it('is paid neither unprinted, nor online, nor printed afterwards', async () => {
      const unprinted = await withBillet()
      const online = await withBillet()
      await production.control('POST', `/charges/${online}/print`)
      await Promise.all([cancel(unprinted), cancel(online)])
      const answers = [
        await pay(unprinted, agency),
        await pay(online),
        await production.control('POST', `/charges/${unprinted}/print`),
      ]
      expect(answers.map(({ status }) => status)).toEqual([409, 409, 409])
      expect(await production.statusOf(unprinted)).toBe('canceled')
    })

    it('does not become unpaid', async () => {
      const id = await withBillet({ expire_at: '2026-03-02' })
      await cancel(id)
      await production.advance('3d')
      expect(await production.statusOf(id)).toBe('canceled')
    })
  })

  it('returns an instant-payment code when the account has that switched on', async () => {
    const number = running().simulator.sites.production.applications.accounts()[0]?.number
    const path = `/accounts/${number}/instant-payment`
    expect((await production.control('PUT', path, { on: true })).status).toBe(204)
    const { json } = await production.payByBillet(await production.createCharge())
    await production.control('PUT', path, { on: false })
    expect(json.data.pix).toEqual({
      qrcode: expect.stringMatching(/^000201.*5406100\.005802BR.*6304[0-9A-F]{4}$/),
      qrcode_image: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
    })
    const without = await production.payByBillet(await production.createCharge())
    expect(without.json.data).not.toHaveProperty('pix')
  })
})

describe('a card', () => {
  it('of the sandbox is confirmed by itself', async () => {
    const id = await sandbox.createCharge()
    const { json } = await sandbox.payByCard(id, { installments: 3, billing_address: ADDRESS })
    expect(json.data).toEqual({
      charge_id: id,
      total: 10_000,
      status: 'waiting',
      payment: 'credit_card',
      installments: 3,
      installment_value: 3334,
    })
    await sandbox.advance('4s')
    expect(await sandbox.statusOf(id)).toBe('waiting')
    await sandbox.advance('1s')
    expect(await sandbox.show(id)).toMatchObject({
      status: 'paid',
      parcel: 3,
      payment: {
        method: 'credit_card',
        paid_value: 10_000,
        credit_card: {
          mask: expect.stringMatching(/^X{12}\d{4}$/),
          brand: 'visa',
          installments: 3,
          installment_value: 3334,
          address: { ...ADDRESS, complement: null },
        },
      },
    })
  })

  it('without a billing address has that of its customer, and without both an empty one', async () => {
    const [given, none] = [await sandbox.createCharge(), await sandbox.createCharge()]
    await sandbox.payByCard(given, { customer: { ...CUSTOMER, address: ADDRESS } })
    await sandbox.payByCard(none)
    expect((await sandbox.show(given)).payment.credit_card.address).toEqual({ ...ADDRESS, complement: null })
    expect((await sandbox.show(none)).payment.credit_card.address).toEqual({
      street: '',
      number: '',
      complement: null,
      neighborhood: '',
      city: '',
      state: '',
      zipcode: '',
    })
  })

  it('of production waits until the control API confirms or refuses it', async () => {
    const [good, bad] = [await production.createCharge(), await production.createCharge()]
    await Promise.all([production.payByCard(good), production.payByCard(bad)])
    await production.advance('6d')
    expect([await production.statusOf(good), await production.statusOf(bad)]).toEqual(['waiting', 'waiting'])
    await production.control('POST', `/charges/${good}/confirm`)
    await production.control('POST', `/charges/${bad}/refuse`)
    expect([await production.statusOf(good), await production.statusOf(bad)]).toEqual(['paid', 'unpaid'])
    expect((await production.show(good)).payment.received_by_bank_at).toBe('2026-03-02')
    expect((await production.control('POST', `/charges/${bad}/confirm`)).status).toBe(409)
  })

  it.each(['sandbox', 'production'] as const)('whose bank refuses is unpaid, in the %s', async (environment) => {
    const client = { sandbox, production }[environment]
    const id = await client.createCharge()
    await client.payByCard(id, { payment_token: await client.createCard({ outcome: 'unpaid' }) })
    await client.advance('5s')
    expect(await client.statusOf(id)).toBe('unpaid')
  })

  it('of a charge that was cancelled is not confirmed', async () => {
    const id = await sandbox.createCharge()
    await sandbox.payByCard(id)
    await sandbox.call('PUT', `/charge/${id}/cancel`)
    await sandbox.advance('1h')
    expect(await sandbox.statusOf(id)).toBe('canceled')
  })

  it('token has 40 hexadecimal characters and can be used once, in capitals too', async () => {
    const token = await sandbox.createCard()
    expect(token).toMatch(/^[0-9a-f]{40}$/)
    const use = async () => sandbox.payByCard(await sandbox.createCharge(), { payment_token: token.toUpperCase() })
    const [first, second] = [await use(), await use()]
    expect([first.status, second.status, second.json]).toEqual([
      200,
      400,
      {
        code: 3500034,
        error: 'validation_error',
        error_description: {
          property: '/payment/credit_card/payment_token',
          message: 'O token de pagamento já foi usado.',
        },
      },
    ])
  })

  it('token of the other environment, or unknown, is refused', async () => {
    const id = await sandbox.createCharge()
    for (const payment_token of [await production.createCard(), 'a'.repeat(40), 'a'.repeat(39), 'g'.repeat(40)])
      expect((await sandbox.payByCard(id, { payment_token })).json.error_description?.property).toBe(
        '/payment/credit_card/payment_token',
      )
    expect(await sandbox.statusOf(id)).toBe('new')
  })

  it.each([[{ brand: '' }], [{ outcome: 'maybe' }], [{ number: '4111' }]])('is not made of %j', async (made) => {
    expect((await sandbox.control('POST', '/cards', made)).status).toBe(400)
  })

  it.each(['visa', 'mastercard', 'amex', 'elo', 'hipercard'])('%s is accepted', async (brand) => {
    const payment_token = await sandbox.createCard({ brand })
    expect((await sandbox.payByCard(await sandbox.createCharge(), { payment_token })).status).toBe(200)
  })

  it.each(['jcb', 'aura', 'discover', 'diners'])('%s is refused, and its token is not used up', async (brand) => {
    const payment_token = await sandbox.createCard({ brand })
    const id = await sandbox.createCharge()
    const tries = [await sandbox.payByCard(id, { payment_token }), await sandbox.payByCard(id, { payment_token })]
    expect(tries.map(({ status, json }) => [status, json.error_description?.message])).toEqual(
      Array(2).fill([400, 'A bandeira do cartão não é aceita.']),
    )
  })
})

describe('a conditional discount', () => {
  const until = (type: string, value: number) => ({ type, value, until_date: '2026-03-04' })

  it.each<[string, object, string, number]>([
    ['currency, on its last day', until('currency', 599), '2026-03-04', 9401],
    ['currency, the day after', until('currency', 599), '2026-03-05', 10_000],
    ['percentage, on its last day', until('percentage', 1500), '2026-03-04', 8500],
    ['percentage, the day after', until('percentage', 1500), '2026-03-05', 10_000],
    ['more than the total', until('currency', 20_000), '2026-03-04', 0],
  ])('in %s', async (_what, conditional_discount, paid_on, cents) => {
    const id = await withBillet({}, { conditional_discount })
    await production.setTime('2026-03-06T12:00:00Z')
    await pay(id, { paid_on })
    expect((await production.show(id)).payment.paid_value).toBe(cents)
  })

  it('in percent drops parts of a cent', async () => {
    const id = await production.createCharge({ items: [{ name: 'Book', value: 9999 }] })
    await production.payByBillet(id, {}, { conditional_discount: until('percentage', 1500) })
    await pay(id)
    expect((await production.show(id)).payment.paid_value).toBe(9999 - 1499)
  })

  it('holds until the end of its last day in local time, whatever the day is in UTC', async () => {
    const id = await withBillet({}, { conditional_discount: until('currency', 599) })
    await production.setTime('2026-03-05T02:59:59Z')
    await pay(id)
    expect((await production.show(id)).payment).toMatchObject({ paid_value: 9401, received_by_bank_at: '2026-03-04' })
  })

  it('is taken within the billet too, and null is none', async () => {
    const inside = await withBillet({ conditional_discount: until('currency', 599) })
    const none = await withBillet({}, { conditional_discount: null })
    expect([
      (await production.show(inside)).conditional_discount,
      (await production.show(none)).conditional_discount,
    ]).toEqual([until('currency', 599), null])
  })

  it('of a card counts on the day on which the card was given', async () => {
    const id = await production.createCharge()
    const { json } = await production.payByCard(id, {}, { conditional_discount: until('currency', 600) })
    expect(json.data.installment_value).toBe(9400)
    await production.setTime('2026-03-08T12:00:00Z')
    await production.control('POST', `/charges/${id}/confirm`)
    expect((await production.show(id)).payment.paid_value).toBe(9400)
  })
})

describe('the body of a payment', () => {
  const customer = (changes: object) => ({ customer: { ...CUSTOMER, ...changes } })
  const BILLET = '/payment/banking_billet'

  it.each<[string, object, string]>([
    ['a name of one word', customer({ name: 'Ana' }), `${BILLET}/customer/name`],
    ['no name', customer({ name: undefined }), `${BILLET}/customer/name`],
    ['a CPF with a wrong check digit', customer({ cpf: '52998224726' }), `${BILLET}/customer/cpf`],
    ['no CPF', customer({ cpf: undefined }), `${BILLET}/customer/cpf`],
    ['no mail address', customer({ email: undefined }), `${BILLET}/customer/email`],
    ['what is no mail address', customer({ email: 'ana' }), `${BILLET}/customer/email`],
    ['no phone number', customer({ phone_number: undefined }), `${BILLET}/customer/phone_number`],
    ['a phone number of 9 digits', customer({ phone_number: '119876543' }), `${BILLET}/customer/phone_number`],
    ['a birthday that does not exist', customer({ birth: '1990-02-30' }), `${BILLET}/customer/birth`],
    ['an unknown state', customer({ address: { ...ADDRESS, state: 'XX' } }), `${BILLET}/customer/address/state`],
    ['a short CEP', customer({ address: { ...ADDRESS, zipcode: '3540000' } }), `${BILLET}/customer/address/zipcode`],
    ['no due date', { expire_at: undefined }, `${BILLET}/expire_at`],
    ['a due date in the past', { expire_at: '2026-03-01' }, `${BILLET}/expire_at`],
    ['a negative fine', { configurations: { fine: -1 } }, `${BILLET}/configurations/fine`],
    ['negative interest', { configurations: { interest: -1 } }, `${BILLET}/configurations/interest`],
    ['a message of 5 lines', { message: 'a\nb\nc\nd\ne' }, `${BILLET}/message`],
    ['a line of 101 characters', { message: `a\n${'x'.repeat(101)}` }, `${BILLET}/message`],
    ['an unknown member', { trial: 1 }, `${BILLET}/trial`],
  ])('with %s is refused', async (_what, changes, property) => {
    const id = await production.createCharge()
    const { status, json } = await production.payByBillet(id, changes)
    expect([status, json.error_description?.property, await production.statusOf(id)]).toEqual([400, property, 'new'])
  })

  it.each<[string, object, string]>([
    ['no instalment', { installments: 0 }, 'installments'],
    ['13 instalments', { installments: 13 }, 'installments'],
    ['a message of 5 lines', { message: 'a\nb\nc\nd\ne' }, 'message'],
    [
      'a billing address without a street',
      { billing_address: { ...ADDRESS, street: undefined } },
      'billing_address/street',
    ],
    ['a due date', { expire_at: '2026-03-10' }, 'expire_at'],
  ])('with a card and %s is refused', async (_what, changes, property) => {
    const { status, json } = await sandbox.payByCard(await sandbox.createCharge(), changes)
    expect([status, json.error_description?.property]).toEqual([400, `/payment/credit_card/${property}`])
  })

  it.each<[string, object, string]>([
    ['no instalment', { installments: 0 }, 'installments'],
    ['13 instalments', { installments: 13 }, 'installments'],
    ['a message of 5 lines', { message: 'a\nb\nc\nd\ne' }, 'message'],
    [
      'a billing address without a street',
      { billing_address: { ...ADDRESS, street: undefined } },
      'billing_address/street',
    ],
    ['a due date', { expire_at: '2026-03-10' }, 'expire_at'],
  ])('with a card and %s is refused', async (_what, changes, property) => {
    const { status, json } = await sandbox.payByCard(await sandbox.createCharge(), changes)
    expect([status, json.error_description.property]).toEqual([400, `/payment/credit_card/${property}`])
  })

  it('has exactly one method, and `all` is none', async () => {
    const id = await sandbox.createCharge()
    const billet = { customer: CUSTOMER, expire_at: '2026-03-10' }
    const card = { customer: CUSTOMER, payment_token: await sandbox.createCard() }
    const bodies = [
      {},
      { payment: {} },
      { payment: { banking_billet: billet, credit_card: card } },
      { payment: { all: billet } },
    ]
    const answers = await Promise.all(bodies.map((body) => sandbox.call('POST', `/charge/${id}/pay`, body)))
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(Array(4).fill([400, 3500034]))
  })

  it('the limits themselves are good: 4 lines of 100 characters, no fine, no interest, due today', async () => {
    const message = Array(4).fill('x'.repeat(100)).join('\n')
    const configurations = { fine: 0, interest: 0 }
    const id = await production.createCharge()
    const changes = { ...customer({ birth: '1990-02-28', address: ADDRESS }), message, configurations }
    expect((await production.payByBillet(id, { ...changes, expire_at: '2026-03-02' })).status).toBe(200)
  })

  it('is taken for a new charge only', async () => {
    const id = await withBillet()
    const answers = [await production.payByBillet(id), await production.payByCard(id)]
    expect(answers.map(({ status, json }) => [status, json.error_description?.property])).toEqual(
      Array(2).fill([412, '/status']),
    )
  })
})
