import { expect, it } from 'vitest'
import { aDestination, aHeldCallback, NOON } from '../../support/builders.ts'
import { asClient, ask, askJson, post, type RunningApi, sharedApi, startApi } from '../api.ts'

const shared = sharedApi()

interface Page {
  readonly data: { id: string; state: string }[]
  readonly next: string | null
  readonly more: boolean
}

const TEXT = '{"pix":[{"txid":"A","valor":150.10,"account":"theirs"},{"txid":"B","account":"own"},{"txid":"C"}]}'

/** In quarantine: qtn_1 (foreign, A), qtn_2 (no account, C) of one production callback; qtn_3 (unparsed) of sandbox. Event 1 is B. */
async function startWithQuarantine() {
  return fill(await startApi())
}

async function fill<Api extends RunningApi>(api: Api): Promise<Api> {
  await api.store.createDestination(aDestination({ kinds: ['charge'] }), NOON)
  await api.store.storeCallback(aHeldCallback(TEXT, ['/pix']))
  await api.store.storeCallback(aHeldCallback('not JSON \u2028', [], { environment: 'sandbox' }))
  return api
}

const idsOf = ({ data }: Page) => data.map(({ id }) => id)

it('lists what is held back oldest first, page by page, and goes on where it ended', async () => {
  const api = await startWithQuarantine()
  const first = await askJson<Page>(api, '/v1/quarantine?limit=2')
  const second = await askJson<Page>(api, `/v1/quarantine?limit=2&after=${first.next}`)
  const backward = await askJson<Page>(api, '/v1/quarantine?limit=2&order=desc')
  expect([backward.data.map(({ id }) => id), backward.next, backward.more]).toEqual([['qtn_3', 'qtn_2'], 'qtn_2', true])
  const third = await askJson<Page>(api, `/v1/quarantine?after=${second.next}`)
  expect([idsOf(first), first.next, first.more]).toEqual([['qtn_1', 'qtn_2'], 'qtn_2', true])
  expect([idsOf(second), second.next, second.more]).toEqual([['qtn_3'], 'qtn_3', false])
  expect(third).toEqual({ data: [], next: 'qtn_3', more: false })
  expect(await askJson(await startApi(), '/v1/quarantine')).toEqual({ data: [], next: null, more: false })
  const head = await ask(api, '/v1/quarantine', { method: 'HEAD' })
  expect([head.status, head.body]).toEqual([200, ''])
})

it('filters by state, kind, environment and reason', async () => {
  const api = await startWithQuarantine()
  await post(api, '/v1/quarantine/qtn_2/discard')
  const ids = async (query: string) => idsOf(await askJson<Page>(api, `/v1/quarantine?${query}`))
  expect(await ids('state=quarantined')).toEqual(['qtn_1', 'qtn_3'])
  expect(await ids('state=discarded')).toEqual(['qtn_2'])
  expect(await ids('kind=payment')).toEqual([])
  expect(await ids('kind=payment,charge')).toEqual(['qtn_1', 'qtn_2', 'qtn_3'])
  expect(await ids('environment=sandbox')).toEqual(['qtn_3'])
  expect(await ids('reason=account_foreign')).toEqual(['qtn_1'])
  expect(await ids('from=2026-01-15T12:00:00Z')).toEqual(['qtn_1', 'qtn_2', 'qtn_3'])
  expect(await ids('from=2026-01-15T12:00:00.001Z')).toEqual([])
  expect(await ids('to=2026-01-15T12:00:00.001Z&environment=sandbox')).toEqual(['qtn_3'])
  expect(await ids('to=2026-01-15T12:00:00Z')).toEqual([])
})

it('filters by institution, says of which one there is nothing, and names it in the log', async () => {
  const api = await startWithQuarantine()
  await api.store.storeCallback(aHeldCallback(TEXT, [], { environment: 'bank-a/production' }))
  const page = await askJson<Page & { data: { institution: string }[] }>(api, '/v1/quarantine?institution=bank-a')
  expect([idsOf(page), page.data[0]?.institution]).toEqual([['qtn_4'], 'bank-a'])
  expect(await askJson(api, '/v1/quarantine?institution=bank')).toMatchObject({
    data: [],
    hint: "no quarantined fact has institution 'bank'",
  })
  await post(api, '/v1/quarantine/qtn_4/release')
  await post(api, '/v1/quarantine/qtn_3/discard')
  const lines = api.lines.filter(({ event }) => String(event).startsWith('quarantine.'))
  expect(lines).toMatchObject([{ institution: 'bank-a', environment: 'production' }, { environment: 'sandbox' }])
  expect(lines[1]).not.toHaveProperty('institution')
})

