import { nextBusinessDay } from '../rules/business-days.ts'
import { type CalendarDate, dayNumberOf } from '../rules/calendar-date.ts'
import type { BilletTerms, Rate } from './billet-terms.ts'

const DAYS_OF_MONTH = 30
/** The most that a billet can ask for: its ten digits, and as much for a fine and for interest. */
const LARGEST_AMOUNT = 9_999_999_999

/** What the amount of a billet depends on beside the day. */
export type Conditions = Pick<BilletTerms, 'abatement' | 'fine' | 'interest' | 'discount'>

export interface Priced {
  readonly digits: { readonly amountCents: number }
  readonly dueDate: CalendarDate | null
  readonly terms: Conditions
}

/** A payment of a billet. */
export interface Paid {
  readonly cents: number
  /** The day on which it counts. */
  readonly day: CalendarDate
}

/** What a billet costs when it is paid on a day, in cents; `due` is what is left. */
export interface Amounts {
  readonly original: number
  readonly abatement: number
  readonly fine: number
  readonly interest: number
  readonly discount: number
  readonly due: number
}

/**
 * Fine and interest fall due when the billet is paid later than on the first business day from its due date on, and refer to what was open then;
 * interest counts the days from the due date itself. All rates refer to the amount without the abatement.
 * Fine and interest have at most ten digits each. A billet that was paid in full costs nothing on any day.
 */
export function amountsOn(billet: Priced, day: CalendarDate, paid: readonly Paid[] = []): Amounts {
  const amounts = unsettledOn(billet, day, paid)
  const isSettled = paid.some((last) => {
    const untilThen = paid.filter((one) => one.day <= last.day)
    return unsettledOn(billet, last.day, untilThen).due === 0
  })
  return isSettled ? withNothingDue(amounts) : amounts
}

export function withNothingDue(amounts: Amounts): Amounts {
  return { ...amounts, fine: 0, interest: 0, due: 0 }
}

function unsettledOn({ digits, dueDate, terms }: Priced, day: CalendarDate, paid: readonly Paid[]): Amounts {
  const original = digits.amountCents
  const abatement = Math.min(terms.abatement, original)
  const base = original - abatement
  const lastDay = dueDate === null ? null : nextBusinessDay(dueDate)
  const isLate = lastDay !== null && day > lastDay
  const open = isLate ? base - sumOf(paid.filter((one) => one.day <= lastDay)) : 0
  const fine = open > 0 ? Math.min(LARGEST_AMOUNT, partOf(open, terms.fine)) : 0
  const daysLate = open > 0 && dueDate !== null ? dayNumberOf(day) - dayNumberOf(dueDate) : 0
  const interest = Math.min(LARGEST_AMOUNT, interestOf(open, terms.interest, daysLate))
  const isEarly = terms.discount !== null && day <= terms.discount.until
  const discount = isEarly ? Math.min(base, partOf(base, terms.discount)) : 0
  const due = Math.max(0, base + fine + interest - discount - sumOf(paid))
  return { original, abatement, fine, interest, discount, due }
}

function sumOf(paid: readonly Paid[]): number {
  return paid.reduce((sum, { cents }) => sum + cents, 0)
}

function partOf(base: number, rate: Rate | null): number {
  if (rate === null) return 0
  return rate.type === 'currency' ? rate.value : Math.round((base * rate.value) / 10_000)
}

function interestOf(base: number, rate: Rate | null, days: number): number {
  if (rate === null) return 0
  if (rate.type === 'currency') return rate.value * days
  return Math.round((base * rate.value * days) / (10_000 * DAYS_OF_MONTH))
}
