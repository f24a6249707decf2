import type { z } from 'zod'
import { ControlError } from '../control-api/control-endpoint.ts'
import { messageOf } from '../errors.ts'
import type { BilletBill, BilletTerms, TaxTerms } from '../money/billet-terms.ts'
import type { BarcodeProblem } from '../rules/barcode-reading.ts'
import { buildBilletBarcode } from '../rules/billet-barcode.ts'
import { addDays, type CalendarDate } from '../rules/calendar-date.ts'
import { localDate } from '../rules/local-time.ts'
import { buildTaxBarcode } from '../rules/tax-barcode.ts'
import type { Site } from '../site.ts'
import { type Bill, readBill, storedBills } from './bill.ts'
import type { newBill, termsPatch } from './control-schema.ts'

type NewBill = z.output<typeof newBill>
type TermsPatch = z.output<typeof termsPatch>

const DUE_AFTER_DAYS = 7
const PAYABLE_DAYS = 60

/** Makes a bill with a barcode of its own. @throws ControlError 400 for what a barcode cannot carry */
export function makeBill(site: Site, wanted: NewBill): Bill {
  return site.records.transaction(() => {
    const today = localDate(site.clock.now(), site.settings.timeZone)
    const dueDate = wanted.dueDate === undefined ? addDays(today, DUE_AFTER_DAYS) : wanted.dueDate
    const number = site.records.nextNumber(`${site.environment}.bills`)
    const bill = knownBill(site, barcodeOf(wanted, dueDate, number))
    if (bill.dueDate !== dueDate)
      throw new ControlError(400, `on ${today} no barcode means the due date ${dueDate}: choose one nearer to it`)
    const { kind, amount, dueDate: _given, ...rest } = wanted
    const { bank: _bank, segment: _segment, modulo: _modulo, ...patch } = rest as Record<string, unknown>
    const limit = bill.kind === 'billet' && dueDate !== null && { payableUntil: addDays(dueDate, PAYABLE_DAYS) }
    return patchBill(site, bill, { ...limit, ...patch })
  })
}

/**
 * Changes terms; what the patch leaves out stays.
 * @throws ControlError 400 for terms that a tax does not have, 409 for those that follow from a charge
 */
export function patchBill(site: Site, bill: Bill, patch: TermsPatch): Bill {
  if (bill.kind === 'billet' && bill.charge !== null) return patchFlags(site, bill, patch)
  const terms: TaxTerms | BilletTerms = { ...bill.terms, ...definedOf(patch) }
  const foreign = Object.keys(terms).filter((name) => !(name in bill.terms))
  if (foreign.length > 0) throw new ControlError(400, `only a billet has ${foreign.join(', ')}, not a utility or tax`)
  const { barcode } = bill.digits
  storedBills(site).put(barcode, { barcode, terms })
  return knownBill(site, barcode)
}

function patchFlags(site: Site, { digits: { barcode }, terms, charge }: BilletBill, patch: TermsPatch): Bill {
  const { unknown = terms.unknown, payable = terms.payable, ...others } = definedOf(patch)
  const names = Object.keys(others)
  if (names.length > 0)
    throw new ControlError(
      409,
      `${names.join(', ')}: follows from charge ${charge?.id}; of its billet only unknown and payable can be set`,
    )
  storedBills(site).put(barcode, { barcode, terms: { unknown, payable } })
  return knownBill(site, barcode)
}

/** @throws ControlError 400 unless the digits are right */
export function knownBill(site: Site, text: string): Bill {
  const reading = readBill(site, text)
  if (reading.outcome === 'read') return reading.bill
  throw new ControlError(400, `${text} is no barcode and no typeable line: ${describe(reading.problem)}`)
}

function describe(problem: BarcodeProblem): string {
  switch (problem.what) {
    case 'characters':
      return 'it has other characters than digits'
    case 'zeros':
      return 'all its digits are zeros, as those of a billet of the sandbox, which cannot be paid'
    case 'length':
      return `it has ${problem.length} digits, not 44, nor 47, nor 48 with an 8 in front`
    case 'checkDigit':
      return `the check digit at position ${problem.position} is ${problem.found}, not ${problem.expected}`
    default:
      return `its ${problem.what} is ${problem.found}, which the layout does not have`
  }
}

function barcodeOf(wanted: NewBill, dueDate: CalendarDate | null, number: number): string {
  const digits = (length: number) => String(number).padStart(length, '0').slice(-length)
  try {
    if (wanted.kind === 'billet')
      return buildBilletBarcode({
        bank: wanted.bank,
        amountCents: wanted.amount,
        dueDate,
        freeField: digits(25),
      })
    const { segment, modulo, amount } = wanted
    // FEBRABAN's layout: 6 and 8 carry an amount, 7 and 9 a reference; the due date comes first in the free field.
    const withAmount = modulo === 10 ? 6 : 8
    const companyLength = segment === 6 ? 8 : 4
    const date = dueDate?.replaceAll('-', '') ?? ''
    return buildTaxBarcode({
      segment,
      valueIdentifier: amount === 0 ? (withAmount === 6 ? 7 : 9) : withAmount,
      value: amount,
      company: '1'.padStart(companyLength, '0'),
      freeField: date + digits(29 - companyLength - date.length),
    })
  } catch (error) {
    throw new ControlError(400, messageOf(error))
  }
}

function definedOf(patch: TermsPatch): Partial<BilletTerms> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
}
