import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { findLog } from '../../simulator/src/notifications/notification-log.ts'
import { type Receiver, receiverCaFile, startReceiver } from '../../simulator/test/receiver.ts'
import { type RunningSimulator, runSimulator } from '../../simulator/test/running.ts'
import { getChargeRecord, putChargeMetadata } from '../../src/service/charge-resource.ts'
import type { ServiceClient } from '../../src/service/client.ts'
import { getNotification } from '../../src/service/notifications.ts'
import { putOpenBankingSettings, showOpenBankingSettings } from '../../src/service/open-banking.ts'
import { deleteWebhook, listWebhooks, registerWebhook, type ServiceWebhook } from '../../src/service/webhooks.ts'
import { clientOf, failureOf } from './service.ts'

let running: RunningSimulator
let good: Receiver
let client: ServiceClient
beforeAll(async () => {
  running = await runSimulator({}, { receiverCaFile: receiverCaFile() })
  good = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
  client = clientOf(running)
})
afterAll(async () => {
  await client.close()
  await good.stop()
  await running.stop()
})
beforeEach(() => running.simulator.sites.sandbox.records.clear('sandbox.'))

const order = (fault: object) => running.control('POST', '/faults', { on: 'api', ...fault })
const urlsOf = async (on: 'registration' | 'payment') =>
  (await listWebhooks(client, on, Date.now())).map(({ url }) => url)

/** Without the two requests of the service, so that many are quick. */
function register(on: 'registration' | 'payment', count: number): string[] {
  const { webhooks, applications } = running.simulator.sites.sandbox
  const account = applications.list()[0]?.account ?? ''
  const urls = Array.from({ length: count }, (_, index) => `https://hooks.example/${index}`)
  for (const url of urls) webhooks.register({ interface: on, account, url })
  return urls
}

describe('webhooks of the registration interface', () => {
  it('are created, listed and deleted', async () => {
    await registerWebhook(client, 'registration', good.urlOf('a'))
    const [created] = (await listWebhooks(client, 'registration', Date.now())) as [ServiceWebhook]
    expect(created).toEqual({ id: expect.any(String), url: good.urlOf('a'), createdAt: expect.any(String) })
    await deleteWebhook(client, created)
    expect(await urlsOf('registration')).toEqual([])
  })

  it('a registration whose answer is lost is not repeated; the list shows it', async () => {
    await client.signIn('registration')
    await order({ fault: 'cut_after_request', method: 'POST' })
    const failure = await failureOf(registerWebhook(client, 'registration', good.urlOf('a')))
    expect(failure).toMatchObject({ code: 'unreachable', isOutcomeUnknown: true })
    expect(await urlsOf('registration')).toEqual([good.urlOf('a')])
  })

  it('a deletion whose answer is lost is repeated, and the second answer counts as done', async () => {
    await registerWebhook(client, 'registration', good.urlOf('a'))
    const [created] = (await listWebhooks(client, 'registration', Date.now())) as [ServiceWebhook]
    await order({ fault: 'cut_after_request', method: 'DELETE' })
    await deleteWebhook(client, created)
    expect(await urlsOf('registration')).toEqual([])
    const failure = await failureOf(deleteWebhook(client, created))
    expect([failure.refusal?.name, failure.message]).toEqual([
      'identificador_webhook',
      expect.stringContaining('no webhook of the account has this id'),
    ])
  })

  it('a refused address has the cause and the next step', async () => {
    const open = await startReceiver({ chain: null })
    onTestFinished(() => open.stop())
    const failure = await failureOf(registerWebhook(client, 'registration', open.urlOf('a')))
    expect(failure).toMatchObject({
      code: 'refused',
      refusal: { name: 'mtls_nao_configurado' },
      isOutcomeUnknown: false,
    })
    expect(failure.message).toMatch(/the address answered the request without a client certificate; let TLS end at the/)
  })
})

describe('webhooks of the payment interface', () => {
  it('are registered, listed and deleted', async () => {
    await registerWebhook(client, 'payment', good.urlOf('p'))
    expect(await listWebhooks(client, 'payment', Date.now())).toEqual([
      { id: null, url: good.urlOf('p'), createdAt: expect.any(String) },
    ])
    await deleteWebhook(client, { id: null, url: good.urlOf('p'), createdAt: null })
    expect(await urlsOf('payment')).toEqual([])
  })

  it('a registration whose answer is lost is repeated, and is one registration', async () => {
    await order({ fault: 'cut_after_request', method: 'PUT' })
    await registerWebhook(client, 'payment', good.urlOf('p'))
    expect(await urlsOf('payment')).toEqual([good.urlOf('p')])
  })
})

it.each(['registration', 'payment'] as const)('the list of %s has the webhooks of every page', async (on) => {
  const urls = register(on, 250)
  expect(await urlsOf(on)).toEqual(urls)
})

it('open-banking settings are null before they are set, and shown as they were set', async () => {
  expect(await showOpenBankingSettings(client)).toBeNull()
  const settings = {
    redirectURL: 'https://shop.example/back',
    webhookURL: good.urlOf('ob'),
    webhookSecurity: { type: 'mtls' },
  }
  const held = { ...settings, generateTxIdForInic: true }
  expect(await putOpenBankingSettings(client, { ...held, processPayment: 'async' })).toEqual(held)
  expect(await showOpenBankingSettings(client)).toEqual(held)
  const failure = await failureOf(putOpenBankingSettings(client, { ...settings, webhookURL: 'https://localhost:1/x' }))
  expect(failure.message).toContain(
    'the address is not valid, cannot be reached from the internet, or its TLS handshake failed',
  )
})