it('gives a hint in an empty answer where nothing in quarantine has ever had what the filter names', async () => {
  const api = await startWithQuarantine()
  const queries = [
    'kind=pix,charge&state=released',
    'reason=account_foreign&environment=sandbox',
    'kind=charge&after=qtn_3',
  ]
  const hints = queries.map(async (query) => (await askJson(api, `/v1/quarantine?${query}`)).hint)
  expect(await Promise.all(hints)).toEqual([
    "no quarantined fact has kind 'pix'; no quarantined fact has state 'released'",
    undefined,
    undefined,
  ])
})

it('says why a body was not parsed', async () => {
  const api = await startApi()
  const latin1 = Buffer.from('{"account":"own","nome":"João"}', 'latin1')
  const bodies: [body: string | Buffer, contentType: string][] = [
    [latin1, 'application/json'],
    [latin1, 'application/json; charset=shift_jis'],
    ['own', 'application/json'],
    ['{"account":"theirs"}', 'application/json'],
  ]
  for (const [body, contentType] of bodies) await api.store.storeCallback(aHeldCallback(body, [], { contentType }))
  const reasons = [1, 2, 3, 4].map(async (id) => (await askJson(api, `/v1/quarantine/qtn_${id}`)).unparsedReason)
  expect(await Promise.all(reasons)).toEqual(['charset_missing', 'charset_wrong', 'not_json', null])
})

it('shows a fact with its data as it was written and its evidence; none of it is polled or sent to anybody', async () => {
  const api = await startWithQuarantine()
  const shown = await ask(api, '/v1/quarantine/qtn_1')
  expect(JSON.parse(shown.body)).toMatchObject({
    id: 'qtn_1',
    state: 'quarantined',
    reason: 'account_foreign',
    kind: 'charge',
    environment: 'production',
    subject: 'A',
    status: null,
    receivedAt: '2026-01-15T12:00:00.000Z',
    listener: 'callbacks',
    authentication: 'mutual-tls',
    mark: null,
    part: '1/3',
    seen: 1,
    lastSeenAt: '2026-01-15T12:00:00.000Z',
    callback: 'clb_1',
    decidedAt: null,
    decidedBy: null,
    event: null,
    contentType: 'application/json',
    evidence: { callback: 'clb_1', route: 'charge', bytes: TEXT.length, peer: { subject: 'CN=service' } },
  })
  expect(shown.body).toContain('"data":{"pix":[{"txid":"A","valor":150.10,"account":"theirs"}]}')
  expect(await askJson(api, '/v1/quarantine/qtn_3')).toMatchObject({ mark: 'unparsed', data: 'not JSON \u2028' })

  const { data: events } = await askJson<{ data: { subject: string }[] }>(api, '/v1/events')
  expect(events.map(({ subject }) => subject)).toEqual(['B'])
  expect((await askJson<Page>(api, '/v1/deliveries')).data).toHaveLength(1)
})

it('releases a fact once: it is polled as an event, delivered, and named by what was held back', async () => {
  const api = await startWithQuarantine()
  const wakeUps: unknown[] = []
  api.bus.subscribe({ subject: 'A' }, () => wakeUps.push('woken'))

  const released = JSON.parse((await post(api, '/v1/quarantine/qtn_1/release')).body)

  expect(released).toMatchObject({ id: 'qtn_1', state: 'released', decidedBy: 'operator', duplicate: false })
  const { data: events } = await askJson<{ data: object[] }>(api, '/v1/events')
  expect(events[1]).toMatchObject({ id: released.event, subject: 'A', part: '1/3', callback: 'clb_1' })
  expect(await askJson(api, `/v1/events/${released.event}`)).toMatchObject({
    receivedAt: '2026-01-15T12:00:00.000Z',
    evidence: { callback: 'clb_1' },
    deliveries: [{ state: 'pending', createdAt: released.decidedAt }],
  })
  expect(wakeUps).toEqual(['woken'])
  expect(api.lines.filter(({ event }) => event === 'quarantine.released')).toEqual([
    {
      level: 'info',
      event: 'quarantine.released',
      id: 'qtn_1',
      eventId: released.event,
      kind: 'charge',
      environment: 'production',
      by: 'operator',
      duplicate: false,
      deliveries: 1,
    },
  ])
  for (const verb of ['release', 'discard']) {
    const again = await post(api, `/v1/quarantine/qtn_1/${verb}`)
    expect([again.status, JSON.parse(again.body)]).toMatchObject([
      409,
      { code: 'conflict', detail: 'qtn_1 is released already, which is final' },
    ])
  }
})

