import { CUSTOMER, LINK } from '../charges/charge-client.ts'
import type { Answer } from '../running.ts'
import type { Provocations } from './account-errors.ts'
import type { World } from './world.ts'

const INVALID = '400 3500034 validation_error'
const UNKNOWN = '404 3500010 not_found'
const WRONG_MOMENT = '412 3500034 validation_error'
const WRONG_STATUS = '412 3500043 invalid_status'
const MISSING = 999_999_999

const call = (method: string, path: string, body?: unknown) => (world: World) =>
  world.charges(method, `/v1${path}`, body)
const link = { ...LINK }
const billet = { payment: { banking_billet: { customer: CUSTOMER, expire_at: '2026-03-10' } } }

/** Of a charge that has the status. */
function ofCharge(status: 'new' | 'waiting' | 'canceled', method: string, path: string, body?: unknown) {
  return async ({ ofCharges: client }: World): Promise<Answer> => {
    const id = await client.createCharge()
    if (status === 'waiting') await client.payByBillet(id)
    if (status === 'canceled') await client.call('PUT', `/charge/${id}/cancel`)
    return client.call(method, `/charge/${id}${path}`, body)
  }
}

function ofSubscription(before: readonly string[], method: string, path: string, body?: unknown) {
  return async ({ subscriptions: client }: World): Promise<Answer> => {
    const plan = await client.createPlan()
    const id = (await client.subscribe(plan)).json.data.subscription_id
    for (const step of before)
      if (step === 'pay') await client.payByBillet(id)
      else if (step === 'cancel') await client.call('PUT', `/subscription/${id}/cancel`)
      else await client.call('DELETE', `/plan/${plan}`)
    return client.call(method, `/subscription/${id}${path}`, body)
  }
}

const usedCard = async ({ ofCharges: client }: World): Promise<Answer> => {
  const payment_token = await client.createCard()
  await client.payByCard(await client.createCharge(), { payment_token })
  return client.payByCard(await client.createCharge(), { payment_token })
}

export const CHARGE_ERRORS: Provocations = {
  [`POST /v1/charge ${INVALID}`]: [
    call('POST', '/charge', { items: [] }),
    call('POST', '/charge', { items: [{ name: '<b>', value: 1 }] }),
    call('POST', '/charge', { items: [{ name: 'Gold', value: 9_999_999_999, amount: 2 }] }),
  ],
  [`GET /v1/charge/:id ${UNKNOWN}`]: [call('GET', `/charge/${MISSING}`)],
  [`POST /v1/charge/:id/link ${INVALID}`]: [
    ofCharge('new', 'POST', '/link', { ...link, payment_method: 'cash' }),
    ofCharge('new', 'POST', '/link', { ...link, expire_at: '2026-03-01' }),
  ],
  [`POST /v1/charge/:id/link ${UNKNOWN}`]: [call('POST', `/charge/${MISSING}/link`, link)],
  [`POST /v1/charge/:id/link ${WRONG_MOMENT}`]: [ofCharge('waiting', 'POST', '/link', link)],
  [`POST /v1/charge/:id/pay ${INVALID}`]: [
    ofCharge('new', 'POST', '/pay', { payment: {} }),
    ofCharge('new', 'POST', '/pay', { payment: { banking_billet: { customer: CUSTOMER, expire_at: '2026-03-01' } } }),
    usedCard,
  ],
  [`POST /v1/charge/:id/pay ${UNKNOWN}`]: [call('POST', `/charge/${MISSING}/pay`, billet)],
  [`POST /v1/charge/:id/pay ${WRONG_MOMENT}`]: [ofCharge('canceled', 'POST', '/pay', billet)],
  [`POST /v1/carnet ${INVALID}`]: [call('POST', '/carnet', {})],
  [`GET /v1/carnet/:id ${UNKNOWN}`]: [call('GET', `/carnet/${MISSING}`)],
  [`GET /v1/notification/:token ${UNKNOWN}`]: [call('GET', '/notification/unknown')],

  [`2:1 ${INVALID}`]: [call('PUT', `/charge/${MISSING}/link`, { ...link, message: 'Hi' })],
  [`2:1 ${UNKNOWN}`]: [call('PUT', `/charge/${MISSING}/link`, link)],
  [`2:1 ${WRONG_MOMENT}`]: [ofCharge('new', 'PUT', '/link', link)],
  [`2:2 ${UNKNOWN}`]: [call('PUT', `/charge/${MISSING}/cancel`)],
  [`2:2 ${WRONG_STATUS}`]: [ofCharge('canceled', 'PUT', '/cancel')],
  [`2:3 ${INVALID}`]: [ofCharge('new', 'PUT', '/metadata', { notification_url: 'ftp://a.example/' })],
  [`2:3 ${UNKNOWN}`]: [call('PUT', `/charge/${MISSING}/metadata`, {})],
  [`2:4 ${INVALID}`]: [ofCharge('new', 'POST', '/history', { description: '' })],
  [`2:4 ${UNKNOWN}`]: [call('POST', `/charge/${MISSING}/history`, { description: 'Seen' })],
  [`2:5 ${INVALID}`]: [call('POST', '/plan', { name: 'Monthly', interval: 25 })],
  [`2:6 ${INVALID}`]: [call('GET', '/plans?limit=0')],
  [`2:7 ${INVALID}`]: [
    async (world) => call('PUT', `/plan/${await world.subscriptions.createPlan()}`, { name: '' })(world),
  ],
  [`2:7 ${UNKNOWN}`]: [call('PUT', `/plan/${MISSING}`, { name: 'Yearly' })],
  [`2:8 ${UNKNOWN}`]: [call('DELETE', `/plan/${MISSING}`)],
  [`2:9 ${INVALID}`]: [
    async (world) => world.subscriptions.subscribe(await world.subscriptions.createPlan(), { items: [] }),
  ],
  [`2:9 ${UNKNOWN}`]: [({ subscriptions }) => subscriptions.subscribe(MISSING)],
  [`2:10 ${UNKNOWN}`]: [call('GET', `/subscription/${MISSING}`)],
  [`2:11 ${UNKNOWN}`]: [call('PUT', `/subscription/${MISSING}/cancel`)],
  [`2:11 ${WRONG_STATUS}`]: [ofSubscription(['cancel'], 'PUT', '/cancel')],
  [`2:12 ${INVALID}`]: [
    ofSubscription([], 'PUT', '/metadata', {}),
    ofSubscription([], 'PUT', '/metadata', { custom_id: 'a/b' }),
  ],
  [`2:12 ${UNKNOWN}`]: [call('PUT', `/subscription/${MISSING}/metadata`, { custom_id: 'a' })],
  [`2:13 ${INVALID}`]: [ofSubscription([], 'POST', '/pay', { payment: {} })],
  [`2:13 ${UNKNOWN}`]: [call('POST', `/subscription/${MISSING}/pay`, billet)],
  [`2:13 ${WRONG_MOMENT}`]: [
    ofSubscription(['pay'], 'POST', '/pay', billet),
    ofSubscription(['delete plan'], 'POST', '/pay', billet),
  ],
  [`2:14 ${INVALID}`]: [ofSubscription([], 'POST', '/history', {})],
  [`2:14 ${UNKNOWN}`]: [call('POST', `/subscription/${MISSING}/history`, { description: 'Seen' })],
}
