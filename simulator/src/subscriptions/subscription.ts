import type { Charge } from '../charges/charge.ts'
import type { BilletChoice, CardChoice } from '../charges/payments.ts'
import type { CalendarDate } from '../rules/calendar-date.ts'

export type SubscriptionStatus = 'new' | 'active' | 'canceled' | 'expired'

/** How every charge of a subscription is paid. The dates of the choice are those of the first charge. */
export type SubscriptionPayment = {
  /** The day on which the first charge gets its payment method. */
  readonly firstExecution: CalendarDate
} & (
  | { readonly method: 'banking_billet'; readonly choice: BilletChoice }
  | { readonly method: 'credit_card'; readonly choice: CardChoice }
)

/** Items bound to a plan, which generates a charge each time (Document 2). */
export interface Subscription
  extends Pick<
    Charge,
    'account' | 'clientId' | 'items' | 'shippings' | 'customId' | 'notificationUrl' | 'notificationToken'
  > {
  readonly id: number
  readonly planId: number
  readonly status: SubscriptionStatus
  /** Simulated time, in ms since 1970. */
  readonly createdAt: number
  /** The integrator's. */
  readonly messages: readonly { readonly message: string; readonly at: number }[]
  /** Oldest first. The first one is created together with the subscription. */
  readonly chargeIds: readonly number[]
  /** null: not defined yet. */
  readonly payment: SubscriptionPayment | null
  /** Number of the charge that is generated next, from 1; null: none is. */
  readonly nextParcel: number | null
}
