import type { CalendarDate } from '../rules/calendar-date.ts'
import { localDate } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import type { Charge } from './charge.ts'
import { todayOf } from './charges.ts'

export interface AtTheBank {
  readonly place: 'online' | 'bank_agency'
  readonly paidOn: CalendarDate
}

/**
 * Why a billet cannot be paid; null: it can.
 * A bank's own pages see that a charge was cancelled, an agency does not: it takes a billet that was printed before (Document 2, Charge status).
 */
export function billetPaymentProblem(site: Site, charge: Charge, { place, paidOn }: AtTheBank): string | null {
  const { status, payment } = charge
  if (payment?.method !== 'banking_billet') return 'the charge has no billet'
  if (site.environment === 'sandbox') return 'billets of the sandbox cannot be paid: use production'
  if (status === 'paid') return 'the charge is paid already'
  if (status === 'canceled' && (place !== 'bank_agency' || payment.printedAt === null))
    return 'the charge is cancelled: only a billet that was printed before can be paid, at a bank agency'
  if (paidOn > todayOf(site)) return 'paid_on is in the future'
  if (paidOn < localDate(payment.setAt, site.settings.timeZone)) return 'paid_on is before the billet was made'
  return null
}
