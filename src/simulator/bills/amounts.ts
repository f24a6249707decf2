import { nextBusinessDay } from '../rules/business-days.ts'
import { type CalendarDate, dayNumberOf } from '../rules/calendar-date.ts'
import type { BilletTerms, Rate } from './bill.ts'

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

/** What a billet costs when it is paid on a day, in cents. */
export interface Amounts {
  readonly original: number
  readonly abatement: number
  readonly fine: number
  readonly interest: number
  readonly discount: number
  readonly due: number
}

/**
 * Fine and interest fall due when the billet is paid later than on the first business day from its due date on;
 * interest counts the days from the due date itself. All rates refer to the amount without the abatement.
 * Fine and interest have at most ten digits each.
 */
export function amountsOn({ digits, dueDate, terms }: Priced, day: CalendarDate): Amounts {
  const original = digits.amountCents
  const abatement = Math.min(terms.abatement, original)
  const base = original - abatement
  const isLate = dueDate !== null && day > nextBusinessDay(dueDate)
  const fine = isLate ? Math.min(LARGEST_AMOUNT, partOf(base, terms.fine)) : 0
  const daysLate = isLate ? dayNumberOf(day) - dayNumberOf(dueDate) : 0
  const interest = Math.min(LARGEST_AMOUNT, interestOf(base, terms.interest, daysLate))
  const isEarly = terms.discount !== null && day <= terms.discount.until
  const discount = isEarly ? Math.min(base, partOf(base, terms.discount)) : 0
  return { original, abatement, fine, interest, discount, due: base + fine + interest - discount }
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
