import { randomUUID } from 'node:crypto'
import type { Charge } from '../charges/charge.ts'
import { type ChargeParts, changeCharge, changeStatus, createCharge, findCharge } from '../charges/charges.ts'
import { chargeProblem } from '../http/service-error.ts'
import { notify, redirect } from '../notifications/notify.ts'
import type { Site } from '../site.ts'
import type { Plan } from './plan.ts'
import type { Subscription, SubscriptionStatus } from './subscription.ts'

const FIRST_ID = 100_001

/** Creates a subscription with its first charge. */
export function createSubscription(site: Site, plan: Plan, parts: Omit<ChargeParts, 'belongsTo'>): Subscription {
  return site.records.transaction(() => {
    const subscription: Subscription = {
      id: site.records.nextNumber(`${site.environment}.subscriptions`, FIRST_ID),
      planId: plan.id,
      ...parts,
      status: 'new',
      notificationToken: randomUUID(),
      createdAt: site.clock.now(),
      messages: [],
      chargeIds: [],
      payment: null,
      nextParcel: null,
    }
    put(site, subscription)
    notifyOf(site, subscription, null)
    return addCharge(site, subscription).subscription
  })
}

/** Generates the next charge, which has no payment method yet. */
export function addCharge(site: Site, subscription: Subscription): { subscription: Subscription; charge: Charge } {
  const { id, account, clientId, items, shippings, customId, notificationUrl, notificationToken } = subscription
  const charge = createCharge(site, {
    account,
    clientId,
    items,
    shippings,
    customId,
    notificationUrl,
    notificationToken,
    belongsTo: { kind: 'subscription', id, parcel: subscription.chargeIds.length + 1 },
  })
  const chargeIds = [...subscription.chargeIds, charge.id]
  return { subscription: changeSubscription(site, subscription, { chargeIds }), charge }
}

export function findSubscription(site: Site, id: string | number): Subscription | undefined {
  return subscriptionsOf(site).get(id)
}

export function listSubscriptions(site: Site): readonly Subscription[] {
  return subscriptionsOf(site).list()
}

/** @throws ServiceError 404 for another account's too */
export function requireSubscription(site: Site, account: string, id: string | undefined): Subscription {
  const subscription = findSubscription(site, id ?? '')
  if (subscription?.account !== account) throw chargeProblem(404, 'not_found', 'A assinatura não existe.')
  return subscription
}

/** The charges that were generated so far, oldest first. */
export function chargesOf(site: Site, { chargeIds }: Subscription): readonly Charge[] {
  return chargeIds.flatMap((id) => findCharge(site, id) ?? [])
}

/** Writes a subscription whose status stays the same. */
export function changeSubscription(
  site: Site,
  subscription: Subscription,
  changes: Partial<Omit<Subscription, 'id' | 'status'>>,
): Subscription {
  const changed = { ...subscription, ...changes }
  put(site, changed)
  return changed
}

/** Gives a subscription another status, which a notification tells. */
export function changeSubscriptionStatus(
  site: Site,
  subscription: Subscription,
  changes: Partial<Omit<Subscription, 'id'>> & { status: SubscriptionStatus },
): Subscription {
  return site.records.transaction(() => {
    const changed = { ...subscription, ...changes }
    put(site, changed)
    notifyOf(site, changed, subscription.status)
    return changed
  })
}

/** Ends a subscription. Charges without a payment method end with it; the others can still be paid. */
export function cancelSubscription(site: Site, subscription: Subscription): Subscription {
  return site.records.transaction(() => {
    for (const charge of chargesOf(site, subscription))
      if (charge.status === 'new') changeStatus(site, charge, { status: 'canceled', message: 'Assinatura cancelada' })
    return changeSubscriptionStatus(site, subscription, { status: 'canceled', nextParcel: null })
  })
}

/** Of every charge too, past ones included (Document 2, rule of endpoint 12). */
export function changeMetadata(
  site: Site,
  subscription: Subscription,
  metadata: Partial<Pick<Subscription, 'customId' | 'notificationUrl'>>,
): void {
  site.records.transaction(() => {
    changeSubscription(site, subscription, metadata)
    for (const charge of chargesOf(site, subscription)) changeCharge(site, charge, metadata)
    const { notificationUrl: url } = metadata
    if (url !== undefined) redirect(site, subscription.notificationToken, url)
  })
}

function notifyOf(site: Site, subscription: Subscription, previous: SubscriptionStatus | null): void {
  const { id, notificationToken: token, account, clientId, notificationUrl: url, customId, status } = subscription
  const about = { type: 'subscription', identifiers: { subscription_id: id } } as const
  notify(site, { token, account, clientId, url }, { ...about, customId, status: { current: status, previous } })
}

function put(site: Site, subscription: Subscription): void {
  subscriptionsOf(site).put(subscription.id, subscription)
}

function subscriptionsOf(site: Site) {
  return site.collection<Subscription>('subscriptions')
}
