import { expect, it } from 'vitest'
import type { NewAction } from '../../../src/domain/actions/action.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import type { OpenApi } from '../../support/api-contract.ts'
import { aCallback, aDestination, NOON } from '../../support/builders.ts'
import { ABOUT, asClient, ask, askJson, post, type RunningApi, startApi } from '../api.ts'

const entriesOf = async ({ store }: Pick<RunningApi, 'store'>) =>
  (await store.listActions({}, 1000)).actions.map(({ id, hash: _, at: __, ...entry }) => ({ id, ...entry }))

const entry = (changes: Partial<NewAction> & { id: number }) => ({
  actor: 'operator',
  channel: 'api',
  target: null,
  reason: null,
  details: null,
  refersTo: null,
  ...changes,
})

/** Requests of programs, in which no person has a part, and those that change nothing. */
const UNRECORDED = ['diffTrust', 'takeBatch', 'acknowledgeBatch', 'expectSubject']
/** Their reason is required, and in the body. */
const REASON_IN_BODY = ['unmaskEvent']

it('every operation that changes something takes a reason, but for those of programs', async () => {
  const api = await startApi({
    about: ABOUT,
    reload: async () => ({ renewed: [], problems: [] }) as never,
    reloadConfiguration: async () => ({ file: '', renewed: [], problems: [], needRestart: [] }),
  })
  const { paths } = await askJson<OpenApi>(api, '/openapi.json')
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      isOwn: method !== 'get' && path.startsWith('/v1/'),
    })),
  )
  const isRecorded = ({ isOwn, parameters = [] }: (typeof operations)[number]) =>
    isOwn && parameters.some(({ name }) => name === 'reason')
  const withReason = operations.filter(isRecorded).map(({ operationId }) => operationId)
  const exceptions = [...UNRECORDED, ...REASON_IN_BODY]
  const expected = operations.filter(({ isOwn, operationId }) => isOwn && !exceptions.includes(operationId))
  expect(withReason).toEqual(expected.map(({ operationId }) => operationId))
  expect(withReason.length).toBeGreaterThan(20)
})

it('an action is recorded with who, what and why before it is performed, and shown by the API', async () => {
  const seen: unknown[] = []
  const api = await startApi({
    testDestination: async () => {
      seen.push(...(await entriesOf(api)))
      return { status: 200, error: null, durationMs: 1, answer: Buffer.from('') }
    },
  })
  const { id } = await api.store.createDestination(aDestination({ name: 'books' }), NOON)
  const details = { destination: `dst_${id}`, name: 'books', host: 'books.example', owner: 'operator' }
  const { status } = await post(api, '/v1/destinations/books/test?reason=%C3%A9%20isto%3F')

  expect([status, seen]).toEqual([
    200,
    [entry({ id: 1, action: 'testDestination', target: 'books', reason: 'é isto?', details })],
  ])

  const app = await asClient(api, ['destinations.write', 'operations.read', 'operations.write'], { name: 'panel' })
  const { authorization } = app
  await ask(api, `/v1/destinations/dst_${id}`, { method: 'DELETE', authorization })
  const { data, ...page } = await askJson<{ data: unknown[] }>(api, '/v1/audit', { authorization })
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
  const common = { at: '2026-01-15T12:00:00.000Z', channel: 'api', details, refersTo: null, hash }
  expect(page).toEqual({ next: expect.any(String), more: false })
  expect(data).toEqual([
    {
      ...common,
      id: 'act_1',
      actor: 'operator',
      actorName: null,
      action: 'testDestination',
      target: 'books',
      reason: 'é isto?',
    },
    {
      ...common,
      id: 'act_2',
      actor: app.id,
      actorName: 'panel',
      action: 'deleteDestination',
      target: `dst_${id}`,
      reason: null,
    },
  ])
})

it('what fails is recorded once more, before its answer', async () => {
  const api = await startApi()
  expect((await post(api, '/v1/destinations/nothing/pause?reason=x')).status).toBe(404)
  expect(await entriesOf(api)).toEqual([
    entry({ id: 1, action: 'pauseDestination', target: 'nothing', reason: 'x' }),
    entry({ id: 2, action: 'pauseDestination', target: 'nothing', reason: 'x', refersTo: 1 }),
  ])
})

