import { expect } from 'vitest'
import { localTextOf, plusMonths } from './calendar.ts'
import type { ModelCharge, ModelSubscription, Told, Topic } from './model.ts'
import type { Real, Step } from './step.ts'

/** What GET shows of a charge. */
export async function agreeOnCharge({ client }: Real, { id, status, total, customId }: ModelCharge): Promise<void> {
  const { json } = await client.call('GET', `/charge/${id}`)
  const { charge_id, custom_id, ...shown } = json.data
  expect({ charge_id, custom_id, status: shown.status, total: shown.total }).toEqual({
    charge_id: id,
    custom_id: customId,
    status,
    total,
  })
}

/** Cycles make charges, whose ids the history of their subscription tells. */
export async function learnCharges({ model, real }: Step): Promise<void> {
  for (const subscription of model.subscriptions) {
    if (!subscription.charges.some(({ id }) => id === null)) continue
    const { json } = await real.client.call('GET', `/subscription/${subscription.id}`)
    for (const [index, charge] of subscription.charges.entries())
      charge.id ??= json.data.history[index]?.charge_id ?? null
  }
}

/** The lists of both APIs, and the ledger. */
export async function agreeOnEverything(step: Step): Promise<void> {
  const { model, real } = step
  const { control, call } = real.client
  await learnCharges(step)
  const { charges } = (await control('GET', '/charges')).json
  expect(charges.map(chargeLine).sort()).toEqual(
    model.charges.map(({ id, status, total, customId }) => `${id} ${status} ${total} ${customId}`).sort(),
  )
  for (const subscription of model.subscriptions) await agreeOnSubscription(step, subscription)
  for (const { id, status, charges } of model.carnets) {
    const { data } = (await call('GET', `/carnet/${id}`)).json
    const parcels = data.charges.map(
      ({ charge_id, status }: { charge_id: number; status: string }) => `${charge_id} ${status}`,
    )
    expect([data.status, parcels], `carnet ${id}`).toEqual([status, charges.map((one) => `${one.id} ${one.status}`)])
  }
  const plans = (await call('GET', '/plans')).json.data
  expect(plans.map(({ plan_id, name }: { plan_id: number; name: string }) => [plan_id, name])).toEqual(
    model.plans.filter(({ isDeleted }) => !isDeleted).map(({ id, name }) => [id, name]),
  )
  const payments = (await control('GET', '/payments')).json
  expect(payments.map(paymentLine)).toEqual(
    model.payments.map(({ id, amount, day, status }) => `${id} ${amount} ${day} ${status}`),
  )
  await agreeOnAccount(step)
}

const chargeLine = (one: { charge_id: number; status: string; total: number; custom_id: string }) =>
  `${one.charge_id} ${one.status} ${one.total} ${one.custom_id}`
const paymentLine = (one: { idPagamento: string; amount: number; day: string; status: string }) =>
  `${one.idPagamento} ${one.amount} ${one.day} ${one.status}`

async function agreeOnSubscription({ model, real }: Step, subscription: ModelSubscription): Promise<void> {
  const { id, status, charges, total, topic, choice } = subscription
  const { data } = (await real.client.call('GET', `/subscription/${id}`)).json
  const { execution, dueDate } = model.nextDates(subscription)
  expect(data, `subscription ${id}`).toMatchObject({
    status,
    value: total,
    custom_id: topic.customId,
    notification_url: topic.url,
    occurrences: charges.length,
    payment_method: choice?.method ?? null,
    next_execution: execution,
    next_expire_at: dueDate,
  })
  const history = data.history.map(
    ({ charge_id, status }: { charge_id: number; status: string }) => `${charge_id} ${status}`,
  )
  expect(history, `subscription ${id}`).toEqual(charges.map((charge) => `${charge.id} ${charge.status}`))
}

interface MovementView {
  readonly id: number
  readonly kind: string
  readonly amount: number
  readonly balance: number
}

export async function agreeOnAccount({ model, real }: Step): Promise<void> {
  const shown = await real.running.ask('account', { path: '/v2/svc/saldo/?bloqueios=true' }, real.environment)
  const { saldo, bloqueios } = shown.json
  expect([saldo, bloqueios.total]).toEqual([model.balance, model.blocked].map((cents) => (cents / 100).toFixed(2)))
  const { movements } = (await real.ledger()).json
  expect(movements.map(({ kind, amount, balance }: MovementView) => [kind, amount, balance])).toEqual(
    model.movements.map(({ kind, cents, balance }) => [kind, cents, balance]),
  )
  for (const [index, { id }] of movements.entries()) Object.assign(model.movements[index] as object, { id })
  const keys = await real.running.ask('account', { path: '/v2/svc/evp' }, real.environment)
  expect(keys.json.chaves).toEqual(model.keys)
}

/** Every status change has one entry behind its token: ids from 1, of the last six months, with the right statuses, times and amounts. */
export async function agreeOnNotifications(step: Step): Promise<void> {
  for (const topic of step.model.topics) await agreeOnTopic(step, topic)
}

async function agreeOnTopic({ model, real }: Step, topic: Topic): Promise<void> {
  const id = topic.told.find(({ charge }) => charge !== null)?.charge?.id
  const token = (await real.client.control('GET', `/charges/${id}`)).json.notifications.token
  const { data } = (await real.client.call('GET', `/notification/${token}`)).json
  const first = plusMonths(model.today, -6)
  const kept = topic.told
    .map((told, index) => ({ told, id: index + 1 }))
    .filter(({ told }) => localTextOf(told.at) >= first)
  expect(data.map(({ id }: { id: number }) => id)).toEqual(kept.map(({ id }) => id))
  // What happens at the same instant, as the end of two due dates, has no order of its own.
  expect(data.map(entryLine).sort()).toEqual(kept.map(({ told }) => toldLine(told)).sort())
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are asserted, not typed
function entryLine({ type, custom_id, status, identifiers, created_at, value, received_by_bank_at }: any): string {
  const owner = identifiers.subscription_id ?? identifiers.carnet_id ?? null
  const paid = value === undefined ? '' : ` ${value} ${received_by_bank_at}`
  return `${created_at} ${type} ${owner} ${identifiers.charge_id ?? null} ${status.previous}>${status.current} ${custom_id}${paid}`
}

function toldLine({ type, charge, ownerId, previous, current, customId, at, value, receivedByBankAt }: Told): string {
  const paid = value === undefined ? '' : ` ${value} ${receivedByBankAt}`
  return `${localTextOf(at)} ${type} ${ownerId} ${charge?.id ?? null} ${previous}>${current} ${customId}${paid}`
}

/** One line for each notification: what a receiver gets of a status change. */
export function callLine(
  path: string,
  { type, charge, ownerId, current, customId, at, receivedByBankAt }: Told,
): string {
  const owner = type.startsWith('subscription') ? `s${ownerId}` : type.startsWith('carnet') ? `c${ownerId}` : ''
  return `${path} ${charge?.id ?? ''} ${owner} ${current} ${customId} ${localTextOf(at)} ${receivedByBankAt ?? ''}`
}

/** The same of a body that arrived. */
export function receivedLine(path: string, body: string): string {
  const [entry] = JSON.parse(body).notification.entries
  const { charge_id, subscription_id, carnet_id, status, custom_id, created_at, received_by_bank_at } = entry
  const owner = subscription_id !== undefined ? `s${subscription_id}` : carnet_id !== undefined ? `c${carnet_id}` : ''
  return `${path} ${charge_id ?? ''} ${owner} ${status} ${custom_id} ${created_at} ${received_by_bank_at ?? ''}`
}
