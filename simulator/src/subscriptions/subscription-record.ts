import { z } from 'zod'
import { totalOf } from '../charges/amounts.ts'
import type { Charge } from '../charges/charge.ts'
import { chargeOutlook } from '../charges/charge-outlook.ts'
import { chargeState, chargeStateOf } from '../charges/charge-record.ts'
import { isoOf, type NextStep, outlookMembers, outlookView } from '../control-api/outlook.ts'
import { notificationOutlook, notificationsMember } from '../notifications/outlook.ts'
import { instantOf, localDateTime } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import { nextDueDateOf, nextExecutionOf } from './cycles.ts'
import type { Plan } from './plan.ts'
import { findPlan } from './plans.ts'
import type { Subscription } from './subscription.ts'
import { chargesOf } from './subscriptions.ts'

export const subscriptionState = z.object({
  subscription_id: z.int(),
  account: z.string(),
  plan_id: z.int(),
  status: z.string(),
  charges: z.array(z.int()),
  next_execution: z.string().nullable(),
  messages: z.array(z.object({ message: z.string(), created_at: z.string() })).describe('Those of the integrator'),
})

/** A subscription in a list of the control API. */
export function subscriptionStateOf(site: Site, subscription: Subscription): z.output<typeof subscriptionState> {
  const { id, account, planId, status, chargeIds, messages } = subscription
  return {
    subscription_id: id,
    account,
    plan_id: planId,
    status,
    charges: [...chargeIds],
    next_execution: nextExecutionOf(subscription, findPlan(site, planId)),
    messages: messages.map(({ message, at }) => ({
      message,
      created_at: localDateTime(at, site.settings.timeZone),
    })),
  }
}

export const subscriptionRecord = subscriptionState.extend({
  value: z.int().describe('Cents of each charge'),
  custom_id: z.string().nullable(),
  created_at: z.iso.datetime(),
  plan: z.object({
    name: z.string(),
    interval: z.int(),
    repeats: z.int().nullable(),
    deleted: z.boolean(),
  }),
  payment_method: z.string().nullable(),
  next_expire_at: z.string().nullable().describe('Due date of the next billet'),
  charges: z.array(chargeState.omit({ account: true, custom_id: true })),
  notifications: notificationsMember.describe('Those of its charges are counted too'),
  ...outlookMembers,
})

/** All that is known of a subscription and its charges, and what comes next. */
export function subscriptionRecordOf(site: Site, subscription: Subscription): z.input<typeof subscriptionRecord> {
  const plan = findPlan(site, subscription.planId)
  const { name, interval, repeats, isDeleted: deleted } = plan
  const charges = chargesOf(site, subscription)
  const { notifications, ...others } = notificationOutlook(site, {
    ...subscription,
    isAbout: () => true,
    metadata: `PUT /v1/subscription/${subscription.id}/metadata`,
  })
  return {
    ...subscriptionStateOf(site, subscription),
    value: totalOf(subscription),
    custom_id: subscription.customId,
    created_at: isoOf(subscription.createdAt),
    plan: { name, interval, repeats, deleted },
    payment_method: subscription.payment?.method ?? null,
    next_expire_at: nextDueDateOf(subscription, plan),
    charges: charges.map((charge) => {
      const { charge_id, status, total } = chargeStateOf(charge)
      return { charge_id, status, total }
    }),
    notifications,
    ...outlookView(
      site,
      { history: messagesOf(subscription), next: nextOf(site, subscription, plan, charges) },
      others,
    ),
  }
}

function messagesOf({ messages }: Subscription) {
  return messages.map(({ message, at }) => ({ at, what: `"${message}"` }))
}

function nextOf(site: Site, subscription: Subscription, plan: Plan, charges: readonly Charge[]): NextStep[] {
  const issued = charges.filter(({ status }) => status !== 'new')
  return [...cycleSteps(site, subscription, plan), ...issued.flatMap((charge) => chargeOutlook(site, charge).next)]
}

function cycleSteps(site: Site, subscription: Subscription, plan: Plan): NextStep[] {
  const { id, status, nextParcel, chargeIds } = subscription
  const isOver = status === 'canceled' || status === 'expired'
  if (!isOver && plan.isDeleted) return [{ at: null, what: `no charge comes any more: plan ${plan.id} was deleted` }]
  if (status === 'new') return [{ at: null, what: `POST /v1/subscription/${id}/pay sets the payment method` }]
  const date = nextExecutionOf(subscription, plan)
  if (date === null || nextParcel === null) return []
  const dueDate = nextDueDateOf(subscription, plan)
  const of = plan.repeats === null ? '' : ` of ${plan.repeats}`
  const verb = nextParcel > chargeIds.length ? 'is generated' : 'is issued, because the trial ends'
  const what = `charge number ${nextParcel}${of} ${verb}${dueDate === null ? '' : `, with the due date ${dueDate}`}`
  return [{ at: instantOf(date, '00:00:00', site.settings.timeZone), what }]
}