it('what cannot be recorded is not performed: 503, and nothing changes', async () => {
  const recordAction = async () => {
    throw new PortariaError('store_unavailable', 'the disk failed')
  }
  const api = await startApi({ store: { recordAction } })
  const before = await api.store.createDestination(aDestination({ name: 'books' }), NOON)

  const { status, body } = await post(api, '/v1/destinations/books/pause')

  expect([status, JSON.parse(body).code]).toEqual([503, 'store_unavailable'])
  expect(await api.store.listDestinations()).toEqual([before])
})

it('an outcome that cannot be recorded does not change the answer, and the log says so', async () => {
  let count = 0
  const api = await startApi({
    store: {
      async recordAction() {
        if (++count > 1) throw new PortariaError('store_unavailable', 'the disk failed')
        return 7
      },
    },
  })
  expect((await post(api, '/v1/destinations/nothing/pause')).status).toBe(404)
  expect(api.lines.filter(({ event }) => event === 'action.outcome_lost')).toEqual([
    expect.objectContaining({ action: 'act_7', endpoint: 'pauseDestination', error: 'the disk failed' }),
  ])
})

it('refused requests are no actions: without a token, without the scope, with a body that cannot be read', async () => {
  const api = await startApi()
  const { authorization } = await asClient(api, ['destinations.read'])
  const statuses = [
    await ask(api, '/v1/destinations/books/pause', { method: 'POST', authorization: null }),
    await ask(api, '/v1/destinations/books/pause', { method: 'POST', authorization }),
    await ask(api, '/v1/destinations', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }),
    await ask(api, '/v1/destinations', { method: 'POST', body: 'x=1', headers: { 'content-type': 'text/plain' } }),
  ]
  expect(statuses.map(({ status }) => status)).toEqual([401, 403, 400, 415])
  expect(await entriesOf(api)).toEqual([])
})

it.each([
  ['empty', 'reason='],
  ['blank', 'reason=+%20'],
  ['too long', `reason=${'x'.repeat(201)}`],
  ['of control characters', 'reason=a%0Ab'],
  ['given twice', 'reason=a&reason=b'],
  ['given twice, with another spelling of the name', 'reason=a&re%61son=b'],
])('a reason that is %s is refused, and nothing is performed', async (_, query) => {
  const api = await startApi()
  const before = await api.store.createDestination(aDestination({ name: 'books' }), NOON)
  const { status, body } = await post(api, `/v1/destinations/books/pause?${query}`)
  expect([status, JSON.parse(body).errors]).toEqual([400, [expect.objectContaining({ parameter: 'reason' })]])
  expect([await entriesOf(api), await api.store.listDestinations()]).toEqual([[], [before]])
})

it('the rest of the query reaches the endpoint as it was written', async () => {
  const api = await startApi()
  await api.store.createDestination(aDestination({ name: 'books', kinds: ['payment'] }), NOON)
  await api.store.storeCallback(aCallback())
  const [event] = (await api.store.listEvents({}, 1)).events
  const path = `/v1/events/${event?.id}/replay`
  expect((await post(api, `${path}?destination=b%6Foks&reason=${'x'.repeat(200)}`)).status).toBe(200)
  expect((await post(api, `${path}?reason=x&destination=books`)).status).toBe(200)
  const { status, body } = await post(api, `${path}?reason=x&other=1`)
  expect([status, body]).toEqual([400, expect.stringContaining('"parameter":"other"')])
})

it('consumers and token requests leave no entry, and the service API neither', async () => {
  const api = await startApi()
  await api.store.storeCallback(aCallback())
  const { authorization } = await asClient(api, ['events.read', 'payment.webhook.write'])
  const json = { 'content-type': 'application/json' }
  const asked = async (path: string, body: object, method = 'POST') =>
    (await ask(api, path, { method, authorization, headers: json, body: JSON.stringify(body) })).body
  const { batch } = JSON.parse(await asked('/v1/consumers/ledger/batches', {}))
  await asked('/v1/consumers/ledger/ack', { batch })
  await asked('/payment/v1/webhook', { url: 'https://app.example/payments' }, 'PUT')
  expect(await entriesOf(api)).toEqual([])
  await asked('/v1/consumers/ledger/seek', { position: 'latest' })
  expect((await entriesOf(api)).map(({ action, target }) => [action, target])).toEqual([['seekConsumer', 'ledger']])
})

