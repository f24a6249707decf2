import { expect, it } from 'vitest'
import { callApi } from '../../support/calls.ts'
import { until } from '../../support/until.ts'
import { type App, entriesAt, type RoutingWorld, startRouting } from './routing-world.ts'

const DONE = { status: 200, body: '{"code":200}' }

const destinationsOf = async ({ gateway }: RoutingWorld) =>
  (JSON.parse((await callApi(gateway.api, '/v1/destinations')).body) as { data: Record<string, unknown>[] }).data

/** Creates its charge with a billet. */
async function aCharge({ service }: RoutingWorld): Promise<number> {
  const id = await service.createCharge()
  return id
}

async function pay({ service }: RoutingWorld, id: number): Promise<void> {
  const billet = {
    banking_billet: {
      customer: { name: 'Ana Souza', cpf: '52998224725', email: 'ana@example.com', phone_number: '11987654321' },
      expire_at: '2026-03-10',
    },
  }
  expect((await service.call('POST', `/charge/${id}/pay`, { payment: billet })).status).toBe(200)
  expect((await service.control('POST', `/charges/${id}/pay`, {})).status).toBe(200)
}

/** By status: a destination without order may get them in any order. */
function changesOf(app: App): [number, string][] {
  const changes = app.entries().filter(([, status]) => status !== 'new')
  return changes.toSorted(([, one], [, other]) => one.localeCompare(other))
}

/** A destination of the app's own for all charges, apart from its routes. */
async function wantsEverything(app: App): Promise<void> {
  const body = { url: app.receiver.url, name: 'all', kinds: ['charge'] }
  expect((await app.call('POST', '/v1/destinations', body)).status).toBe(201)
}

it.each(['json', 'token'] as const)(
  'an app gets the notifications of its charge, in form %s, and no other app does; the service knows the gateway alone',
  async (form) => {
    const world = await startRouting({ form })
    const [shop, other] = [await world.startApp('shop'), await world.startApp('other')]
    const everything = await world.everything()
    await wantsEverything(other)
    const [mine, plain] = [await aCharge(world), await aCharge(world)]
    // Every charge's notifications come here; only the first one has an app of its own.
    await world.service.call('PUT', `/charge/${plain}/metadata`, { notification_url: world.ownAddress })

    const given = { notification_url: shop.receiver.url, custom_id: 'order-17' }
    expect(await shop.route(mine, given)).toMatchObject(DONE)
    const record = await world.service.show(mine)
    expect([record.notification_url, record.custom_id]).toEqual([world.ownAddress, 'order-17'])

    await pay(world, mine)
    await pay(world, plain)
    const expected = (id: number) => [
      [id, 'paid'],
      [id, 'waiting'],
    ]
    await until(() => everything.received.length >= 4)
    await world.settled()
    expect(changesOf(shop)).toEqual(expected(mine))
    expect(changesOf(other)).toEqual(expected(plain))
    expect(entriesAt(everything)).toEqual(expect.arrayContaining([...expected(mine), ...expected(plain)]))

    const routes = (await destinationsOf(world)).filter(({ origin }) => origin === 'route')
    expect(routes).toMatchObject([
      {
        owner: shop.clientId,
        url: shop.receiver.url,
        kinds: ['charge'],
        environments: ['production'],
        name: expect.stringMatching(/^route-[0-9a-f]{8}$/),
      },
    ])
    // The same address again is the same destination.
    expect(await shop.route(plain)).toMatchObject(DONE)
    expect(await destinationsOf(world)).toHaveLength(3)

    const [delivery = expect.fail()] = shop.receiver.received
    expect(delivery.headers).toMatchObject({ 'portaria-kind': 'charge', 'portaria-environment': 'production' })
    expect(delivery.headers['webhook-signature']).toMatch(/^v1,/)
  },
)

it('the notifications of all charges of a subscription go to the app that routes it', async () => {
  const world = await startRouting()
  const [shop, other] = [await world.startApp('shop'), await world.startApp('other')]
  await wantsEverything(other)
  const id = await world.service.createSubscription()
  const [charge = 0] = await world.service.chargesOf(id)
  const path = `/charges/v1/subscription/${id}/metadata`
  expect(await shop.call('PUT', path, { notification_url: shop.receiver.url, custom_id: 'rent 7' })).toMatchObject(DONE)
  expect(await world.service.recordOf(id)).toMatchObject({ notification_url: world.ownAddress, custom_id: 'rent 7' })

  expect((await world.service.payByBillet(id)).status).toBe(200)
  await until(() => shop.entries().some(([of, status]) => of === charge && status === 'waiting'))
  await world.settled()
  expect(other.entries()).toEqual([])

  // The charge's own route is closer than its subscription's.
  expect(await other.route(charge)).toMatchObject(DONE)
  const before = shop.receiver.received.length
  await world.service.control('POST', `/charges/${charge}/pay`, {})
  await until(() => other.entries().some(([of, status]) => of === charge && status === 'paid'))
  await world.settled()
  expect(shop.receiver.received.slice(before).filter(({ body }) => body.includes(`"charge_id":${charge}`))).toEqual([])
})

