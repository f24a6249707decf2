import { type CalendarDate, laterBy } from '../rules/calendar-date.ts'
import type { Charge, ConditionalDiscount, Item, PaymentLink, Shipping } from './charge.ts'

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
  const conditional = conditionalDiscountOf(charge.conditionalDiscount, totalOf(charge), paidOn)
  return fullAmount(charge, discount + conditional)
}

/** A percentage is taken of the whole total; parts of a cent are dropped. */
function conditionalDiscountOf(discount: ConditionalDiscount | null, total: number, paidOn: CalendarDate): number {
  if (discount === null || paidOn > discount.until_date) return 0
  return discount.type === 'currency' ? discount.value : Math.floor((total * discount.value) / 10_000)
}

/** The discount of a charge some months later: its last day moves as the due date does. */
export function discountLaterBy(discount: ConditionalDiscount | null, months: number): ConditionalDiscount | null {
  return discount && { ...discount, until_date: laterBy(discount.until_date, months) }
}