const NOTIFY = 'https://hooks.example/charges/token'
const ITEMS = [{ name: 'Book', value: 15010 }]

async function createCharge(): Promise<string> {
  const { json } = await running.ask('charges', { method: 'POST', path: '/v1/charge', body: { items: ITEMS } })
  return String(json.data.charge_id)
}

async function createSubscription(): Promise<string> {
  const plan = await running.ask('charges', {
    method: 'POST',
    path: '/v1/plan',
    body: { name: 'Monthly', interval: 1, repeats: null },
  })
  const path = `/v1/plan/${plan.json.data.plan_id}/subscription`
  const { json } = await running.ask('charges', { method: 'POST', path, body: { items: ITEMS } })
  return String(json.data.subscription_id)
}

/** The token of the account's only notification log. */
function tokenOfLog(): string {
  const [log] = running.simulator.sites.sandbox.collection<{ token: string }>('notifications').list()
  if (log === undefined) throw new Error('there is no notification')
  return log.token
}

describe('metadata', () => {
  it('of a charge are set, and its record shows them', async () => {
    const id = await createCharge()
    expect(await getChargeRecord(client, 'charge', id)).toMatchObject({
      id,
      status: 'new',
      notificationUrl: null,
      customId: null,
    })
    await putChargeMetadata(client, 'charge', { id, metadata: { notification_url: NOTIFY, custom_id: 'order 7' } })
    expect(await getChargeRecord(client, 'charge', id)).toMatchObject({ notificationUrl: NOTIFY, customId: 'order 7' })
    await putChargeMetadata(client, 'charge', { id, metadata: { notification_url: null } })
    expect(await getChargeRecord(client, 'charge', id)).toMatchObject({ notificationUrl: null, customId: 'order 7' })
  })

  it('of a subscription are set, and its record shows them', async () => {
    const id = await createSubscription()
    await putChargeMetadata(client, 'subscription', { id, metadata: { notification_url: NOTIFY } })
    expect(await getChargeRecord(client, 'subscription', id)).toMatchObject({
      id,
      status: 'new',
      notificationUrl: NOTIFY,
    })
  })

  it('a change whose answer is lost is repeated; one that never gets an answer has an unknown outcome', async () => {
    const id = await createCharge()
    const order = (count: number | null) =>
      running.control('POST', '/faults', { on: 'api', fault: 'cut_after_request', method: 'PUT', count })
    await order(1)
    await putChargeMetadata(client, 'charge', { id, metadata: { notification_url: NOTIFY } })
    await order(null)
    const failure = await failureOf(putChargeMetadata(client, 'charge', { id, metadata: { notification_url: NOTIFY } }))
    expect(failure).toMatchObject({ code: 'unreachable', isOutcomeUnknown: true })
    await running.control('DELETE', '/faults')
  })

  it('of a charge that the account does not have are refused with the name of the service', async () => {
    const failure = await failureOf(putChargeMetadata(client, 'charge', { id: '7', metadata: { custom_id: 'a' } }))
    expect(failure).toMatchObject({
      status: 404,
      refusal: { name: 'not_found', code: 3_500_010 },
      isOutcomeUnknown: false,
    })
  })
})

describe('a notification token', () => {
  it('has its entries in ascending order, byte by byte as the service wrote them', async () => {
    const id = await createCharge()
    await putChargeMetadata(client, 'charge', { id, metadata: { notification_url: NOTIFY } })
    await running.ask('charges', { method: 'PUT', path: `/v1/charge/${id}/cancel` })
    const token = tokenOfLog()
    const entries = await getNotification(client, token)
    const raw = (await running.ask('charges', { path: `/v1/notification/${token}` })).text
    expect(entries.map((entry) => entry.id)).toEqual(
      findLog(running.simulator.sites.sandbox, token)?.entries.map((entry) => entry.id),
    )
    expect(`{"code":200,"data":[${entries.map(({ bytes }) => Buffer.from(bytes).toString()).join(',')}]}`).toBe(raw)
    expect(entries.at(-1)?.json).toMatchObject({ status: { current: 'canceled' } })
  })

  it('answered with a page in HTML is garbage, in words, and the next query gets the entries', async () => {
    const id = await createCharge()
    await putChargeMetadata(client, 'charge', { id, metadata: { notification_url: NOTIFY } })
    await running.ask('charges', { method: 'PUT', path: `/v1/charge/${id}/cancel` })
    await order({ fault: 'garbage', path: '/v1/notification/' })
    const failure = await failureOf(getNotification(client, tokenOfLog()))
    expect([failure.code, failure.message]).toEqual(['garbage', expect.stringContaining('HTTP 200 without JSON')])
    expect(await getNotification(client, tokenOfLog())).not.toEqual([])
  })

  it('that the account does not have is refused with 404', async () => {
    expect(await failureOf(getNotification(client, 'nobody'))).toMatchObject({ code: 'refused', status: 404 })
  })
})
