import { describe, expect, it } from 'vitest'
import { checkDestinationUrl, compileAddressRules } from '../../src/domain/address-rules.ts'
import type { Scope } from '../../src/domain/scopes.ts'
import { PAGES } from '../../src/pages/pages.ts'
import { asClient, ask, askJson, patch, startApi } from '../api/api.ts'
import { aCallback, aDestination, aFact, NOON } from '../support/builders.ts'
import { startPages } from './api-pages.ts'

const SECRET = 's3cret'
const SHOWN = 'https://app.example/in?token=***'
const WHOLE = `https://app.example/in?token=${SECRET}-${'x'.repeat(20)}`
const REGISTRATION = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'

type Pages = Awaited<ReturnType<typeof startPages>>

/** Destinations of every origin, with a delivery and a replay of each kind of object that an address names. */
async function withDestinations() {
  const pages = await startPages()
  const { store } = pages.api
  const writer = await asClient(pages.api, ['destinations.write'], { name: 'owner' })
  const owner = writer.id
  await store.createDestination(aDestination({ name: 'ours', url: WHOLE }), NOON)
  await store.createDestination(aDestination({ name: 'theirs', url: WHOLE }), NOON, owner)
  for (const [kind, id] of [
    ['registration', REGISTRATION],
    ['payment', REGISTRATION.replace(/^f/, 'e')],
  ] as const)
    await store.registerDestination(aDestination({ name: kind, url: WHOLE, kinds: [kind] }), { id, owner }, NOON)
  const key = { environment: 'sandbox', resource: 'charge', resourceId: '17' } as const
  await store.openChargeRoute({ ...key, owner, settings: aDestination({ name: 'route', url: WHOLE }) }, NOON)
  await store.storeCallback(aCallback({ facts: [aFact({ subject: '4711' })] }))
  await store.pauseDestination(1, 'maintenance')
  await store.setCircuit(2, NOON)
  await store.createReplay(
    { destinationId: 1, mode: 'all', filter: {}, owner: null, matched: 1, leftOut: 0, upTo: 1 },
    NOON,
  )
  const event = (await store.listEvents({}, 1)).events[0]?.id ?? ''
  return { ...pages, owner, event }
}

/** Ids behind the first segment of a path. */
function concrete(path: string, event: string): string {
  const ids: Record<string, string> = {
    destinations: 'dst_1',
    deliveries: 'dlv_1',
    events: event,
    replays: 'rpl_1',
    webhook: REGISTRATION,
  }
  return path.replace(/(\w+)\/(?::\w+|\{\w+\})/, (_, noun) => `${noun}/${ids[noun] ?? '1'}`).replace(/[:{]\w+\}?/g, 'x')
}

const pagesOf = (event: string) => [
  ...PAGES.map(({ page }) => `/ui${concrete(page.path, event)}`),
  ...['/ui/destinations/dst_2', '/ui/destinations/dst_5', '/ui/destinations?name=app.example'],
]

/** Every answer of the API that only reads, as its document lists them. */
async function readsOf(api: Pages['api'], event: string): Promise<string[]> {
  const { paths } = await askJson<{ paths: Record<string, { get?: object }> }>(api, '/openapi.json')
  const period = '?dataInicio=2020-01-01T00:00:00Z&dataFim=2030-01-01T00:00:00Z'
  return [
    ...Object.entries(paths)
      .filter(([, { get }]) => get !== undefined)
      .map(([path]) => (path === '/payment/v1/webhook' ? path + period : concrete(path, event))),
    ...['/v1/destinations/dst_2', '/v1/destinations?include=stats', '/v1/deliveries?destination=dst_1'],
  ]
}

const READING: readonly Scope[] = [
  ...(['events.read', 'destinations.read', 'operations.read', 'support.read'] as const),
  ...(['registration.webhook.read', 'payment.webhook.read'] as const),
]

