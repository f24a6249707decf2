import { billetConditionsOf } from '../charges/amounts.ts'
import { chargeIdOf } from '../charges/billet-digits.ts'
import { type BilletPayment, type Charge, payerOf } from '../charges/charge.ts'
import { findCharge } from '../charges/charges.ts'
import type { BilledCharge, BilletBill, BilletTerms } from '../money/billet-terms.ts'
import type { Billet } from '../rules/billet-barcode.ts'
import { LAST_DATE } from '../rules/calendar-date.ts'
import type { Site } from '../site.ts'

/**
 * The bill of a charge's billet: its terms are those of the charge at this time. undefined: the digits are of no charge's billet.
 * Digits that the billet had before its link was changed cannot be paid any more, nor can those of a charge of the sandbox.
 */
export function chargeBillOf(site: Site, digits: Billet): BilletBill | undefined {
  const charge = findCharge(site, chargeIdOf(digits) ?? '')
  if (charge?.payment?.method !== 'banking_billet') return undefined
  const { payment } = charge
  const isReplaced = payment.typeableLine !== digits.typeableLine
  return {
    kind: 'billet',
    digits,
    dueDate: payment.expire_at,
    terms: termsOf(site, charge, payment),
    charge: { id: charge.id, obstacle: isReplaced ? 'withdrawn' : obstacleOf(charge) },
  }
}

function obstacleOf({ status }: Charge): BilledCharge['obstacle'] {
  if (status === 'paid') return 'paid'
  return status === 'canceled' ? 'withdrawn' : null
}

/** A charge waits for its payment without end. */
function termsOf(site: Site, charge: Charge, payment: BilletPayment): BilletTerms {
  const { name, document } = site.applications.accountOf(charge)
  return {
    unknown: false,
    payable: true,
    payableUntil: LAST_DATE,
    divergent: null,
    partial: null,
    beneficiary: { name, tradeName: name, document },
    payer: payerOf(charge.customer),
    ...billetConditionsOf(charge, payment),
  }
}
