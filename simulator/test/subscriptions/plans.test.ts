import { beforeEach, describe, expect, it } from 'vitest'
import { simulatorForFile } from '../running.ts'
import { subscriptionClient } from './subscription-client.ts'

const running = simulatorForFile()
beforeEach(() => sandbox.setTime('2026-03-02T15:00:00Z'))

const sandbox = subscriptionClient(running, 'sandbox')
const GOOD = { name: 'Gym', interval: 1 }
const list = async (query = '') => (await sandbox.call('GET', `/plans${query}`)).json.data
const namesOf = async (query = '') => (await list(query)).map(({ name }: { name: string }) => name)

describe('a plan', () => {
  it('is created with its record, without an end unless repeats says so', async () => {
    const record = { plan_id: expect.any(Number), created_at: '2026-03-02 12:00:00' }
    const open = await sandbox.call('POST', '/plan', GOOD)
    expect([open.status, open.json]).toEqual([200, { code: 200, data: { ...record, ...GOOD, repeats: null } }])
    const ending = await sandbox.call('POST', '/plan', { ...GOOD, repeats: 12 })
    expect(ending.json.data).toMatchObject({ repeats: 12 })
    expect(ending.json.data.plan_id).not.toBe(open.json.data.plan_id)
  })

  it.each<[string, object, string]>([
    ['no name', { interval: 1 }, '/name'],
    ['an empty name', { ...GOOD, name: '' }, '/name'],
    ['a name of 256 characters', { ...GOOD, name: 'x'.repeat(256) }, '/name'],
    ['no interval', { name: 'a' }, '/interval'],
    ['an interval of 0', { ...GOOD, interval: 0 }, '/interval'],
    ['an interval of 25', { ...GOOD, interval: 25 }, '/interval'],
    ['an interval of null', { ...GOOD, interval: null }, '/interval'],
    ['repeats as a text', { ...GOOD, repeats: '2' }, '/repeats'],
    ['half a repeat', { ...GOOD, repeats: 2.5 }, '/repeats'],
    ['half a month', { ...GOOD, interval: 1.5 }, '/interval'],
    ['an interval as a text', { ...GOOD, interval: '1' }, '/interval'],
    ['one repeat', { ...GOOD, repeats: 1 }, '/repeats'],
    ['121 repeats', { ...GOOD, repeats: 121 }, '/repeats'],
    ['an unknown member', { ...GOOD, price: 1 }, '/price'],
  ])('with %s is refused by the name of its property', async (_what, body, property) => {
    const { status, json } = await sandbox.call('POST', '/plan', body)
    expect([status, json.code, json.error_description?.property]).toEqual([400, 3500034, property])
  })

  it('says in Portuguese that a property is missing', async () => {
    const { json } = await sandbox.call('POST', '/plan', { interval: 1 })
    expect(json.error_description).toEqual({ property: '/name', message: 'Este campo é obrigatório.' })
  })

  it.each([
    { name: 'x', interval: 24, repeats: 120 },
    { name: 'x'.repeat(255), interval: 1, repeats: 2 },
    { ...GOOD, repeats: null },
  ])('%j is within the limits', async (body) => {
    expect((await sandbox.call('POST', '/plan', body)).status).toBe(200)
  })

  it('is renamed', async () => {
    const plan = await sandbox.createPlan()
    const answer = await sandbox.call('PUT', `/plan/${plan}`, { name: 'New' })
    expect([answer.status, answer.json]).toEqual([200, { code: 200 }])
    expect((await list()).at(-1)).toMatchObject({ plan_id: plan, name: 'New', interval: 1 })
  })

  it.each([
    [{}, '/name'],
    [{ name: '' }, '/name'],
    [{ name: 'x'.repeat(256) }, '/name'],
    [{ ...GOOD }, '/interval'],
  ])('is not renamed by %j', async (body, property) => {
    const { status, json } = await sandbox.call('PUT', `/plan/${await sandbox.createPlan()}`, body)
    expect([status, json.error_description?.property]).toEqual([400, property])
  })

  it('that was deleted is gone: 404 for each of its calls, and not in the list', async () => {
    const plan = await sandbox.createPlan()
    const answer = await sandbox.call('DELETE', `/plan/${plan}`)
    expect([answer.status, answer.json]).toEqual([200, { code: 200 }])
    const answers = [
      await sandbox.call('DELETE', `/plan/${plan}`),
      await sandbox.call('PUT', `/plan/${plan}`, { name: 'a' }),
      await sandbox.subscribe(plan),
    ]
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(Array(3).fill([404, 3500010]))
    expect((await list()).map(({ plan_id }: { plan_id: number }) => plan_id)).not.toContain(plan)
  })

  it('of another account does not exist', async () => {
    const plan = await sandbox.createPlan()
    const token = await running().tokenOf('charges', { account: 1 })
    const ask = (method: string, path: string, body?: object) =>
      running().ask('charges', { method, path: `/v1${path}`, token, ...(body !== undefined && { body }) })
    const answers = [await ask('DELETE', `/plan/${plan}`), await ask('PUT', `/plan/${plan}`, { name: 'a' })]
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    expect((await ask('GET', '/plans')).json.data).toEqual([])
  })
})