it('the list is read by its filters, page by page in both directions, and a reader can turn round', async () => {
  const api = await startApi()
  for (const name of ['a', 'b', 'c', 'd', 'e']) await post(api, `/v1/destinations/${name}/pause`)
  const list = async (query: string) => {
    const { data, next, more } = await askJson<{ data: { id: string }[]; next: string; more: boolean }>(
      api,
      `/v1/audit?limit=4&${query}`,
    )
    return { ids: data.map(({ id }) => Number(id.slice(4))), next, more }
  }
  const first = await list('')
  expect([first.ids, first.more]).toEqual([[1, 2, 3, 4], true])
  expect((await list(`after=${first.next}`)).ids).toEqual([5, 6, 7, 8])
  const newest = await list('order=desc')
  expect([newest.ids, newest.more]).toEqual([[10, 9, 8, 7], true])
  expect((await list(`order=desc&after=${newest.next}`)).ids).toEqual([6, 5, 4, 3])
  expect((await list(`after=${newest.next}`)).ids).toEqual([7, 8, 9, 10])
  expect((await list('target=c')).ids).toEqual([5, 6])
  expect((await list('action=pauseDestination&actor=cli_0123456789')).ids).toEqual([])
  expect((await list('after=latest')).ids).toEqual([])
  expect((await list('from=2026-01-15T12:00:00.001Z')).ids).toEqual([])
  expect((await list('order=desc&to=2026-01-16')).ids).toEqual([10, 9, 8, 7])
})

it('a target is cut, and any text in it is kept', async () => {
  const api = await startApi()
  await post(api, `/v1/destinations/${'x'.repeat(300)}/pause`)
  await post(api, '/v1/destinations/%3Cscript%3E%00/pause')
  const targets = (await entriesOf(api)).map(({ target }) => target)
  expect(targets).toEqual(['x'.repeat(200), 'x'.repeat(200), '<script>\u0000', '<script>\u0000'])
})

it('an entry says what was created, for whom and with which scopes, without secrets and paths of URLs', async () => {
  const api = await startApi()
  const scopes = ['destinations.write', 'destinations.read', 'events.replay', 'operations.read']
  await post(api, '/v1/clients', { name: 'shop', environment: 'production', scopes })
  await post(api, '/v1/clients/shop/rotate', { grace: '1h' })
  const { authorization, id } = await asClient(api, ['destinations.write', 'events.replay'], { name: 'app' })
  const body = JSON.stringify({
    name: 'books',
    institutions: ['bank-a'],
    url: 'https://me:pw@books.example/hook-4711?k=5',
    headers: { 'x-k': 'key' },
  })
  const asJson = { method: 'POST', authorization, headers: { 'content-type': 'application/json' } }
  await ask(api, '/v1/destinations', { ...asJson, body })
  await ask(api, '/v1/destinations', { ...asJson, body: body.replace('me:pw@', '') })
  const filter = { kinds: ['payment'], subject: '12345678909' }
  await ask(api, '/v1/replays', { ...asJson, body: JSON.stringify({ destination: 'books', dryRun: true, filter }) })
  await post(api, '/v1/clients/shop/revoke')

  const client = {
    client: expect.stringMatching(/^cli_/),
    name: 'shop',
    environment: 'production',
    scopes: scopes.join(' '),
  }
  const destination = { name: 'books', institutions: 'bank-a', host: 'books.example', owner: id }
  const entries = await entriesOf(api)
  expect(entries.map(({ action, details }) => [action, details])).toEqual([
    ['createClient', { name: 'shop', environment: 'production', scopes: scopes.join(' ') }],
    ['rotateClient', { ...client, grace: '1h' }],
    ['createDestination', destination],
    ['createDestination', destination],
    ['createDestination', destination],
    ['createReplay', { destination: 'books', dryRun: 'true', kinds: 'payment', subject: 'one' }],
    ['revokeClient', client],
  ])
  for (const secret of ['pw', '4711', 'k=5', 'key', '12345678909', 'clientSecret'])
    expect(JSON.stringify(entries)).not.toContain(secret)
})

it('details are bounded, without control characters, and nothing where the request is no such object', async () => {
  const api = await startApi()
  await post(api, '/v1/clients', {
    name: 'x'.repeat(10_000),
    environment: '\u001b[2J',
    scopes: [{ secret: 's' }, 'events.read'],
  })
  await post(api, '/v1/clients', [])
  const [long, none] = (await entriesOf(api)).filter(({ refersTo }) => refersTo === null)
  expect(long?.details).toEqual({ name: `${'x'.repeat(499)}…`, environment: '\u{fffd}[2J', scopes: 'events.read' })
  expect(none?.details).toBeNull()
})
