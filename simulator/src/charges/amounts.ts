import { amountsOn, type Conditions } from '../money/amounts.ts'
import { type CalendarDate, laterBy } from '../rules/calendar-date.ts'
import type { BilletPayment, Charge, ConditionalDiscount, Item, PaymentLink, Shipping } from './charge.ts'

/** The sum of items and shippings, in cents. */
export function totalOf({
  items,
  shippings,
}: {
  readonly items: readonly Pick<Item, 'value' | 'amount'>[]
  readonly shippings: readonly Pick<Shipping, 'value'>[]
}): number {
  const ofItems = items.reduce((sum, { value, amount }) => sum + value * amount, 0)
  return shippings.reduce((sum, { value }) => sum + value, ofItems)
}

/** What a link gives off for a method, in cents. */
export function linkDiscount(link: PaymentLink | null, method: 'banking_billet' | 'credit_card'): number {
  return (method === 'banking_billet' ? link?.billet_discount : link?.card_discount) ?? 0
}

/** What a billet names as its amount: the total without the discount of the method, in cents, never below 0. */
export function fullAmount(charge: Pick<Charge, 'items' | 'shippings'>, discount: number): number {
  return Math.max(0, totalOf(charge) - discount)
}

/**
 * What the payer pays on a day, in cents, never below 0: the total without the discount of the method.
 * Up to and on its last day the conditional discount is taken off as well.
 */
export function amountToPay(
  charge: Pick<Charge, 'items' | 'shippings' | 'conditionalDiscount'>,
  discount: number,
  paidOn: CalendarDate,
): number {
  const { conditionalDiscount: conditional } = charge
  const isEarly = conditional !== null && paidOn <= conditional.until_date
  return fullAmount(charge, discount + (isEarly ? centsOf(conditional, totalOf(charge)) : 0))
}

/** What the payer of a charge pays on a day by the method that is set, in cents: a late billet costs its fine and interest as well. */
export function amountDueOn(charge: Charge, paidOn: CalendarDate): number {
  const { payment } = charge
  if (payment?.method !== 'banking_billet') return amountToPay(charge, payment?.discount ?? 0, paidOn)
  const digits = { amountCents: fullAmount(charge, payment.discount) }
  return amountsOn({ digits, dueDate: payment.expire_at, terms: billetConditionsOf(charge, payment) }, paidOn).due
}

/** A day's interest has three decimals of a percent, a rate two for 30 days. */
const INTEREST_OF_30_DAYS = 3

/**
 * What the amount of a billet depends on beside the day. Document 2 names no units: as in the field, `fine` is in hundredths of a percent (200 is 2%),
 * and `interest` in thousandths of a percent for each day (33 is 0.033%).
 */
export function billetConditionsOf(
  charge: Pick<Charge, 'items' | 'shippings' | 'conditionalDiscount'>,
  { fine, interest }: Pick<BilletPayment, 'fine' | 'interest'>,
): Conditions {
  const { conditionalDiscount: conditional } = charge
  return {
    abatement: 0,
    fine: fine === 0 ? null : { type: 'percentage', value: fine },
    interest: interest === 0 ? null : { type: 'percentage', value: INTEREST_OF_30_DAYS * interest },
    discount: conditional && {
      type: 'currency',
      value: centsOf(conditional, totalOf(charge)),
      until: conditional.until_date,
    },
  }
}

/** A percentage is taken of the whole total; parts of a cent are dropped. */
function centsOf(discount: ConditionalDiscount, total: number): number {
  return discount.type === 'currency' ? discount.value : Math.floor((total * discount.value) / 10_000)
}

/** The discount of a charge some months later: its last day moves as the due date does. */
export function discountLaterBy(discount: ConditionalDiscount | null, months: number): ConditionalDiscount | null {
  return discount && { ...discount, until_date: laterBy(discount.until_date, months) }
}
