import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { allEvents, callApi, callBack } from '../../support/calls.ts'
import { createSite, spawnGateway, startTestGateway, type TestGateway, type TestSite } from '../../support/gateway.ts'
import { type Received, startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

interface Delivery {
  readonly id: string
  readonly destinationName: string
  readonly state: string
  readonly attempts: number
  readonly reason: string | null
}

async function create(gateway: TestGateway, body: Record<string, unknown>): Promise<{ id: string; secret: string }> {
  const answer = await callApi(gateway.api, '/v1/destinations', { method: 'POST', body })
  expect(answer.status).toBe(201)
  return JSON.parse(answer.body) as { id: string; secret: string }
}

async function deliveries(gateway: Pick<TestGateway, 'api'>): Promise<Delivery[]> {
  return (JSON.parse((await callApi(gateway.api, '/v1/deliveries')).body) as { data: Delivery[] }).data
}

const states = async (gateway: TestGateway) =>
  (await deliveries(gateway)).map(({ destinationName, state }) => `${destinationName}: ${state}`)

function configure(site: TestSite, changes: Record<string, unknown>): void {
  const config = parse(readFileSync(site.configFile, 'utf8')) as object
  writeFileSync(site.configFile, stringify({ ...config, ...changes }))
}

const verified = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body.toString(), headers as Record<string, string>)