it('says which event it is where the same fact has become one meanwhile', async () => {
  const api = await startWithQuarantine()
  const callback = aHeldCallback('{"txid":"D"}', [], { receivedAt: Date.now() })
  await api.store.storeCallback(callback)
  const own = callback.facts.map(({ quarantine: _held, ...fact }) => fact)
  const { eventIds } = await api.store.storeCallback({ ...callback, facts: own })
  const released = await post(api, '/v1/quarantine/qtn_4/release')
  expect(JSON.parse(released.body)).toMatchObject({ state: 'released', duplicate: true, event: eventIds[0] })
})

it('discards a fact for good, and it can still be looked at', async () => {
  const api = await startWithQuarantine()
  const discarded = JSON.parse((await post(api, '/v1/quarantine/qtn_3/discard')).body)
  expect(discarded).toMatchObject({ id: 'qtn_3', state: 'discarded', event: null, decidedBy: 'operator' })
  expect((await post(api, '/v1/quarantine/qtn_3/release')).status).toBe(409)
  expect(await askJson(api, '/v1/quarantine/qtn_3')).toMatchObject({ ...discarded, data: 'not JSON \u2028' })
  expect(api.lines.at(-1)).toMatchObject({ event: 'quarantine.discarded', id: 'qtn_3', by: 'operator' })
})

it('is for the operator and clients with an operator scope, who are named as those who decided', async () => {
  const api = await startWithQuarantine()
  const reader = await asClient(api, ['operations.read'])
  const writer = await asClient(api, ['operations.read', 'operations.write'])
  const other = await asClient(api, ['events.read', 'events.replay', 'destinations.write'])
  const statusOf = async (client: { authorization: string } | null, method: string, path: string) =>
    (await ask(api, `/v1/quarantine${path}`, { method, authorization: client?.authorization ?? null })).status
  const looks = ['', '/qtn_1']
  const decisions = ['/qtn_1/release', '/qtn_2/discard']
  for (const path of looks)
    expect(await Promise.all([null, other, reader].map((one) => statusOf(one, 'GET', path)))).toEqual([401, 403, 200])
  for (const path of decisions)
    expect(await Promise.all([null, other, reader].map((one) => statusOf(one, 'POST', path)))).toEqual([401, 403, 403])
  for (const path of decisions) expect(await statusOf(writer, 'POST', path)).toBe(200)
  const { data } = await askJson<{ data: { decidedBy: string | null }[] }>(api, '/v1/quarantine')
  expect(data.map(({ decidedBy }) => decidedBy)).toEqual([writer.id, writer.id, null])
})

let filling: Promise<RunningApi> | undefined
/** Rows only read, or are refused. */
function filled(): Promise<RunningApi> {
  filling ??= shared().then(fill)
  return filling
}

it.each([
  ['GET', '/v1/quarantine/qtn_9', 404, 'there is no qtn_9 in quarantine'],
  ['GET', '/v1/quarantine/evt_1', 404, 'there is no evt_1 in quarantine'],
  ['POST', '/v1/quarantine/qtn_9/release', 404, 'there is no qtn_9 in quarantine'],
  ['POST', '/v1/quarantine/qtn_01/discard', 404, 'there is no qtn_01 in quarantine'],
  ['GET', '/v1/quarantine?state=kept', 400, 'state: one of quarantined, released, discarded'],
  ['GET', '/v1/quarantine?after=1', 400, 'after: an id such as qtn_1'],
  ['GET', '/v1/quarantine?subject=A', 400, 'subject: unknown; known are after, limit, state'],
  ['DELETE', '/v1/quarantine/qtn_1', 405, 'use GET, HEAD'],
  ['GET', '/v1/quarantine/qtn_1/release', 405, 'use POST'],
])('answers %s %s with %i, and says what is wrong', async (method, path, status, text) => {
  const answer = await ask(await filled(), path, { method })
  expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(text)])
})
