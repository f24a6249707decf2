import { beforeEach, describe, expect, it } from 'vitest'
import { simulatorForFile } from '../running.ts'
import { subscriptionClient } from './subscription-client.ts'

const running = simulatorForFile()
// Subscriptions of other tests would go on.
beforeEach(async () => {
  await running().control('POST', '/reset')
  await sandbox.setTime('2026-03-02T15:00:00Z')
})

const sandbox = subscriptionClient(running, 'sandbox')
const production = subscriptionClient(running, 'production')

interface Told {
  readonly charge_id: number
  readonly status: string
  readonly created_at: string
}
const historyOf = async (id: number, client = sandbox) =>
  (await client.recordOf(id)).history.map(({ status, created_at }: Told) => [status, created_at])
const dueDatesOf = async (id: number) =>
  Promise.all(
    (await sandbox.chargesOf(id)).map(async (one) => (await sandbox.show(one)).payment.banking_billet.expire_at),
  )

describe('cycles', () => {
  it('generate a charge at the beginning of its local day, not a second before', async () => {
    const id = await sandbox.createSubscription({}, { interval: 2 })
    await sandbox.payByBillet(id)
    await sandbox.setTime('2026-05-02T02:59:59Z')
    expect(await historyOf(id)).toEqual([['unpaid', '2026-03-02 12:00:00']])
    await sandbox.setTime('2026-05-02T03:00:00Z')
    expect(await historyOf(id)).toEqual([
      ['unpaid', '2026-03-02 12:00:00'],
      ['waiting', '2026-05-02 00:00:00'],
    ])
    expect(await sandbox.recordOf(id)).toMatchObject({
      occurrences: 2,
      next_execution: '2026-07-02',
      next_expire_at: '2026-07-10',
    })
  })

  it('move the due date and the discount by the interval, from the days of the first charge', async () => {
    await sandbox.setTime('2026-01-31T15:00:00Z')
    const id = await sandbox.createSubscription()
    const conditional_discount = { type: 'currency', value: 500, until_date: '2026-01-31' }
    await sandbox.payByBillet(id, { expire_at: '2026-01-31' }, { conditional_discount })
    await sandbox.setTime('2026-03-31T15:00:00Z')
    expect(await historyOf(id)).toMatchObject([
      ['unpaid', '2026-01-31 12:00:00'],
      ['unpaid', '2026-02-28 00:00:00'],
      ['waiting', '2026-03-31 00:00:00'],
    ])
    expect(await dueDatesOf(id)).toEqual(['2026-01-31', '2026-02-28', '2026-03-31'])
    const [, , third] = await sandbox.chargesOf(id)
    expect((await sandbox.show(third as number)).conditional_discount.until_date).toBe('2026-03-31')
  })

  it('have the items, the customer and the metadata of the subscription each time', async () => {
    const metadata = { custom_id: 'a', notification_url: 'http://localhost:9/x' }
    const id = await sandbox.createSubscription({ shippings: [{ name: 'Post', value: 50 }], metadata })
    await sandbox.payByCard(id)
    await sandbox.setTime('2026-04-02T15:00:00Z')
    const [first, second] = await Promise.all((await sandbox.chargesOf(id)).map(sandbox.show))
    const { charge_id, created_at, history, payment, ...same } = first
    expect(second).toMatchObject(same)
    expect([second.total, second.payment.credit_card]).toEqual([10_050, payment.credit_card])
  })

  it('charge the card each time, whose bank answers as before', async () => {
    const id = await sandbox.createSubscription()
    const payment_token = await sandbox.createCard({ outcome: 'unpaid' })
    await sandbox.payByCard(id, { payment_token })
    await sandbox.setTime('2026-04-02T15:00:00Z')
    expect((await historyOf(id)).map(([status]: string[]) => status)).toEqual(['unpaid', 'unpaid'])
    expect((await sandbox.recordOf(id)).status).toBe('active')
  })

  it('of production wait for the control API', async () => {
    const id = await production.createSubscription()
    await production.payByCard(id)
    await sandbox.setTime('2026-04-02T15:00:00Z')
    expect((await historyOf(id, production)).map(([status]: string[]) => status)).toEqual(['waiting', 'waiting'])
  })

  it('end after the last repeat: the subscription is expired, and its last charge can be paid', async () => {
    const id = await production.createSubscription({}, { repeats: 3 })
    await production.payByBillet(id)
    await sandbox.setTime('2026-04-30T15:00:00Z')
    expect((await production.recordOf(id)).status).toBe('active')
    await sandbox.setTime('2026-05-02T15:00:00Z')
    const expired = { status: 'expired', occurrences: 3, next_execution: null, next_expire_at: null }
    expect(await production.recordOf(id)).toMatchObject(expired)
    const last = (await production.chargesOf(id)).at(-1)
    expect((await production.control('POST', `/charges/${last}/pay`, {})).json.status).toBe('paid')
    await sandbox.setTime('2027-01-02T15:00:00Z')
    expect(await production.recordOf(id)).toMatchObject(expired)
  })

  it('without repeats go on until the plan is deleted, which leaves the status', async () => {
    const plan = await sandbox.createPlan()
    const { json } = await sandbox.subscribe(plan)
    const id = json.data.subscription_id
    await sandbox.payByCard(id)
    await sandbox.setTime('2036-03-02T15:00:00Z')
    expect((await sandbox.recordOf(id)).occurrences).toBe(121)
    await sandbox.call('DELETE', `/plan/${plan}`)
    const stopped = { status: 'active', occurrences: 121, next_execution: null, next_expire_at: null }
    expect(await sandbox.recordOf(id)).toMatchObject(stopped)
    await sandbox.setTime('2037-03-02T15:00:00Z')
    expect(await sandbox.recordOf(id)).toMatchObject({ ...stopped, plan: { plan_id: plan } })
  })

  it('can have the last day of the calendar as their due date', async () => {
    const id = await production.createSubscription()
    const conditional_discount = { type: 'currency', value: 500, until_date: '9999-12-31' }
    const { status } = await production.payByBillet(id, { expire_at: '9999-12-31' }, { conditional_discount })
    await sandbox.setTime('2026-05-02T15:00:00Z')
    const statuses = (await historyOf(id, production)).map(([one]: string[]) => one)
    expect([status, statuses]).toEqual([200, ['waiting', 'waiting', 'waiting']])
    expect(await production.recordOf(id)).toMatchObject({ next_expire_at: '9999-12-31', next_execution: '2026-06-02' })
  })

  it('survive a restart of the simulator, because they are kept with its state', async () => {
    const { records } = running().simulator.sites.sandbox
    const id = await sandbox.createSubscription()
    await sandbox.payByBillet(id)
    const tasks = Object.values(records.dump().tasks ?? {}) as { kind: string; payload: object }[]
    expect(tasks.filter(({ kind }) => kind === 'sandbox.subscription-cycle').at(-1)?.payload).toEqual({ id, parcel: 2 })
  })
})

