import { z } from 'zod'
import { totalOf } from '../charges/amounts.ts'
import { billetOf, billetSchema, status } from '../charges/answers.ts'
import type { Charge } from '../charges/charge.ts'
import { localDate, localDateTime, localTime } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import { nextDueDateOf, nextExecutionOf } from './cycles.ts'
import type { Plan } from './plan.ts'
import { findPlan } from './plans.ts'
import type { Subscription, SubscriptionPayment } from './subscription.ts'
import { chargesOf } from './subscriptions.ts'

const planFacts = { plan_id: z.int(), name: z.string(), interval: z.int(), repeats: z.int().nullable() }
const subscriptionStatus = z.enum(['new', 'active', 'canceled', 'expired'])

export const planSchema = z.object({ ...planFacts, created_at: localTime })
export const plansSchema = z.array(z.object({ ...planFacts, created_at: z.iso.date() }))

export function planView(site: Site, plan: Plan) {
  return { ...factsOf(plan), created_at: localDateTime(plan.createdAt, site.settings.timeZone) }
}

/** Within the list, `created_at` has no time. */
export function planInListView(site: Site, plan: Plan) {
  return { ...factsOf(plan), created_at: localDate(plan.createdAt, site.settings.timeZone) }
}

function factsOf({ id, name, interval, repeats }: Plan) {
  return { plan_id: id, name, interval, repeats }
}

export const createdSchema = z.object({
  subscription_id: z.int(),
  status: subscriptionStatus,
  custom_id: z.string().nullable(),
  charges: z.array(z.object({ charge_id: z.int(), status, total: z.int(), parcel: z.int() })),
  created_at: localTime,
})

export function createdView(site: Site, subscription: Subscription) {
  const { id, customId, createdAt } = subscription
  return {
    subscription_id: id,
    status: subscription.status,
    custom_id: customId,
    charges: chargesOf(site, subscription).map((charge) => {
      const { id: charge_id, ...facts } = summaryOf(charge)
      return { charge_id, ...facts }
    }),
    created_at: localDateTime(createdAt, site.settings.timeZone),
  }
}

function summaryOf(charge: Charge) {
  const { id, status, belongsTo } = charge
  return { id, status, total: totalOf(charge), parcel: belongsTo?.parcel ?? 1 }
}

export const subscriptionSchema = z.object({
  subscription_id: z.int(),
  value: z.int(),
  status: subscriptionStatus,
  custom_id: z.string().nullable(),
  notification_url: z.string().nullable(),
  payment_method: z.enum(['banking_billet', 'credit_card']).nullable(),
  next_execution: z.iso.date().nullable(),
  next_expire_at: z.iso.date().nullable(),
  plan: z.object(planFacts),
  occurrences: z.int().describe('How many charges were generated'),
  created_at: localTime,
  history: z.array(z.object({ charge_id: z.int(), status, created_at: localTime })),
})

/** The whole record of a subscription. */
export function subscriptionView(site: Site, subscription: Subscription) {
  const { timeZone } = site.settings
  const plan = findPlan(site, subscription.planId)
  return {
    subscription_id: subscription.id,
    value: totalOf(subscription),
    status: subscription.status,
    custom_id: subscription.customId,
    notification_url: subscription.notificationUrl,
    payment_method: subscription.payment?.method ?? null,
    next_execution: nextExecutionOf(subscription, plan),
    next_expire_at: nextDueDateOf(subscription, plan),
    plan: factsOf(plan),
    occurrences: subscription.chargeIds.length,
    created_at: localDateTime(subscription.createdAt, timeZone),
    history: chargesOf(site, subscription).map(({ id, status, createdAt }) => ({
      charge_id: id,
      status,
      created_at: localDateTime(createdAt, timeZone),
    })),
  }
}

const paidBase = {
  subscription_id: z.int(),
  status: subscriptionStatus,
  plan: z.object({ id: z.int(), interval: z.int(), repeats: z.int().nullable() }),
  charge: z.object({ id: z.int(), status, parcel: z.int(), total: z.int() }),
  first_execution: z.string().regex(/^\d{2}\/\d{2}\/\d{4}$/),
  total: z.int(),
}
const { barcode, link, billet_link, pdf, expire_at, pix } = billetSchema.shape

export const paySchema = z.union([
  z.object({ ...paidBase, payment: z.literal('banking_billet'), barcode, link, billet_link, pdf, expire_at, pix }),
  z
    .object({ ...paidBase, payment: z.literal('banking_billet'), expire_at })
    .describe('During a trial: the billet is made when it ends'),
  z.object({ ...paidBase, payment: z.literal('credit_card') }),
])

/** The answer of endpoint 13. A billet is shown as soon as it is made. */
export function payView(site: Site, subscription: Subscription, payment: SubscriptionPayment) {
  const { id, interval, repeats } = findPlan(site, subscription.planId)
  const [first] = chargesOf(site, subscription)
  if (first === undefined) throw new Error('unreachable: a subscription has a first charge')
  return {
    subscription_id: subscription.id,
    status: subscription.status,
    plan: { id, interval, repeats },
    charge: summaryOf(first),
    first_execution: payment.firstExecution.split('-').reverse().join('/'),
    total: totalOf(subscription),
    payment: payment.method,
    ...(payment.method === 'banking_billet' && billetFactsOf(site, first, payment.choice.expireAt)),
  }
}

function billetFactsOf(site: Site, { payment }: Charge, expireAt: string) {
  if (payment?.method !== 'banking_billet') return { expire_at: expireAt }
  const { configurations, ...facts } = billetOf(site, payment)
  return facts
}
