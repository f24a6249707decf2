import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ADDRESS, CUSTOMER } from '../charges/charge-client.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'
import { carnetClient } from './carnet-client.ts'

let running: RunningSimulator
beforeAll(async () => {
  running = await runSimulator()
})
afterAll(() => running.stop())

const production = carnetClient(() => running, 'production')

const value = fc.oneof(
  fc.constantFrom(null, 0, 1, -1, 1.5, 24, 1e308, '', 'x', '9999-12-31', '0000-01-01', '2026-02-30', true, [], {}),
  fc.jsonValue({ maxDepth: 2 }),
)
const record = (members: Record<string, fc.Arbitrary<unknown>>, wrong = 1) =>
  fc.record(
    Object.fromEntries(
      Object.entries(members).map(([name, good]) => [
        ...[name, fc.oneof({ weight: 20, arbitrary: good }, { weight: wrong, arbitrary: value })],
      ]),
    ),
  )
const cents = fc.integer({ min: 0, max: 9_999_999_999 })
const day = fc.constantFrom('2026-03-02', '2026-03-31', '2028-02-29', '9999-12-31')

const carnet = record({
  items: fc.array(record({ name: fc.constant('a'), value: cents, amount: fc.constantFrom(1, 2) }), { maxLength: 3 }),
  customer: fc.constantFrom(CUSTOMER, { ...CUSTOMER, address: ADDRESS, birth: '1990-01-31' }),
  expire_at: day,
  repeats: fc.integer({ min: 1, max: 5 }),
  split_items: fc.boolean(),
  configurations: record({ fine: cents, interest: cents }),
  message: fc.string({ unit: 'grapheme', maxLength: 120 }),
  conditional_discount: fc.oneof(
    fc.constant(null),
    record({ type: fc.constantFrom('currency', 'percentage'), value: cents, until_date: day }),
  ),
  metadata: record({ custom_id: fc.string({ maxLength: 300 }), notification_url: fc.constant(null) }),
})

const request = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constant('POST'), fc.constant('/carnet'), carnet) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('GET', 'PUT', 'POST', 'DELETE'),
      fc.constantFrom('/carnet/x', '/carnet/-1'),
      value,
    ),
  },
)

it('any request is answered by the document, never with 5xx, and a carnet has its pages, its record and its time', {
  timeout: 60_000,
}, async () => {
  await production.setTime('2026-03-02T15:00:00Z')
  const statuses = new Set<number>()
  const property = fc.asyncProperty(request, async ([method, path, body]) => {
    const { status, json } = await production.call(method, path, method === 'GET' ? undefined : body)
    statuses.add(status)
    expect(status).toBeLessThan(500)
    if (status !== 200) return
    const { carnet_id, link, cover, pdf } = json.data
    expect((await production.call('GET', `/carnet/${carnet_id}`)).status).toBe(200)
    for (const url of [link, cover, pdf.carnet, pdf.cover]) expect((await running.askRaw(url, {})).status).toBe(200)
  })
  await fc.assert(property, { numRuns: 60 })
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400]))
  await production.advance('70d')
})
