import { ADDRESS, CUSTOMER } from '../charges/charge-client.ts'
import type { Caller } from './calls.ts'

const ITEMS = [{ name: 'Aluguel', value: 10_000, amount: 1 }]
const DISCOUNT = { type: 'percentage', value: 1_000, until_date: '2026-03-08' }
const BILLET = { customer: CUSTOMER, expire_at: '2026-03-20' }

/** Plans and subscriptions: Document 2, endpoints 5 to 14. */
export async function subscriptionCalls(caller: Caller): Promise<void> {
  const { call } = caller
  const { data: endless } = await call('createPlan', 'without an end', { name: 'Mensal', interval: 1, repeats: null })
  const { data: short } = await call('createPlan', 'with an end', { name: 'Duas vezes', interval: 1, repeats: 2 })
  await call('listPlans', 'all', {})
  await call('listPlans', 'by every parameter', { name: 'mensal', limit: 1, offset: 0 })
  await call('updatePlan', 'new name', { id: endless.plan_id }, { name: 'Todo mês' })
  await byBillet(caller, endless.plan_id)
  await byCard(caller, short.plan_id)
  await call('deletePlan', 'without an end', { id: endless.plan_id })
}

/** A new subscription, its id. */
async function create({ call }: Caller, about: string, plan: number, members: object = {}): Promise<number> {
  const { data } = await call('createSubscription', about, { id: plan }, { items: ITEMS, ...members })
  return data.subscription_id
}

async function byBillet(caller: Caller, plan: number): Promise<void> {
  const { call, control, surroundings } = caller
  const id = await create(caller, 'with metadata', plan, {
    shippings: [{ name: 'Correio', value: 1_500 }],
    metadata: { custom_id: 'A-1', notification_url: surroundings.notifications },
  })
  await call('detailSubscription', 'new', { id })
  const { callbacks } = await control('GET', '/callbacks?interface=charges')
  const token = new URLSearchParams(callbacks.at(-1).body).get('notification')
  await call('getNotification', 'of a subscription', { token })
  await call('updateSubscriptionMetadata', 'new id', { id }, { custom_id: 'A-2' })
  const customer = { ...CUSTOMER, birth: '1990-01-31', address: ADDRESS }
  const billet = { ...BILLET, customer, message: 'Obrigado', conditional_discount: DISCOUNT }
  await call('defineSubscriptionPayMethod', 'billet', { id }, { payment: { banking_billet: billet } })
  await call('createSubscriptionHistory', 'one message', { id }, { description: 'Enviado' })
  await call('detailSubscription', 'active', { id })
  await call('cancelSubscription', 'active', { id })
  await call('detailSubscription', 'cancelled', { id })
}

async function byCard(caller: Caller, plan: number): Promise<void> {
  const { call, control } = caller
  const id = await create(caller, 'without metadata', plan)
  const { payment_token } = await control('POST', '/cards', { brand: 'visa' })
  const card = { customer: CUSTOMER, payment_token, billing_address: ADDRESS, trial_days: 7 }
  await call('defineSubscriptionPayMethod', 'card with a trial', { id }, { payment: { credit_card: card } })
  await call('detailSubscription', 'trial', { id })
  await control('POST', '/clock/advance', { by: '60d' })
  await call('detailSubscription', 'expired', { id })
}