it('a charge that an app routes is refused to every other one, until null ends that', async () => {
  const world = await startRouting()
  const [shop, other] = [await world.startApp('shop'), await world.startApp('other')]
  const everything = await world.everything()
  const id = await aCharge(world)
  expect(await shop.route(id)).toMatchObject(DONE)
  for (const metadata of [undefined, { notification_url: null }, { custom_id: 'mine' }]) {
    const { status, body } = await other.route(id, metadata)
    expect([status, JSON.parse(body)]).toMatchObject([409, { code: 3_500_034, error: 'validation_error' }])
  }
  expect((await world.service.show(id)).custom_id).toBe(null)
  expect(await shop.route(id)).toMatchObject(DONE)

  expect(await shop.route(id, { notification_url: null })).toMatchObject(DONE)
  expect((await world.service.show(id)).notification_url).toBe(world.ownAddress)
  expect(await shop.route(id, { notification_url: null })).toMatchObject(DONE)
  await pay(world, id)
  await until(() => everything.received.length >= 2)
  await world.settled()
  expect(shop.receiver.received).toEqual([])

  expect(await other.route(id)).toMatchObject(DONE)
})

it('custom_id alone is passed on, and leaves the route alone', async () => {
  const world = await startRouting()
  const shop = await world.startApp('shop')
  const [routed, plain] = [await aCharge(world), await aCharge(world)]
  await shop.route(routed)
  for (const id of [routed, plain]) expect(await shop.route(id, { custom_id: 'A/1' })).toMatchObject(DONE)
  expect([await world.service.show(routed), await world.service.show(plain)]).toMatchObject([
    { custom_id: 'A/1', notification_url: world.ownAddress },
    { custom_id: 'A/1', notification_url: null },
  ])
  await world.service.call('PUT', `/charge/${routed}/cancel`)
  await until(() => shop.entries().some(([, status]) => status === 'canceled'))
})

it('what the service refuses is answered with its code and text, and nothing is remembered', async () => {
  const world = await startRouting()
  const shop = await world.startApp('shop')
  const { status, body } = await shop.route(99)
  expect([status, JSON.parse(body)]).toEqual([
    404,
    { code: 3_500_010, error: 'not_found', error_description: 'A cobrança não existe.' },
  ])
  expect(await destinationsOf(world)).toEqual([])
  expect(body).not.toContain(world.token)
  expect(JSON.stringify(world.gateway.lines)).not.toContain(world.token)
  const [refused = expect.fail()] = world.gateway.lines.filter(({ event }) => event === 'charge_route.refused')
  expect(refused).toMatchObject({ environment: 'production', resource: 'charge', id: '99', client: shop.clientId })

  const forbidden = await shop.route(99, { notification_url: 'http://93.184.215.14/' })
  expect([forbidden.status, JSON.parse(forbidden.body)]).toMatchObject([
    ...[400, { error_description: { property: '/notification_url' } }],
  ])
  const subscription = await shop.call('PUT', '/charges/v1/subscription/99/metadata', { custom_id: 'a' })
  expect([subscription.status, JSON.parse(subscription.body)]).toMatchObject([404, { code: 3_500_010 }])
})

/** Orders a fault of metadata requests at the charges interface of the service. */
async function orderFault({ running }: RoutingWorld, fault: object): Promise<void> {
  const ordered = {
    on: 'api',
    interface: 'charges',
    path: '/metadata',
    count: null,
    ...fault,
  }
  expect((await running.control('POST', '/faults?environment=production', ordered)).status).toBe(201)
}

const routeText = async (app: App, id: number) => {
  const { status, body } = await app.route(id)
  return [status, String(JSON.parse(body).error_description)]
}

it('while the service cannot be reached nothing is remembered, and the app is asked to repeat its request', async () => {
  const world = await startRouting()
  const shop = await world.startApp('shop')
  const id = await aCharge(world)
  await world.running.stop()
  const [status, text] = await routeText(shop, id)
  expect([status, text]).toEqual([503, expect.stringMatching(/cannot reach the service; nothing was changed: repeat/)])
  expect(await destinationsOf(world)).toEqual([])
})

it('where the answer is lost the route works unconfirmed, and the same request confirms it', async () => {
  const world = await startRouting()
  const [shop, other] = [await world.startApp('shop'), await world.startApp('other')]
  await wantsEverything(other)
  const id = await aCharge(world)
  await orderFault(world, { fault: 'cut_after_request' })
  expect(await routeText(shop, id)).toEqual([503, expect.stringMatching(/may be set or not: repeat the request/)])
  expect(world.gateway.lines.filter(({ event }) => event === 'charge_route.unconfirmed')).toHaveLength(1)

  await pay(world, id)
  await until(() => shop.entries().length >= 2)
  await world.settled()
  expect(other.entries()).toEqual([])
  await world.running.control('DELETE', '/faults?environment=production')
  expect(await shop.route(id)).toMatchObject(DONE)
  expect(world.gateway.lines.filter(({ event }) => event === 'charge_route.set')).toHaveLength(1)
})

it('a service that refuses the gateway itself is no refusal of the app', async () => {
  const world = await startRouting()
  const shop = await world.startApp('shop')
  const id = await aCharge(world)
  await orderFault(world, { fault: 'expired_token' })
  const [status, text] = await routeText(shop, id)
  expect([status, text]).toEqual([503, expect.stringMatching(/does not accept the gateway's credentials/)])
  expect(await destinationsOf(world)).toEqual([])
})

it('without resolveTokens the answer is 503 with the reason', async () => {
  const world = await startRouting({ service: { resolveTokens: false } })
  const shop = await world.startApp('shop')
  expect(await routeText(shop, await aCharge(world))).toEqual([503, expect.stringMatching(/set service.resolveTokens/)])
  expect(await destinationsOf(world)).toEqual([])
})
