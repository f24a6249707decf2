import { discountLaterBy } from '../charges/amounts.ts'
import type { Charge } from '../charges/charge.ts'
import { findCharge, todayOf } from '../charges/charges.ts'
import { setBillet, setCard } from '../charges/payments.ts'
import { addDays, type CalendarDate, laterBy } from '../rules/calendar-date.ts'
import { instantOf } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import type { Plan } from './plan.ts'
import { findPlan } from './plans.ts'
import type { Subscription, SubscriptionPayment } from './subscription.ts'
import { addCharge, changeSubscription, changeSubscriptionStatus, findSubscription } from './subscriptions.ts'

/** The day on which the first charge gets its payment method: a trial delays it. */
export function firstExecutionOf(site: Site, trialDays: number): CalendarDate {
  return addDays(todayOf(site), trialDays)
}

/** Sets the payment method. The first charge gets it at once, or when the trial ends. */
export function activate(site: Site, subscription: Subscription, payment: SubscriptionPayment): Subscription {
  return site.records.transaction(() => {
    const active = changeSubscriptionStatus(site, subscription, { status: 'active', payment, nextParcel: 1 })
    if (payment.firstExecution <= todayOf(site)) return generate(site, active)
    schedule(site, active)
    return active
  })
}

/** The day on which the next charge is generated; null: none is. */
export function nextExecutionOf(subscription: Subscription, plan: Plan): CalendarDate | null {
  const { payment, nextParcel } = subscription
  if (payment === null || nextParcel === null || plan.isDeleted) return null
  return laterBy(payment.firstExecution, (nextParcel - 1) * plan.interval)
}

/** The due date of the next charge; null: none is generated, or it is paid by card. */
export function nextDueDateOf(subscription: Subscription, plan: Plan): CalendarDate | null {
  const { payment, nextParcel } = subscription
  if (payment?.method !== 'banking_billet' || nextParcel === null || plan.isDeleted) return null
  return laterBy(payment.choice.expireAt, (nextParcel - 1) * plan.interval)
}

/** Says what happens to subscriptions as time goes by. */
export function defineSubscriptionTasks(site: Site): void {
  site.tasks.define<{ id: number; parcel: number }>(kindOf(site), ({ id, parcel }) => {
    const subscription = findSubscription(site, id)
    if (subscription?.nextParcel !== parcel) return
    if (findPlan(site, subscription.planId).isDeleted) return
    site.records.transaction(() => generate(site, subscription))
  })
}

/** Issues the next charge, and plans the one after it. */
function generate(site: Site, subscription: Subscription): Subscription {
  const { payment, nextParcel: parcel, planId } = subscription
  if (payment === null || parcel === null) throw new Error('unreachable: the subscription has no payment method')
  const { interval, repeats } = findPlan(site, planId)
  const added = parcel > subscription.chargeIds.length ? addCharge(site, subscription) : undefined
  const charge = added?.charge ?? findCharge(site, subscription.chargeIds[parcel - 1] ?? '')
  // The integrator may have cancelled the first one.
  if (charge?.status === 'new') issue(site, charge, payment, (parcel - 1) * interval)
  const issued = added?.subscription ?? subscription
  if (repeats !== null && parcel >= repeats)
    return changeSubscriptionStatus(site, issued, { status: 'expired', nextParcel: null })
  const changed = changeSubscription(site, issued, { nextParcel: parcel + 1 })
  schedule(site, changed)
  return changed
}

function issue(site: Site, charge: Charge, { method, choice }: SubscriptionPayment, months: number): void {
  const conditionalDiscount = discountLaterBy(choice.conditionalDiscount, months)
  if (method === 'credit_card') setCard(site, charge, { ...choice, conditionalDiscount })
  else setBillet(site, charge, { ...choice, conditionalDiscount, expireAt: laterBy(choice.expireAt, months) })
}

function schedule(site: Site, subscription: Subscription): void {
  const date = nextExecutionOf(subscription, findPlan(site, subscription.planId))
  if (date === null) return
  const dueAt = instantOf(date, '00:00:00', site.settings.timeZone)
  site.tasks.schedule(kindOf(site), dueAt, { id: subscription.id, parcel: subscription.nextParcel })
}

function kindOf({ environment }: Site): string {
  return `${environment}.subscription-cycle`
}