describe('a trial', () => {
  it('of a card delays the first charge, which stays new', async () => {
    const id = await sandbox.createSubscription()
    const { json } = await sandbox.payByCard(id, { trial_days: 10 })
    expect([json.data.first_execution, json.data.charge.status, json.data.status]).toEqual([
      ...['12/03/2026', 'new', 'active'],
    ])
    expect(await sandbox.recordOf(id)).toMatchObject({ next_execution: '2026-03-12', occurrences: 1 })
    await sandbox.setTime('2026-03-12T02:59:59Z')
    expect((await historyOf(id)).map(([status]: string[]) => status)).toEqual(['new'])
    await sandbox.setTime('2026-03-12T15:00:00Z')
    expect((await historyOf(id)).map(([status]: string[]) => status)).toEqual(['paid'])
    expect(await sandbox.recordOf(id)).toMatchObject({ next_execution: '2026-04-12' })
  })

  it('of billets delays the billet, whose due date is the given one', async () => {
    const id = await sandbox.createSubscription()
    const { json } = await sandbox.payByBillet(id, { trial_days: 8 })
    const { payment, expire_at, barcode, link } = json.data
    expect([payment, expire_at, barcode, link]).toEqual(['banking_billet', '2026-03-10', undefined, undefined])
    expect(await sandbox.recordOf(id)).toMatchObject({ next_execution: '2026-03-10', next_expire_at: '2026-03-10' })
    await sandbox.setTime('2026-03-10T03:00:00Z')
    expect((await historyOf(id)).map(([status]: string[]) => status)).toEqual(['waiting'])
    expect(await dueDatesOf(id)).toEqual(['2026-03-10'])
  })

  it('of 0 days is none', async () => {
    const { json } = await sandbox.payByCard(await sandbox.createSubscription(), { trial_days: 0 })
    expect([json.data.first_execution, json.data.charge.status]).toEqual(['02/03/2026', 'waiting'])
  })

  it('that the plan did not outlast has no first charge', async () => {
    const plan = await sandbox.createPlan()
    const id = (await sandbox.subscribe(plan)).json.data.subscription_id
    await sandbox.payByCard(id, { trial_days: 10 })
    await sandbox.call('DELETE', `/plan/${plan}`)
    await sandbox.setTime('2026-06-12T15:00:00Z')
    expect((await historyOf(id)).map(([status]: string[]) => status)).toEqual(['new'])
  })
})

