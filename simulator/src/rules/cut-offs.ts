import { nextBusinessDay } from './business-days.ts'
import { addDays, type CalendarDate } from './calendar-date.ts'
import { localDate, localDateTime } from './local-time.ts'

/** Up to this amount a billet is paid on the same day until the evening. */
const LARGE_CENTS = 24_900_000

export interface PaymentRequest {
  readonly kind: 'billet' | 'tax'
  readonly amountCents: number
  /** The day that the caller asks for. */
  readonly date: CalendarDate
  /** In ms since 1970. */
  readonly now: number
  readonly zone: string
}

export type PaymentDay =
  | { readonly outcome: 'today' | 'scheduled'; readonly date: CalendarDate }
  | { readonly outcome: 'past' }
  | { readonly outcome: 'afterCutOff'; readonly cutOff: string }

/**
 * When a bill is paid that was asked for with a date: on that day if it is a business day, or else on the next one.
 * What is paid on the same day must be asked for by the cut-off (service-decisions.md); the second that the cut-off names belongs to the time before it.
 */
export function paymentDayOf({ kind, amountCents, date, now, zone }: PaymentRequest): PaymentDay {
  const [today = '', time = ''] = localDateTime(now, zone).split(' ')
  if (date < today) return { outcome: 'past' }
  const day = nextBusinessDay(date)
  if (day > today) return { outcome: 'scheduled', date: day }
  const cutOff = cutOffOf(kind, amountCents)
  return time <= cutOff ? { outcome: 'today', date: day } : { outcome: 'afterCutOff', cutOff }
}

/** The first day that a bill can be asked to be paid on: today, or after the cut-off the day that follows. */
export function firstPaymentDay(request: Omit<PaymentRequest, 'date'>): CalendarDate {
  const today = localDate(request.now, request.zone)
  return paymentDayOf({ ...request, date: today }).outcome === 'afterCutOff' ? addDays(today, 1) : today
}

function cutOffOf(kind: PaymentRequest['kind'], amountCents: number): string {
  if (kind === 'tax') return '18:00:00'
  return amountCents > LARGE_CENTS ? '14:00:00' : '22:00:00'
}
