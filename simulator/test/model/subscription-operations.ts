import fc from 'fast-check'
import { CUSTOMER } from '../charges/charge-client.ts'
import { agreeOnCharge, learnCharges } from './agreement.ts'
import { plusDays } from './calendar.ts'
import type { ModelPlan, ModelSubscription } from './model.ts'
import * as one from './operation.ts'
import type { Step } from './step.ts'

const { cents, customId, days, discount, discountFrom, items, outcome, path, urlOrNull, which } = one

const interval = fc.constantFrom(1, 1, 2, 12)
const repeats = fc.constantFrom(null, 2, 2, 3, 12)
const name = fc.constantFrom('Gold', 'Silver')
const isThere = ({ isDeleted }: ModelPlan) => !isDeleted

const [create, rename, remove] = [
  one.operation(
    'create a plan',
    fc.record({ interval, repeats, name }),
    () => true,
    async ({ model, real }, plan) => {
      const answer = await real.client.call('POST', '/plan', plan)
      one.expectStatus(answer, 200)
      model.plans.push({ id: answer.json.data.plan_id, ...plan, isDeleted: false })
    },
  ),
  one.operation(
    'rename a plan',
    fc.record({ which, name }),
    ({ plans }) => plans.length > 0,
    async ({ model, real }, { which, name }) => {
      const call = ({ id }: ModelPlan) => real.client.call('PUT', `/plan/${id}`, { name })
      const change = (plan: ModelPlan) => Object.assign(plan, { name })
      await one.perform(model.plans, which, { call, isAccepted: isThere, change, refused: 404 })
    },
  ),
  one.operation(
    'delete a plan',
    fc.record({ which }),
    ({ plans }) => plans.length > 2,
    async ({ model, real }, { which }) => {
      const call = ({ id }: ModelPlan) => real.client.call('DELETE', `/plan/${id}`)
      const change = (plan: ModelPlan) => Object.assign(plan, { isDeleted: true })
      await one.perform(model.plans, which, { call, isAccepted: isThere, change, refused: 404 })
    },
  ),
]

export const PLANS = fc.oneof(
  { weight: 4, arbitrary: create },
  { weight: 1, arbitrary: rename },
  { weight: 1, arbitrary: remove },
)

/** An operation on one subscription. */
function onSubscription<T extends { which: number }>(
  name: string,
  input: fc.Arbitrary<T>,
  rulesOf: (step: Step, input: T) => one.Rules<ModelSubscription> | Promise<one.Rules<ModelSubscription>>,
) {
  return one.operation(
    name,
    input,
    ({ subscriptions }) => subscriptions.length > 0,
    async (step, chosen) => {
      const rules = await rulesOf(step, chosen)
      const { charges } = await one.perform(step.model.subscriptions, chosen.which, rules)
      await learnCharges(step)
      for (const charge of charges) await agreeOnCharge(step.real, charge)
    },
  )
}

const subscribe = one.operation(
  'subscribe',
  fc.record({ which, value: cents, path, customId }),
  ({ plans }) => plans.length > 0,
  async ({ model, real }, { which, value, path, customId }) => {
    const plan = one.pickFor(model.plans, which, isThere)
    const metadata = { notification_url: urlOrNull(real, path), custom_id: customId }
    const answer = await real.client.subscribe(plan.id, { items: items(value), metadata })
    if (!one.expectStatus(answer, plan.isDeleted ? 404 : 200)) return
    const { subscription_id: id, charges } = answer.json.data
    model.subscribe(plan, {
      id,
      chargeId: charges[0].charge_id,
      total: value,
      topic: model.topic(metadata.notification_url, customId),
    })
  },
)

const trialDays = fc.constantFrom(0, 0, 1, 3, 30)

const pay = onSubscription(
  'set the payment of a subscription',
  fc.record({ which, days, outcome, discount, isCard: fc.boolean(), trialDays }),
  async ({ model, real }, { days, outcome, discount, isCard, trialDays: trial_days }) => {
    const until = discountFrom(model, discount)
    const dueDate = plusDays(model.today, trial_days + days)
    const base = { customer: CUSTOMER, trial_days }
    const payment = isCard
      ? { credit_card: { ...base, payment_token: await real.client.createCard({ outcome }) } }
      : { banking_billet: { ...base, expire_at: dueDate } }
    const body = { payment, ...(until && { conditional_discount: until }) }
    const method = isCard ? ('credit_card' as const) : ('banking_billet' as const)
    return {
      call: ({ id }) => real.client.call('POST', `/subscription/${id}/pay`, body),
      isAccepted: ({ status, plan }) => status === 'new' && !plan.isDeleted,
      change: (subscription) => model.activate(subscription, { method, dueDate, outcome, discount: until }, trial_days),
    }
  },
)

const cancel = onSubscription('cancel a subscription', fc.record({ which }), ({ model, real }) => ({
  call: ({ id }) => real.client.call('PUT', `/subscription/${id}/cancel`),
  isAccepted: ({ status }) => status === 'new' || status === 'active',
  change: (subscription) => model.cancel(subscription),
}))

const changeMetadata = onSubscription(
  'change metadata of a subscription',
  fc.record({ which, path, customId }),
  async ({ model, real }, { path, customId }) => {
    // A new address applies to callbacks that wait, too.
    await real.settled(model)
    const url = urlOrNull(real, path)
    const body = { notification_url: url, custom_id: customId }
    return {
      call: ({ id }) => real.client.call('PUT', `/subscription/${id}/metadata`, body),
      isAccepted: () => true,
      change({ topic, charges }) {
        for (const owner of [topic, ...charges]) Object.assign(owner, { url, customId })
      },
    }
  },
)

/** Cancellations are rare: subscriptions need months for their cycles. */
export const SUBSCRIPTIONS = fc.oneof(
  { weight: 3, arbitrary: subscribe },
  { weight: 4, arbitrary: pay },
  { weight: 1, arbitrary: cancel },
  { weight: 1, arbitrary: changeMetadata },
)

export const CARNETS = one.operation(
  'create a carnet',
  fc.record({ value: cents, repeats: fc.integer({ min: 2, max: 4 }), days, path, customId }),
  () => true,
  async ({ model, real }, { value, repeats, days, path, customId }) => {
    const metadata = { notification_url: urlOrNull(real, path), custom_id: customId }
    const dueDate = plusDays(model.today, days)
    const body = { items: items(value), repeats, expire_at: dueDate, customer: CUSTOMER, metadata }
    const answer = await real.client.call('POST', '/carnet', body)
    one.expectStatus(answer, 200)
    const { carnet_id: id, charges } = answer.json.data
    const chargeIds = charges.map(({ charge_id }: { charge_id: number }) => charge_id)
    const topic = model.topic(metadata.notification_url, customId)
    model.carnet({ id, chargeIds, total: value, dueDate, topic })
  },
)
