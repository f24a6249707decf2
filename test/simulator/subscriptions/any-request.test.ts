import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CUSTOMER } from '../charges/charge-client.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'
import { subscriptionClient } from './subscription-client.ts'

let running: RunningSimulator
beforeAll(async () => {
  running = await runSimulator()
})
afterAll(() => running.stop())

const sandbox = subscriptionClient(() => running, 'sandbox')

const value = fc.oneof(
  fc.constantFrom(null, 0, 1, -1, 1.5, 24, 121, 1e308, '', 'x', '9999-12-31', '0000-01-01', '2026-02-30', true, [], {}),
  fc.jsonValue({ maxDepth: 2 }),
)
const maybe = (good: unknown) => fc.oneof({ weight: 3, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: value })
const record = (members: Record<string, unknown>) =>
  fc.record(Object.fromEntries(Object.entries(members).map(([name, good]) => [name, maybe(good)])), {
    requiredKeys: [],
  })

const plan = record({ name: 'Gym', interval: 1, repeats: 2 })
const subscription = record({
  items: [{ name: 'a', value: 1 }],
  shippings: [{ name: 'a', value: 1 }],
  metadata: { custom_id: 'a', notification_url: null },
})
const discount = { type: 'currency', value: 1, until_date: '9999-12-31' }
const billet = record({
  customer: CUSTOMER,
  expire_at: '9999-12-31',
  message: 'a',
  trial_days: 3,
  conditional_discount: discount,
})
const card = record({ customer: CUSTOMER, payment_token: 'a'.repeat(40), installments: 1, trial_days: 365 })
const payment = fc.oneof(
  billet.map((banking_billet) => ({ payment: { banking_billet } })),
  card.map((credit_card) => ({ payment: { credit_card } })),
  value,
)
const metadata = record({ notification_url: 'http://localhost:9/x', custom_id: 'a' })

const request = fc.oneof(
  fc.tuple(fc.constant('POST'), fc.constant('/plan'), plan),
  fc.tuple(fc.constant('PUT'), fc.constant('/plan/:plan'), plan),
  fc.tuple(fc.constant('POST'), fc.constant('/plan/:plan/subscription'), subscription),
  fc.tuple(fc.constant('POST'), fc.constant('/subscription/:id/pay'), payment),
  fc.tuple(fc.constant('PUT'), fc.constant('/subscription/:id/metadata'), metadata),
  fc.tuple(fc.constant('POST'), fc.constant('/subscription/:id/history'), value),
  fc.tuple(
    fc.constantFrom('GET', 'PUT', 'POST', 'DELETE'),
    fc.constantFrom('/subscription/:id', '/plans', '/plan/x', '/plan/-1'),
    value,
  ),
)

it('any request is answered by the document, never with 5xx, and any cycle after it goes on', {
  timeout: 60_000,
}, async () => {
  await sandbox.setTime('2026-03-02T15:00:00Z')
  const statuses = new Set<number>()
  const property = fc.asyncProperty(request, async ([method, path, body]) => {
    const plan = await sandbox.createPlan()
    const { json } = await sandbox.subscribe(plan)
    const filled = path.replace(':plan', String(plan)).replace(':id', json.data.subscription_id)
    const { status } = await sandbox.call(method, filled, method === 'GET' ? undefined : body)
    statuses.add(status)
    expect(status).toBeLessThan(500)
  })
  await fc.assert(property, { numRuns: 150 })
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 405]))
  await sandbox.advance('70d')
})
