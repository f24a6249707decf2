import { decimalOf } from '../../rules/money.ts'
import type { Site } from '../../site.ts'
import { billetConditionsOf, fullAmount } from '../amounts.ts'
import { type Address, type BilletPayment, type Charge, type Customer, payerOf } from '../charge.ts'
import { codeOf } from '../instant-payments.ts'

export type BilletCharge = Charge & { readonly payment: BilletPayment }

/** What a billet says, line by line, on its page and in its PDF. */
export function linesOf(site: Site, charge: BilletCharge): string[] {
  const { payment, belongsTo } = charge
  const { message, typeableLine } = payment
  const code = codeOf(site, payment)
  return [
    ...(belongsTo?.kind === 'carnet' ? [`Parcel ${belongsTo.parcel} of carnet ${belongsTo.id}`] : []),
    ...partiesOf(site, charge),
    ...thingsOf(charge),
    `Amount: R$ ${decimalOf(fullAmount(charge, payment.discount))}`,
    `Due date: ${payment.expire_at}`,
    ...conditionsOf(charge),
    ...(message?.split(/\r?\n/) ?? []),
    `Typeable line: ${typeableLine}`,
    ...(code === null ? [] : [`Instant-payment code: ${code}`]),
  ]
}

function partiesOf(site: Site, charge: Charge): string[] {
  const { customer } = charge
  const { name, document } = site.applications.accountOf(charge)
  return [
    `Beneficiary: ${name} (${document})`,
    payerLine(customer),
    ...(customer?.address === undefined ? [] : [`Address: ${addressLine(customer.address)}`]),
  ]
}

export function payerLine(customer: Customer | null | undefined): string {
  const payer = payerOf(customer)
  return `Payer: ${payer.name} (${payer.document})`
}

function addressLine({ street, number, complement, neighborhood, city, state, zipcode }: Address): string {
  return [`${street}, ${number}`, complement, neighborhood, city, state, zipcode].filter(Boolean).join(', ')
}

function thingsOf({ items, shippings, payment }: BilletCharge): string[] {
  return [
    ...items.map(({ name, value, amount }) => `${amount} x ${name}: R$ ${decimalOf(value)}`),
    ...shippings.map(({ name, value }) => `Shipping ${name}: R$ ${decimalOf(value)}`),
    ...(payment.discount === 0 ? [] : [`Discount of a billet: R$ ${decimalOf(payment.discount)}`]),
  ]
}

/** Fine and interest begin with 0 (Document 2, Versioning), which is shown too. */
function conditionsOf(charge: BilletCharge): string[] {
  const { fine, interest } = charge.payment
  const { discount } = billetConditionsOf(charge, charge.payment)
  return [
    `Fine when paid late: ${decimalOf(fine)}%`,
    `Interest for each day late: ${thousandths(interest)}%`,
    ...(discount === null ? [] : [`Discount when paid until ${discount.until}: R$ ${decimalOf(discount.value)}`]),
  ]
}

function thousandths(value: number): string {
  const digits = String(value).padStart(4, '0')
  return `${digits.slice(0, -3)}.${digits.slice(-3)}`
}
