import fc from 'fast-check'
import { CUSTOMER } from '../charges/charge-client.ts'
import { agreeOnCharge } from './agreement.ts'
import { dateAt, plusDays } from './calendar.ts'
import type { ModelCharge } from './model.ts'
import * as one from './operation.ts'
import type { Step } from './step.ts'

const { cents, customId, days, discount, discountFrom, items, outcome, path, urlOrNull, which } = one

/** An operation on one charge, of a subscription or carnet too. */
function onCharge<T extends { which: number }>(
  name: string,
  input: fc.Arbitrary<T>,
  rulesOf: (step: Step, input: T) => one.Rules<ModelCharge> | Promise<one.Rules<ModelCharge>>,
) {
  return one.operation(
    name,
    input,
    ({ charges }) => charges.length > 0,
    async (step, chosen) => {
      const charge = await one.perform(step.model.charges, chosen.which, await rulesOf(step, chosen))
      await agreeOnCharge(step.real, charge)
    },
  )
}

const isOwnAndNew = ({ status, owner }: ModelCharge) => status === 'new' && owner === null
const isCancellable = ({ status }: ModelCharge) => ['new', 'waiting', 'unpaid', 'link'].includes(status)
const isPrintable = ({ method, status }: ModelCharge) => method === 'banking_billet' && status !== 'canceled'
const waitsForCard = ({ method, status }: ModelCharge) => method === 'credit_card' && status === 'waiting'
const isExpirable = ({ method, status }: ModelCharge) =>
  status === 'link' || (status === 'waiting' && method === 'banking_billet')

const create = one.operation(
  'create a charge',
  fc.record({ value: cents, amount: fc.integer({ min: 1, max: 3 }), shipping: fc.nat(500), path, customId }),
  () => true,
  async ({ model, real }, { value, amount, shipping, path, customId }) => {
    const metadata = { notification_url: urlOrNull(real, path), custom_id: customId }
    const shippings = [{ name: 'Post', value: shipping }]
    const answer = await real.client.call('POST', '/charge', { items: items(value, amount), shippings, metadata })
    one.expectStatus(answer, 200)
    const topic = model.topic(metadata.notification_url, customId)
    await agreeOnCharge(real, model.addCharge(value * amount + shipping, topic, null, answer.json.data.charge_id))
  },
)

const METHODS = [
  onCharge('make a link', fc.record({ which, days, discount }), ({ model, real }, { days, discount }) => {
    const until = discountFrom(model, discount)
    const date = plusDays(model.today, days)
    const link = { expire_at: date, request_delivery_address: false, payment_method: 'all' }
    const body = { ...link, ...(until && { conditional_discount: until }) }
    return {
      call: ({ id }) => real.client.call('POST', `/charge/${id}/link`, body),
      isAccepted: isOwnAndNew,
      change: (charge) => model.link(charge, date, until),
    }
  }),
  onCharge('change a link', fc.record({ which, days }), ({ model, real }, { days }) => {
    const date = plusDays(model.today, days)
    const body = { expire_at: date, request_delivery_address: false, payment_method: 'all' }
    return {
      call: ({ id }) => real.client.call('PUT', `/charge/${id}/link`, body),
      isAccepted: ({ linkDate, status }) => linkDate !== null && status !== 'canceled',
      change: (charge) => model.link(charge, date, undefined),
    }
  }),
  onCharge('set a billet', fc.record({ which, days, discount }), ({ model, real }, { days, discount }) => {
    const until = discountFrom(model, discount)
    const date = plusDays(model.today, days)
    const payment = { banking_billet: { customer: CUSTOMER, expire_at: date } }
    const body = { payment, ...(until && { conditional_discount: until }) }
    return {
      call: ({ id }) => real.client.call('POST', `/charge/${id}/pay`, body),
      isAccepted: isOwnAndNew,
      change: (charge) => model.billet(charge, date, until),
    }
  }),
  onCharge('give a card', fc.record({ which, outcome, discount }), async ({ model, real }, { outcome, discount }) => {
    const until = discountFrom(model, discount)
    const payment = { credit_card: { customer: CUSTOMER, payment_token: await real.client.createCard({ outcome }) } }
    const body = { payment, ...(until && { conditional_discount: until }) }
    return {
      call: ({ id }) => real.client.call('POST', `/charge/${id}/pay`, body),
      isAccepted: isOwnAndNew,
      change: (charge) => model.card(charge, outcome, until),
    }
  }),
]

const place = fc.constantFrom('online', 'bank_agency')

const CHANGES = [
  onCharge('cancel a charge', fc.record({ which }), ({ model, real }) => ({
    call: ({ id }) => real.client.call('PUT', `/charge/${id}/cancel`),
    isAccepted: isCancellable,
    change: (charge) => model.become(charge, 'canceled'),
  })),
  onCharge(
    'change metadata of a charge',
    fc.record({ which, path, customId }),
    async ({ model, real }, { path, customId }) => {
      // A new address applies to callbacks that wait, too.
      await real.settled(model)
      const url = urlOrNull(real, path)
      const body = { notification_url: url, custom_id: customId }
      return {
        call: ({ id }) => real.client.call('PUT', `/charge/${id}/metadata`, body),
        isAccepted: () => true,
        change: (charge) => Object.assign(charge, { url, customId }),
      }
    },
  ),
  onCharge('pay a billet', fc.record({ which, place, daysAgo: fc.nat(3) }), ({ model, real }, { place, daysAgo }) => {
    const on = plusDays(model.today, -daysAgo)
    const isInTime = ({ status, isPrinted }: ModelCharge) =>
      status === 'waiting' || status === 'unpaid' || (status === 'canceled' && isPrinted && place === 'bank_agency')
    return {
      call: ({ id }) => real.client.control('POST', `/charges/${id}/pay`, { place, paid_on: on }),
      isAccepted: (charge) =>
        model.isProduction && charge.method === 'banking_billet' && on >= dateAt(charge.setAt) && isInTime(charge),
      change: (charge) => model.pay(charge, on),
      refused: 409,
    }
  }),
  onCharge('print a billet', fc.record({ which }), ({ real }) => ({
    call: ({ id }) => real.client.control('POST', `/charges/${id}/print`),
    isAccepted: isPrintable,
    change: (charge) => Object.assign(charge, { isPrinted: true }),
    refused: 409,
  })),
  onCharge('confirm a card', fc.record({ which }), ({ model, real }) => ({
    call: ({ id }) => real.client.control('POST', `/charges/${id}/confirm`),
    isAccepted: waitsForCard,
    change: (charge) => model.pay(charge, dateAt(charge.setAt)),
    refused: 409,
  })),
  onCharge('refuse a card', fc.record({ which }), ({ model, real }) => ({
    call: ({ id }) => real.client.control('POST', `/charges/${id}/refuse`),
    isAccepted: waitsForCard,
    change: (charge) => model.become(charge, 'unpaid'),
    refused: 409,
  })),
  onCharge('expire a charge', fc.record({ which }), ({ model, real }) => ({
    call: ({ id }) => real.client.control('POST', `/charges/${id}/expire`),
    isAccepted: isExpirable,
    change: (charge) => model.become(charge, charge.status === 'link' ? 'expired' : 'unpaid'),
    refused: 409,
  })),
]

export const CHARGES = [create, ...METHODS, ...CHANGES]