describe('cancelling', () => {
  const cancel = (id: number) => sandbox.call('PUT', `/subscription/${id}/cancel`)

  it('ends an active subscription: nothing is generated any more, and issued charges stay', async () => {
    const id = await sandbox.createSubscription()
    await sandbox.payByBillet(id)
    const answer = await cancel(id)
    expect([answer.status, answer.json]).toEqual([200, { code: 200 }])
    await sandbox.setTime('2026-06-02T15:00:00Z')
    expect(await sandbox.recordOf(id)).toMatchObject({ status: 'canceled', occurrences: 1, next_execution: null })
    expect(await historyOf(id)).toEqual([['unpaid', '2026-03-02 12:00:00']])
  })

  it('ends one that is new or in its trial, together with its new charge', async () => {
    const fresh = await sandbox.createSubscription()
    const inTrial = await sandbox.createSubscription()
    await sandbox.payByCard(inTrial, { trial_days: 5 })
    for (const id of [fresh, inTrial]) {
      await cancel(id)
      expect((await historyOf(id)).map(([status]: string[]) => status)).toEqual(['canceled'])
    }
    await sandbox.setTime('2026-04-12T15:00:00Z')
    expect(await sandbox.recordOf(inTrial)).toMatchObject({ status: 'canceled', occurrences: 1 })
    expect((await sandbox.payByCard(fresh)).status).toBe(412)
  })

  it('is refused when it is canceled or expired', async () => {
    const canceled = await sandbox.createSubscription()
    await cancel(canceled)
    const expired = await sandbox.createSubscription({}, { repeats: 2 })
    await sandbox.payByCard(expired)
    await sandbox.setTime('2026-04-02T15:00:00Z')
    for (const id of [canceled, expired]) {
      const { status, json } = await cancel(id)
      expect([status, json.code, json.error]).toEqual([412, 3500043, 'invalid_status'])
    }
    expect((await sandbox.recordOf(expired)).status).toBe('expired')
  })

  it('of its first charge before the payment leaves the subscription, which goes on with the next one', async () => {
    const id = await sandbox.createSubscription()
    const [charge] = await sandbox.chargesOf(id)
    await sandbox.call('PUT', `/charge/${charge}/cancel`)
    const { json } = await sandbox.payByBillet(id)
    expect([json.data.status, json.data.charge.status, json.data.barcode]).toEqual(['active', 'canceled', undefined])
    await sandbox.setTime('2026-04-02T15:00:00Z')
    expect((await historyOf(id)).map(([status]: string[]) => status)).toEqual(['canceled', 'waiting'])
  })
})

describe('history', () => {
  it('only adds a message, which the control API shows', async () => {
    const id = await sandbox.createSubscription()
    const before = await sandbox.recordOf(id)
    const answer = await sandbox.call('POST', `/subscription/${id}/history`, { description: 'Called' })
    expect([answer.status, answer.json, await sandbox.recordOf(id)]).toEqual([200, { code: 200 }, before])
    const shown = await sandbox.control('GET', `/subscriptions/${id}`)
    expect((await sandbox.control('GET', '/subscriptions')).json.subscriptions.at(-1)).toEqual({
      subscription_id: id,
      account: '200001',
      plan_id: before.plan.plan_id,
      status: 'new',
      charges: await sandbox.chargesOf(id),
      next_execution: null,
      messages: [{ message: 'Called', created_at: '2026-03-02 12:00:00' }],
    })
    expect(shown.json.history).toContainEqual({ at: '2026-03-02T15:00:00.000Z', what: '"Called"' })
    expect((await sandbox.control('GET', '/subscriptions/1')).status).toBe(404)
  })

  it.each([[{}], [{ description: '' }], [{ description: 'x'.repeat(256) }], [{ description: 'a', by: 'me' }]])(
    '%j is refused',
    async (body) => {
      const id = await sandbox.createSubscription()
      expect((await sandbox.call('POST', `/subscription/${id}/history`, body)).status).toBe(400)
    },
  )
})

it('no GET changes a record', async () => {
  const { records } = running().simulator.sites.sandbox
  const id = await sandbox.createSubscription()
  await sandbox.payByBillet(id)
  const before = records.dump()
  await sandbox.recordOf(id)
  await sandbox.call('GET', '/plans')
  await sandbox.control('GET', '/subscriptions')
  expect(records.dump()).toEqual(before)
})
