import type { BilletBill, BilletTerms, TaxTerms } from '../money/billet-terms.ts'
import type { Collection } from '../records.ts'
import { readBarcode } from '../rules/barcode.ts'
import type { BarcodeProblem } from '../rules/barcode-reading.ts'
import type { Billet } from '../rules/billet-barcode.ts'
import { addDays, type CalendarDate, dayNumberOf, isCalendarDate, LAST_DATE } from '../rules/calendar-date.ts'
import { DAYS_AHEAD, DAYS_PAST, dueDateOf } from '../rules/due-factor.ts'
import { localDate } from '../rules/local-time.ts'
import type { Tax } from '../rules/tax-barcode.ts'
import type { Site } from '../site.ts'
import { chargeBillOf } from './charge-billet.ts'
import { partiesOf } from './made-up-parties.ts'

export interface TaxBill {
  readonly kind: 'tax'
  readonly digits: Tax
  readonly dueDate: CalendarDate | null
  readonly terms: TaxTerms
}

export type Bill = BilletBill | TaxBill

/**
 * The terms that the control API set. Other bills have terms that follow from their digits;
 * of the billet of a charge only the members of `TaxTerms` are set here.
 */
interface StoredBill {
  readonly barcode: string
  readonly terms: BilletTerms | TaxTerms
}

export type BillReading =
  | { readonly outcome: 'read'; readonly bill: Bill }
  | { readonly outcome: 'refused'; readonly problem: BarcodeProblem }

/** The most that the ten digits of an amount can name. */
export const LARGEST_AMOUNT = 9_999_999_999

export function storedBills(site: Site): Collection<StoredBill> {
  return site.collection<StoredBill>('bills')
}

/**
 * The bill of a barcode or typeable line. The service knows every bill whose digits are right: that of a charge has the charge's terms,
 * and one that the control API did not make either gets terms from its digits, the same every time.
 */
export function readBill(site: Site, text: string): BillReading {
  const reading = readBarcode(text)
  if (reading.outcome === 'refused') return reading
  const { bill: digits } = reading
  const today = localDate(site.clock.now(), site.settings.timeZone)
  const stored = storedBills(site).get(digits.barcode)?.terms
  const bill: Bill =
    digits.kind === 'billet'
      ? (billOfCharge(site, digits, stored) ?? billetOf(digits, today, stored as BilletTerms | undefined))
      : { kind: 'tax', digits, dueDate: taxDueDateOf(digits, today), terms: stored ?? TAX_TERMS }
  return { outcome: 'read', bill }
}

export const TAX_TERMS: TaxTerms = { unknown: false, payable: true }

function billOfCharge(site: Site, digits: Billet, stored: TaxTerms | undefined): BilletBill | undefined {
  const bill = chargeBillOf(site, digits)
  return bill && { ...bill, terms: { ...bill.terms, ...stored } }
}

function billetOf(digits: Billet, today: CalendarDate, stored: BilletTerms | undefined): BilletBill {
  const due = dueDateOf(digits.dueFactor, today)
  const dueDate = due.kind === 'date' ? due.date : null
  return { kind: 'billet', digits, dueDate, terms: stored ?? billetTermsOf(digits, dueDate), charge: null }
}

/**
 * A billet that the control API did not make costs its amount on every day, and can be paid for as long as its factor means this date,
 * so that lines from real documents can be tried however old they are.
 */
export function billetTermsOf({ barcode, amountCents }: Billet, dueDate: CalendarDate | null): BilletTerms {
  return {
    ...TAX_TERMS,
    ...partiesOf(barcode),
    payableUntil: dueDate === null ? LAST_DATE : addDays(dueDate, DAYS_PAST),
    abatement: 0,
    fine: null,
    interest: null,
    discount: null,
    partial: null,
    divergent: amountCents === 0 ? { min: 1, max: LARGEST_AMOUNT } : null,
  }
}

/** FEBRABAN's layout for collection: a due date comes first in the free field, as `YYYYMMDD`. Other digits there are none. */
function taxDueDateOf({ freeField }: Tax, today: CalendarDate): CalendarDate | null {
  const date = freeField.replace(/^(\d{4})(\d{2})(\d{2}).*$/, '$1-$2-$3')
  if (!isCalendarDate(date)) return null
  const days = dayNumberOf(date) - dayNumberOf(today)
  return days >= -DAYS_PAST && days <= DAYS_AHEAD ? date : null
}