it('each of several facts goes out alone, in the envelope and with the numbers that came', async () => {
  const gateway = await startTestGateway()
  const receiver = await startReceiver()
  const { secret } = await create(gateway, { url: receiver.url, name: 'books', concurrency: 1 })
  const body = '{ "total":150.10,"pix":[ {"txid":"a","valor":1.50}, {"txid":"b"},{"txid":"c"} ],"end":1e3 }'
  await callBack(gateway, { body })
  const received = await until(
    () => receiver.received,
    (all) => all.length === 3,
  )
  const parts = received.map((one) => [one.headers['portaria-part'], one.body.toString()])
  expect(parts.sort()).toEqual([
    ['1/3', '{ "total":150.10,"pix":[{"txid":"a","valor":1.50}],"end":1e3 }'],
    ['2/3', '{ "total":150.10,"pix":[{"txid":"b"}],"end":1e3 }'],
    ['3/3', '{ "total":150.10,"pix":[{"txid":"c"}],"end":1e3 }'],
  ])
  const events = await allEvents(gateway.api)
  expect(received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(events.map(({ id }) => id).sort())
  for (const one of received) expect(verified(secret, one)).toMatchObject({ total: 150.1 })
})

it('each destination gets what it asked for, signed with its own secret; probes go only to those that name them', async () => {
  const gateway = await startTestGateway()
  const receiver = await startReceiver()
  const at = (path: string) => receiver.url.replace('/hook', `/${path}`)
  const all = await create(gateway, { url: at('all'), name: 'all' })
  const both = await create(gateway, { url: at('both'), name: 'both', environments: ['production', 'sandbox'] })
  await create(gateway, { url: at('sandbox'), name: 'sandbox', environments: ['sandbox'] })
  await create(gateway, { url: at('charge'), name: 'charge', kinds: ['charge'] })
  await create(gateway, { url: at('probe'), name: 'probe', kinds: ['probe', 'registration'] })
  await callBack(gateway, { body: '{"identificador":"1"}' })
  await callBack(gateway, { body: '{"identificador":"2"}', path: '/callbacks/charge', environment: 'sandbox' })
  await callBack(gateway, { body: '{}', path: '/callbacks/charge' })
  await until(async () => (await deliveries(gateway)).every(({ state }) => state === 'delivered'))
  const got = receiver.received.map(({ path, headers }) =>
    [path, headers['portaria-kind'], headers['portaria-environment']].join(' '),
  )
  expect(got.sort()).toEqual([
    ...['/all charge sandbox', '/all payment production', '/both charge sandbox', '/both payment production'],
    ...['/charge charge sandbox', '/probe probe production', '/sandbox charge sandbox'],
  ])
  const [toAll, toBoth] = ['/all', '/both'].map((path) => receiver.received.find((one) => one.path === path))
  expect(verified(all.secret, toAll as Received)).toEqual(verified(both.secret, toBoth as Received))
  expect(() => verified(both.secret, toAll as Received)).toThrow()
  expect(toAll?.headers['webhook-signature']).not.toBe(toBoth?.headers['webhook-signature'])
})

it('a delivery without an answer when the process is killed is sent again under the same id, and both attempts are on record', async () => {
  const site = await createSite()
  const requests: IncomingHttpHeaders[] = []
  let killed: (() => void) | undefined
  const server = createServer((request, response) => {
    requests.push(request.headers)
    if (requests.length === 1) killed?.()
    else response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  configure(site, { destinations: [{ name: 'books', url }] })

  const first = await spawnGateway(site)
  killed = () => first.process.kill('SIGKILL')
  await callBack({ callbacks: first.callbacks, site }, { body: '{"identificador":"7"}' })
  expect(await first.exited).toBe('SIGKILL')

  const second = await startTestGateway(site)
  await until(async () => (await deliveries(second)).every(({ state }) => state === 'delivered'))
  expect(requests.map((headers) => [headers['webhook-id'], headers['portaria-attempt']])).toEqual([
    [requests[0]?.['webhook-id'], '1'],
    [requests[0]?.['webhook-id'], '2'],
  ])
  const [event] = await allEvents(second.api)
  expect(event?.id).toBe(requests[0]?.['webhook-id'])
  const listed = JSON.parse((await callApi(second.api, `/v1/events/${event?.id}/deliveries`)).body) as {
    data: { latestAttempts: { attempt: number; error: string | null }[] }[]
  }
  expect(listed.data[0]?.latestAttempts.map(({ attempt, error }) => [attempt, error])).toEqual([
    [1, 'interrupted: the gateway ended before the outcome was on record; it may have arrived'],
    [2, null],
  ])
})

it('a stop and a start in between lose nothing and use no step', async () => {
  const site = await createSite({ forwarding: { allowedNetworks: ['127.0.0.1'], schedule: ['0s'], timeout: '60s' } })
  let isInactive = true
  const requests: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    requests.push(request.headers)
    if (!isInactive) response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const first = await startTestGateway(site)
  await create(first, { url, name: 'books' })
  await callBack(first, { body: '{"identificador":"7"}' })
  await until(() => requests.length === 1)
  await first.stop()
  isInactive = false
  const second = await startTestGateway(site)
  await until(async () => (await deliveries(second)).every(({ state }) => state === 'delivered'))
  expect(await deliveries(second)).toMatchObject([{ state: 'delivered', attempts: 2, reason: null }])
  expect(requests.map((headers) => headers['portaria-attempt'])).toEqual(['1', '2'])
  expect(requests.map((headers) => headers['webhook-id'])).toEqual(Array(2).fill(requests[0]?.['webhook-id']))
})

it('what is skipped before its request has begun is never sent, also where it was claimed already', async () => {
  const gateway = await startTestGateway()
  const bodies: string[] = []
  const held: (() => void)[] = []
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text))
    held.push(() => response.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await create(gateway, { url, name: 'books', concurrency: 1 })
  for (const id of [1, 2, 3]) await callBack(gateway, { body: `{"identificador":"${id}"}` })
  // The second one is claimed ahead, behind the first one's answer.
  await until(deliveries.bind(null, gateway), (all) => all.some(({ id, attempts }) => id === 'dlv_2' && attempts === 1))
  expect(await callApi(gateway.api, '/v1/deliveries/dlv_2/skip', { method: 'POST' })).toMatchObject({ status: 200 })
  await until(deliveries.bind(null, gateway), (all) => all.some(({ id, attempts }) => id === 'dlv_2' && attempts === 0))
  await until(() => {
    for (const answer of held.splice(0)) answer()
    return bodies.length === 2
  })
  await until(
    () => states(gateway),
    (all) => all.every((state) => !state.includes('pending')),
  )
  expect(bodies).toEqual(['{"identificador":"1"}', '{"identificador":"3"}'])
  expect(await states(gateway)).toEqual(['books: delivered', 'books: canceled', 'books: delivered'])
})

it('a destination that is deleted has what it would get canceled, in the list and in the log', async () => {
  const gateway = await startTestGateway()
  const receiver = await startReceiver()
  await create(gateway, { url: receiver.url, name: 'books' })
  await callApi(gateway.api, '/v1/destinations/books/pause', { method: 'POST' })
  for (const id of [1, 2]) await callBack(gateway, { body: `{"identificador":"${id}"}` })
  await callApi(gateway.api, '/v1/destinations/books', { method: 'DELETE' })
  expect(await deliveries(gateway)).toMatchObject(
    Array(2).fill({ state: 'canceled', attempts: 0, reason: 'its destination was removed' }),
  )
  expect(gateway.lines.filter(({ event }) => event === 'deliveries.canceled')).toEqual([
    { level: 'warn', event: 'deliveries.canceled', destination: 'books', state: 'deleted', canceled: 2 },
  ])
  expect(receiver.received).toEqual([])
})

it('a destination that leaves the configuration file has what it would get canceled; when it comes back it gets what is new', async () => {
  const receiver = await startReceiver()
  const site = await createSite()
  const destinations = [{ name: 'books', url: receiver.url }]
  configure(site, { destinations })
  const first = await startTestGateway(site)
  await callApi(first.api, '/v1/destinations/books/pause', { method: 'POST' })
  const before = JSON.parse((await callApi(first.api, '/v1/destinations/books/secret')).body) as { secrets: string[] }
  await callBack(first, { body: '{"identificador":"before"}' })
  await first.stop()

  configure(site, { destinations: [] })
  const without = await startTestGateway(site)
  expect(without.lines.filter(({ event }) => /retired|canceled/.test(event))).toEqual([
    { level: 'warn', event: 'destinations.retired', destinations: ['books'] },
    { level: 'warn', event: 'deliveries.canceled', destination: 'books', state: 'retired', canceled: 1 },
  ])
  await callBack(without, { body: '{"identificador":"meanwhile"}' })
  expect(await states(without)).toEqual(['books: canceled'])
  await without.stop()

  configure(site, { destinations })
  const back = await startTestGateway(site)
  await callApi(back.api, '/v1/destinations/books/resume', { method: 'POST' })
  await callBack(back, { body: '{"identificador":"after"}' })
  await until(async () => (await states(back)).includes('books: delivered'))
  expect(await states(back)).toEqual(['books: canceled', 'books: delivered'])
  expect(receiver.received.map(({ body }) => body.toString())).toEqual(['{"identificador":"after"}'])
  expect(verified(before.secrets[0] as string, receiver.received[0] as Received)).toEqual({ identificador: 'after' })
})
