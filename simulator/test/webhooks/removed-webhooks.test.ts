import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type Receiver, receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'

let running: RunningSimulator
let account: string
beforeAll(async () => {
  running = await runSimulator({ webhooks: { retryMinutes: [60, 60] } }, { receiverCaFile: receiverCaFile() })
  account = running.simulator.sites.sandbox.applications.list()[0]?.account ?? ''
})
afterAll(() => running.stop())

/** Takes the test body, and refuses every callback until `accepts`. */
async function receiver(accepts: { now: boolean }): Promise<Receiver> {
  const { chain } = running.simulator.folder.environments.sandbox
  const answer = ({ body }: { body: string }) => (accepts.now || body.includes('teste_webhook') ? 200 : 503)
  const started = await startReceiver({ chain, answer })
  onTestFinished(() => started.stop())
  return started
}

const kinds = ['registration', 'payment', 'open-banking'] as const
type Kind = (typeof kinds)[number]

async function register(on: Kind, url: string): Promise<string> {
  const settings = { redirectURL: 'https://app.example.com/', webhookURL: url }
  const asked = {
    registration: { method: 'POST', path: '/v1/webhook', body: { webhookUrl: url } },
    payment: { method: 'PUT', path: '/v1/webhook', body: { url } },
    'open-banking': { method: 'PUT', path: '/v1/config', body: settings },
  }
  const { status, json } = await running.ask(on, asked[on])
  expect([200, 201]).toContain(status)
  return json.identificadorWebhook
}

/** A callback that was tried once, and one that a fault holds. */
async function waiting(on: Kind, body: string): Promise<[number, number]> {
  const { webhooks, tasks } = running.simulator.sites.sandbox
  const tried = webhooks.publish(on, account, `{"tried":"${body}"}`)
  await tasks.settled()
  const fault = { on: 'callback', fault: 'reorder', holdSeconds: 600, interface: on }
  expect((await running.control('POST', '/faults', fault)).status).toBe(201)
  const held = webhooks.publish(on, account, `{"held":"${body}"}`)
  await tasks.settled()
  const ids: [number, number] = [tried[0] ?? 0, held[0] ?? 0]
  expect(ids.map((id) => webhooks.callbacks.get(id)?.state)).toEqual(['pending', 'waiting'])
  return ids
}

async function afterDays(ids: readonly number[]) {
  const { webhooks, tasks, clock } = running.simulator.sites.sandbox
  await tasks.moveTo(clock.now() + 3 * 86_400_000, false)
  return ids.map((id) => webhooks.callbacks.get(id))
}

it.each(['registration', 'payment'] as const)('gives up what waits for it: %s', async (on) => {
  const accepts = { now: false }
  const one = await receiver(accepts)
  const id = await register(on, one.urlOf('deleted'))
  const ids = await waiting(on, 'deleted')
  const asked = {
    registration: { method: 'DELETE', path: `/v1/webhook/${id}` },
    payment: { method: 'DELETE', path: '/v1/webhook', body: { url: one.urlOf('deleted') } },
  }
  expect((await running.ask(on, asked[on])).status).toBe(204)
  accepts.now = true
  const before = one.received.length
  expect(await afterDays(ids)).toMatchObject([
    { state: 'given_up', attempts: [{ outcome: { status: 503 } }] },
    { state: 'given_up', attempts: [] },
  ])
  expect(one.received).toHaveLength(before)
})

it('gives up nothing that goes to the same URL for another account or interface', async () => {
  const { webhooks, tasks } = running.simulator.sites.sandbox
  const one = await receiver({ now: false })
  const registered = [
    { interface: 'payment', account },
    { interface: 'payment', account: '200002' },
    { interface: 'registration', account },
  ] as const
  const made = registered.map((webhook) => webhooks.register({ ...webhook, url: one.urlOf('shared') }))
  onTestFinished(() => made.forEach(webhooks.remove))
  const ids = registered.map(({ interface: on, account: of }) => webhooks.publish(on, of, '{}')[0] ?? 0)
  await tasks.settled()
  made.slice(0, 1).forEach(webhooks.remove)
  expect(ids.map((id) => webhooks.callbacks.get(id)?.state)).toEqual(['given_up', 'pending', 'pending'])
})

it.each(['registration', 'open-banking'] as const)('takes what waits to its new address: %s', async (on) => {
  const [old, moved] = [await receiver({ now: false }), await receiver({ now: true })]
  const chave = await register(on, old.urlOf('old'))
  const ids = await waiting(on, 'moved')
  const before = old.received.length
  if (on === 'open-banking') await register(on, moved.urlOf('new'))
  else {
    const body = { url: moved.urlOf('new'), chave }
    expect((await running.ask(on, { method: 'POST', path: '/v1/webhook', body })).status).toBe(200)
  }
  expect(await afterDays(ids)).toMatchObject(Array(2).fill({ state: 'delivered', url: moved.urlOf('new') }))
  expect(old.received).toHaveLength(before)
  const bodies = moved.received.map(({ body }) => body)
  expect(bodies.slice(1).sort()).toEqual(['{"held":"moved"}', '{"tried":"moved"}'])
})

it.each([
  ['none to an address that was deleted', null],
  ['to the new address after a move', 'new'],
])('a fault repeats a callback that was under way: %s', async (_name, path) => {
  const { webhooks, tasks } = running.simulator.sites.sandbox
  const { chain } = running.simulator.folder.environments.sandbox
  const one = await startReceiver({ chain, answer: () => changeOnce() })
  onTestFinished(() => one.stop())
  const webhook = webhooks.register({ interface: 'payment', account, url: one.urlOf('under-way') })
  function changeOnce(): number {
    if (webhooks.registered.get(webhook.id)?.url !== webhook.url) return 200
    if (path === null) webhooks.remove(webhook)
    else webhooks.move(webhook, one.urlOf(path))
    return 200
  }
  const fault = { on: 'callback', fault: 'duplicate', copies: 1, url: webhook.url }
  expect((await running.control('POST', '/faults', fault)).status).toBe(201)
  webhooks.publish('payment', account, '{}')
  await tasks.settled()
  expect(one.received.map((received) => received.path)).toEqual(path === null ? ['/under-way'] : ['/under-way', '/new'])
})

it('an address that is no URL fails at every try', async () => {
  const { webhooks, tasks } = running.simulator.sites.sandbox
  const body = { items: [{ name: 'Item', value: 100 }], metadata: { notification_url: 'http://[' } }
  const { status, json } = await running.ask('charges', { method: 'POST', path: '/v1/charge', body })
  expect(status).toBe(200)
  await tasks.settled()
  const [callback] = webhooks.callbacks.list().filter(({ url }) => url === 'http://[')
  expect([callback?.state, callback?.attempts[0]?.outcome.kind]).toEqual(['pending', 'unreachable'])
  expect((await running.control('GET', `/charges/${json.data.charge_id}`)).status).toBe(200)
})
