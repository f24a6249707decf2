import { expect, it } from 'vitest'
import { callApi, callBack } from '../../support/calls.ts'
import { createSite, spawnGateway, startTestGateway } from '../../support/gateway.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const FORWARDING = { allowedNetworks: ['127.0.0.0/8'], schedule: ['0s', '50ms', '50ms'], timeout: '2s', jitter: 0 }
const body = (subject: string, n: number) => JSON.stringify({ identificador: subject, status: { atual: `S${n}` } })

interface Delivery {
  readonly id: string
  readonly event: string
  readonly state: string
}

const deliveriesOf = async (gateway: { api: Parameters<typeof callApi>[0] }) =>
  (JSON.parse((await callApi(gateway.api, '/v1/deliveries?limit=1000')).body) as { data: Delivery[] }).data

it('the statuses of each payment arrive in their order, across failures and a kill in the middle', async () => {
  const receiver = await startReceiver()
  const site = await createSite({
    forwarding: { ...FORWARDING, schedule: Array(40).fill('20ms') },
    destinations: [{ name: 'books', url: receiver.url, order: 'subject', concurrency: 4 }],
  })
  const first = await spawnGateway(site)
  receiver.answer(500)
  for (let n = 1; n <= 5; n++)
    await Promise.all(['a', 'b', 'c'].map((s) => callBack({ ...first, site }, { body: body(s, n) })))
  receiver.answer(200)
  await until(() => receiver.received.length > 3)
  first.process.kill('SIGKILL')
  await first.exited
  const second = await startTestGateway(site)
  await until(
    () => deliveriesOf(second),
    (all) => all.length === 15 && all.every(({ state }) => state === 'delivered'),
  )
  const bodies = receiver.received.map((one) => JSON.parse(one.body.toString()))
  for (const subject of ['a', 'b', 'c']) {
    const statuses = bodies
      .filter(({ identificador }) => identificador === subject)
      .map(({ status }) => Number(status.atual.slice(1)))
    expect(statuses).toEqual([...statuses].sort((x, y) => x - y))
    expect(new Set(statuses).size).toBe(5)
  }
})

it('an exhausted head holds its payment with an alarm until an operator skips it; the stats say what waits', async () => {
  const receiver = await startReceiver()
  const site = await createSite({
    forwarding: FORWARDING,
    destinations: [{ name: 'books', url: receiver.url, order: 'subject' }],
  })
  const gateway = await startTestGateway(site)
  receiver.answer(422)
  for (const n of [1, 2]) await callBack(gateway, { body: body('a', n) })
  await until(
    () => deliveriesOf(gateway),
    (all) => all[0]?.state === 'exhausted',
  )
  receiver.answer(200)
  expect(gateway.lines.filter(({ event }) => event === 'delivery.exhausted')).toMatchObject([
    { level: 'error', delivery: 'dlv_1', holdsItsSubject: true },
  ])
  const stats = JSON.parse((await callApi(gateway.api, '/v1/destinations/books/stats')).body)
  expect(stats).toMatchObject({
    state: 'active',
    circuit: 'closed',
    waiting: 0,
    blocked: 1,
    attempts: 3,
    successRate: 0,
  })
  const post = (path: string) => callApi(gateway.api, path, { method: 'POST' })
  expect((await post('/v1/deliveries/dlv_2/retry')).status).toBe(409)
  expect((await post('/v1/deliveries/dlv_1/skip')).status).toBe(200)
  const all = await until(
    () => deliveriesOf(gateway),
    (every) => every[1]?.state === 'delivered',
  )
  expect(all.map(({ state }) => state)).toEqual(['canceled', 'delivered'])
  const answers = [
    await post('/v1/deliveries/dlv_1/skip'),
    await post('/v1/deliveries/dlv_99/retry'),
    await post('/v1/deliveries/9/retry'),
    await post(`/v1/events/${all[0]?.event}/replay?destination=nobody`),
    await post('/v1/events/evt_9_0000000000/replay'),
    await post(`/v1/events/${all[0]?.event}/replay?to=books`),
  ]
  expect(answers.map(({ status }) => status)).toEqual([409, 404, 400, 404, 404, 400])
})