describe('the list of plans', () => {
  it('has all of them without parameters, with the date of their creation only', async () => {
    await running().control('POST', '/reset?environment=sandbox')
    const plan = await sandbox.createPlan({ name: 'One', interval: 3, repeats: 5 })
    for (let one = 0; one < 120; one += 1) await sandbox.createPlan()
    const plans = await list()
    expect([plans.length, plans[0]]).toEqual([
      ...[121, { plan_id: plan, name: 'One', interval: 3, repeats: 5, created_at: '2026-03-02' }],
    ])
  })

  it('is filtered by a part of the name, limit and offset', async () => {
    await running().control('POST', '/reset?environment=sandbox')
    for (const name of ['Gold 1', 'Silver', 'gold 2', 'Gold 3']) await sandbox.createPlan({ name })
    expect(await namesOf('?name=GOLD')).toEqual(['Gold 1', 'gold 2', 'Gold 3'])
    expect(await namesOf('?name=gold&limit=1&offset=1')).toEqual(['gold 2'])
    expect(await namesOf('?offset=3')).toEqual(['Gold 3'])
    expect(await namesOf('?limit=2')).toEqual(['Gold 1', 'Silver'])
    expect(await namesOf('?name=bronze')).toEqual([])
    for (const query of ['?limit=04', `?limit=${'9'.repeat(30)}`, '?name=', '?offset=0'])
      expect(await namesOf(query)).toHaveLength(4)
    expect(await namesOf(`?offset=${'9'.repeat(400)}`)).toEqual([])
  })

  it.each([
    ['limit=0', '/limit'],
    ['limit=x', '/limit'],
    ['limit=', '/limit'],
    ['limit=1.5', '/limit'],
    ['limit=1&limit=2', '/limit'],
    ['offset=x', '/offset'],
    [`name=${'x'.repeat(256)}`, '/name'],
    ['offset=-1', '/offset'],
    ['page=1', '/page'],
  ])('refuses %s', async (query, property) => {
    const { status, json } = await sandbox.call('GET', `/plans?${query}`)
    expect([status, json.error_description?.property]).toEqual([400, property])
  })
})

it('DELETE is for plans only: everywhere else it is 405 with Allow', async () => {
  const { paths } = (await running().askRaw(`${running().baseOf('charges')}/openapi.json`, {})).json
  const answers: unknown[] = []
  for (const [path, operations] of Object.entries(paths as Record<string, object>)) {
    if (path === '/v1/plan/{id}') continue
    const { status, headers } = await running().ask('charges', { method: 'DELETE', path: path.replace(/\{\w+\}/, '1') })
    const methods = Object.keys(operations).flatMap((one) => (one === 'get' ? ['GET', 'HEAD'] : [one.toUpperCase()]))
    expect([path, status, headers.allow]).toEqual([path, 405, methods.join(', ')])
    answers.push(status)
  }
  expect(answers.length).toBeGreaterThan(12)
})
