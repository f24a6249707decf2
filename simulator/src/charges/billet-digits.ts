import { type Billet, billetLineOf, buildBilletBarcode } from '../rules/billet-barcode.ts'
import type { CalendarDate } from '../rules/calendar-date.ts'
import { isDueFactorDate } from '../rules/due-factor.ts'
import type { Site } from '../site.ts'
import type { Charge } from './charge.ts'
import { todayOf } from './charges.ts'

/** A number that no bank has. */
const BANK = 999

/**
 * The typeable line of a charge's billet. That of the sandbox is all zeros, and cannot be paid (Document 2, Limits).
 * A due date that is too far away for a due factor is not in the digits.
 */
export function typeableLineOf(site: Site, charge: Charge, dueDate: CalendarDate, amountCents: number): string {
  if (site.environment === 'sandbox') return '0'.repeat(47)
  const freeField = String(charge.id).padStart(25, '0')
  const dateInDigits = isDueFactorDate(dueDate, todayOf(site)) ? dueDate : null
  return billetLineOf(buildBilletBarcode({ bank: BANK, amountCents, dueDate: dateInDigits, freeField }))
}

/** The charge of a billet's digits; null: they are those of another bank. */
export function chargeIdOf({ bank, freeField }: Billet): number | null {
  return bank === BANK ? Number(freeField) : null
}