describe('a value in the query of a destination’s URL', () => {
  it('is in no page for who may not change the destination', async () => {
    const { event, openAs } = await withDestinations()
    const person = await openAs(READING)
    const shown: string[] = []
    for (const path of pagesOf(event)) {
      const { status, body } = await person.get(path)
      expect([path, body.includes(SECRET)]).toEqual([path, false])
      if (status === 200 && body.includes('token=***')) shown.push(path)
    }
    expect(shown).toEqual(expect.arrayContaining(['/ui/destinations', '/ui/destinations/dst_1', '/ui/registrations']))
  })

  it('is in no answer of the API for the same client, no log line and no recorded action', async () => {
    const { api, event } = await withDestinations()
    const { authorization } = await asClient(api, READING)
    const answered: string[] = []
    for (const path of await readsOf(api, event)) {
      const { status, body } = await ask(api, path, { authorization })
      expect([path, body.includes(SECRET)]).toEqual([path, false])
      if (status === 200 && body.includes(SHOWN)) answered.push(path.replace(/\?.*/, ''))
    }
    expect(answered).toEqual(
      expect.arrayContaining([
        ...['/v1/destinations', '/v1/destinations/dst_1', '/payment/v1/webhook', '/registration/v1/webhooks'],
        `/registration/v1/webhook/${REGISTRATION}`,
      ]),
    )
    expect(JSON.stringify([api.lines, await api.store.listActions({}, 99)])).not.toContain(SECRET)
  })

  it('is shown to the operator, and to an owner that may change it', async () => {
    const { api, browser, openAs } = await withDestinations()
    for (const path of ['/ui/destinations', '/ui/destinations/dst_1'])
      expect((await browser.get(path)).body).toContain(WHOLE)
    const all = await openAs(['destinations.read', 'destinations.write', 'operations.read', 'operations.write'])
    expect((await all.get('/ui/destinations/dst_2')).body).toContain(WHOLE)
    const own = await openAs(['destinations.read', 'destinations.write', 'payment.webhook.read'])
    await api.store.createDestination(aDestination({ name: 'own', url: WHOLE }), NOON, own.id)
    const { body } = await own.get('/ui/destinations')
    expect([body.includes(WHOLE), body.includes('theirs')]).toEqual([true, false])
  })

  it.each([
    [['payment.webhook.read'], false],
    [['payment.webhook.read', 'payment.webhook.write'], true],
    [['payment.webhook.read', 'destinations.write'], true],
  ] as const)('of an own webhook is shown with %s: %s', async (scopes, isShown) => {
    const { api } = await withDestinations()
    const { authorization, id: owner } = await asClient(api, scopes)
    const settings = aDestination({ name: 'mine', url: WHOLE, kinds: ['payment'] })
    await api.store.registerDestination(settings, { id: REGISTRATION.replace(/^f/, 'd'), owner }, NOON)
    const period = 'dataInicio=2020-01-01T00:00:00Z&dataFim=2030-01-01T00:00:00Z'
    const { body } = await ask(api, `/payment/v1/webhook?${period}`, { authorization })
    expect([body.includes(WHOLE), body.includes('token=***')]).toEqual([isShown, !isShown])
  })

  it('is not confirmed by a search', async () => {
    const { api } = await withDestinations()
    const { authorization } = await asClient(api, READING)
    const found = async (name: string, as?: string) =>
      (await askJson<{ data: object[] }>(api, `/v1/destinations?name=${name}`, as ? { authorization: as } : {})).data
    expect(await found('app.example', authorization)).toHaveLength(5)
    expect(await found(SECRET, authorization)).toEqual([])
    expect(await found(SECRET)).toHaveLength(5)
  })

  it('is not replaced by its mask', async () => {
    const checkUrl = async (url: string) => checkDestinationUrl(url, compileAddressRules([]))
    const api = await startApi({ checkUrl })
    await api.store.createDestination(aDestination({ name: 'ours', url: WHOLE }), NOON)
    const answer = await patch(api, '/v1/destinations/ours', { url: SHOWN })
    expect([answer.status, answer.body.includes('write the value itself')]).toEqual([400, true])
    expect(await api.store.listDestinations()).toMatchObject([{ url: WHOLE }])
  })
})
