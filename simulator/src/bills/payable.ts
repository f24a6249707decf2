import { type Amounts, amountsOn, type Paid, withNothingDue } from '../money/amounts.ts'
import type { BilletBill } from '../money/billet-terms.ts'
import type { CalendarDate } from '../rules/calendar-date.ts'
import { type Bill, LARGEST_AMOUNT } from './bill.ts'

/** Why a bill cannot be paid at all, or not with an amount. */
export type Obstacle = 'withdrawn' | 'tooLate' | 'paid' | 'noPaymentLeft' | 'amount'

/** What the service accepts for a bill on a day. */
export interface Offer {
  /** What is left to pay, in cents; null: the digits name no amount. */
  readonly dueCents: number | null
  /** Any other amount must be within them. */
  readonly bounds: { readonly min: number; readonly max: number }
  /** null: it can be paid. */
  readonly obstacle: Exclude<Obstacle, 'amount'> | null
}

/** @param paid the payments of this bill that were not refused or canceled */
export function offerOf(bill: Bill, day: CalendarDate, paid: readonly Paid[]): Offer {
  return bill.kind === 'billet' ? billetOffer(bill, day, paid) : taxOffer(bill.digits.amountCents, bill, paid)
}

/** Why an amount is not accepted; null: it is. */
export function obstacleTo({ dueCents, bounds, obstacle }: Offer, amountCents: number): Obstacle | null {
  if (obstacle !== null) return obstacle
  const isAccepted = amountCents === dueCents || (amountCents >= bounds.min && amountCents <= bounds.max)
  return isAccepted ? null : 'amount'
}

function taxOffer(amountCents: number | null, { terms }: Bill, paid: readonly Paid[]): Offer {
  const bounds = amountCents === null ? { min: 1, max: LARGEST_AMOUNT } : { min: amountCents, max: amountCents }
  return { dueCents: amountCents, bounds, obstacle: !terms.payable ? 'withdrawn' : paid.length > 0 ? 'paid' : null }
}

function billetOffer(bill: BilletBill, day: CalendarDate, paid: readonly Paid[]): Offer {
  const { divergent, partial } = bill.terms
  const dueCents = chargedOn(bill, day, paid).due
  const bounds = divergent ?? { min: partial === null ? dueCents : Math.min(1, dueCents), max: dueCents }
  return { dueCents, bounds, obstacle: billetObstacle(bill, day, paid.length, dueCents) }
}

/** What a billet asks for on a day. Where parts are not accepted, any payment that was accepted pays it in full. */
export function chargedOn(bill: BilletBill, day: CalendarDate, paid: readonly Paid[]): Amounts {
  const isPaid = bill.charge?.obstacle === 'paid' || (bill.terms.partial === null && paid.length > 0)
  const amounts = amountsOn(bill, day, paid)
  return isPaid ? withNothingDue(amounts) : amounts
}

function billetObstacle({ terms, charge }: BilletBill, day: CalendarDate, payments: number, dueCents: number) {
  const { payable, payableUntil, partial, divergent } = terms
  if (charge !== null && charge.obstacle !== null) return charge.obstacle
  if (!payable) return 'withdrawn'
  if (day > payableUntil) return 'tooLate'
  // A discount can be the whole amount, and no payment is of 0 cents.
  if (payments === 0) return dueCents === 0 && divergent === null ? 'withdrawn' : null
  if (partial === null || dueCents === 0) return 'paid'
  return payments >= partial.maxPayments ? 'noPaymentLeft' : null
}
