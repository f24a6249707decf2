import { request } from 'node:http'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { expectKnownCalls } from './documented-calls.ts'
import { simulatorForTest } from './running.ts'

it('the clock is set, frozen and moved, and follows the real one again', async () => {
  const { control } = await simulatorForTest()
  const set = await control('PUT', '/clock', { now: '2026-03-02T12:00:00Z', frozen: true })
  expect([set.status, set.json]).toEqual([200, { now: '2026-03-02T12:00:00.000Z', frozen: true }])
  const moved = await control('POST', '/clock/advance', { by: '36h' })
  expect(moved.json).toEqual({ now: '2026-03-04T00:00:00.000Z', frozen: true })
  const running = await control('PUT', '/clock?environment=production', { frozen: false })
  expect([running.json.frozen, running.json.now.slice(0, 13)]).toEqual([false, '2026-03-04T00'])
})

it('says what is wrong with a request', async () => {
  const { control } = await simulatorForTest()
  const wrong = [
    await control('POST', '/clock/advance', { by: 'soon' }),
    await control('PUT', '/clock', { later: true }),
    await control('GET', '/clock?environment=staging'),
    await control('PUT', '/clock', { now: 'soon', frozen: 1 }),
    await control('PUT', '/clock', { now: '1999-12-31T23:59:59Z' }),
    await control('POST', '/clock/advance', { by: '9999999d' }),
    await control('POST', '/charges', { count: 1.5, value: 0, payment: 'cash' }),
    await control('POST', '/bills', { kind: 'ticket' }),
    await control('PUT', '/accounts/200001/certificates', {}),
    await control('PUT', '/accounts/1/certificates', { refused: true }),
    await control('GET', '/nothing'),
  ]
  expect(wrong.map(({ status, json }) => [status, json.error])).toEqual([
    [400, '/by: a number with s, m, h or d, as 36h'],
    [400, '/later: there is no such member'],
    [400, '/environment: must be sandbox or production'],
    [
      400,
      '/now: must be a time with its zone, as 2026-03-02T12:00:00Z or 2026-03-02T09:00:00-03:00; /frozen: must be true or false',
    ],
    [400, 'the simulated time goes from the year 2000 to 9998'],
    [400, 'the simulated time goes from the year 2000 to 9998'],
    [400, '/count: must be a whole number; /value: must be at least 1; /payment: must be none or credit_card'],
    [400, '/kind: must be billet or tax'],
    [400, '/refused: is missing'],
    [404, 'no account 1 in sandbox: there are 200001, 200002'],
    [404, 'no such path: see /control/openapi.json'],
  ])
})

it('answers no page in a browser that reached it under a name of its own', async () => {
  const { simulator } = await simulatorForTest()
  const status = await new Promise((resolve) => {
    const options = { port: simulator.controlPort, path: '/control/clock', headers: { host: 'evil.example' } }
    request(options, (response) => resolve(response.resume().statusCode)).end()
  })
  expect(status).toBe(421)
})

it.each([
  [403, { origin: 'http://evil.example' }],
  [403, { origin: 'null' }],
  [403, { origin: 'http://localhost:1' }],
  [403, { 'sec-fetch-site': 'cross-site' }],
  [403, { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }],
  [204, { 'sec-fetch-site': 'same-origin' }],
  [204, { 'sec-fetch-site': 'none' }],
  [204, {}],
])('a change is %i with %j', async (expected, headers) => {
  const running = await simulatorForTest()
  const url = `http://localhost:${running.simulator.controlPort}/control/faults`
  expect((await running.askRaw(url, { method: 'DELETE', headers })).status).toBe(expected)
})

it('a change from the origin of the control API itself is made', async () => {
  const running = await simulatorForTest()
  const origin = `http://localhost:${running.simulator.controlPort}`
  const asked = { method: 'DELETE', headers: { origin } }
  expect((await running.askRaw(`${origin}/control/faults`, asked)).status).toBe(204)
})

it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
  'a body of type %s is 415 and changes nothing',
  async (type) => {
    const running = await simulatorForTest()
    const before = (await running.control('GET', '/clock')).json.frozen
    const url = `http://localhost:${running.simulator.controlPort}/control/clock`
    const asked = { method: 'PUT', body: '{"frozen":true}', headers: { 'content-type': type } }
    expect((await running.askRaw(url, asked)).status).toBe(415)
    expect((await running.control('GET', '/clock')).json.frozen).toBe(before)
  },
)

it('is described by an OpenAPI document', async () => {
  const { control } = await simulatorForTest()
  const { json } = await control('GET', '/openapi.json')
  expect([json.openapi, Object.keys(json.paths)]).toEqual(['3.1.0', expect.arrayContaining(['/control/clock'])])
})

it('no GET changes a record', async () => {
  const { control, simulator } = await simulatorForTest()
  await control('POST', '/faults', { on: 'api', fault: 'rate_limited' })
  const { records } = simulator.sites.sandbox
  const before = records.dump()
  const { paths } = (await control('GET', '/openapi.json')).json as { paths: Record<string, { get?: unknown }> }
  const readable = Object.entries(paths).filter(([path, { get }]) => get !== undefined && !path.includes('{'))
  const answers = readable.map(async ([path]) => [path, (await control('GET', path.slice('/control'.length))).status])
  expect(await Promise.all(answers)).toEqual(readable.map(([path]) => [path, 200]))
  expect(readable.length).toBeGreaterThan(4)
  expect(records.dump()).toEqual(before)
})

it('has every operation and option that the documentation calls by name', async () => {
  await expectKnownCalls(await simulatorForTest(), resolve(import.meta.dirname, '../docs'), 10)
})
