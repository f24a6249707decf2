import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { chargeClient, LINK } from '../charges/charge-client.ts'
import { receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'
import { plainReceiver } from './plain-receiver.ts'

let running: RunningSimulator
beforeAll(async () => {
  running = await runSimulator(
    { webhooks: { retryMinutes: 'short', probe: 'always' } },
    { receiverCaFile: receiverCaFile() },
  )
})
afterAll(() => running.stop())
beforeEach(() => sandbox.setTime('2026-03-02T15:00:00Z'))

const sandbox = chargeClient(() => running, 'sandbox')
const production = chargeClient(() => running, 'production')
const site = () => running.simulator.sites.sandbox
const settled = () => site().tasks.settled()
const clientId = () => site().applications.list()[0]?.clientId
const fetchEntries = (token: string) => sandbox.call('GET', `/notification/${token}`)
const callbacksTo = (url: string) =>
  site()
    .webhooks.callbacks.list()
    .filter((callback) => callback.url === url)

const withUrl = (notification_url: string, custom_id: string | null = null) =>
  sandbox.createCharge({ metadata: { notification_url, custom_id } })

async function useTokenForm(): Promise<void> {
  await sandbox.control('PUT', `/applications/${clientId()}/notifications`, { form: 'token' })
  onTestFinished(async () => {
    await sandbox.control('PUT', `/applications/${clientId()}/notifications`, { form: 'json' })
  })
}

describe('JSON entries', () => {
  it('tell each change of the status, over plain HTTP', async () => {
    const { urlOf, received } = await plainReceiver()
    const id = await withUrl(urlOf('n?secret=1'), 'order 1')
    await settled()
    await sandbox.call('PUT', `/charge/${id}/cancel`)
    await settled()
    expect(received.map(({ path, contentType }) => [path, contentType])).toEqual(
      Array(2).fill(['/n?secret=1', 'application/json']),
    )
    const [created, canceled] = received.map(({ body }) => JSON.parse(body).notification)
    const entry = { charge_id: id, custom_id: 'order 1', created_at: '2026-03-02 12:00:00' }
    expect([created, canceled]).toEqual([
      { token: expect.any(String), entries: [{ ...entry, status: 'new' }] },
      { token: created.token, entries: [{ ...entry, status: 'canceled' }] },
    ])
    expect(callbacksTo(urlOf('n?secret=1'))).toMatchObject([
      { interface: 'charges', account: '200001', state: 'delivered', attempts: [{ outcome: { status: 200 } }] },
      { state: 'delivered' },
    ])
  })

  it('are delivered by an answer only, not by the query of their token', async () => {
    const { urlOf, received } = await plainReceiver(async ({ body }) => {
      await fetchEntries(JSON.parse(body).notification.token)
      return received.length === 1 ? 500 : 200
    })
    await withUrl(urlOf('n'))
    await settled()
    expect(callbacksTo(urlOf('n'))).toMatchObject([
      { state: 'delivered', attempts: [{ outcome: { status: 500 } }, { outcome: { status: 200 } }] },
    ])
  })

  it('tell of new, link, expired, waiting and unpaid', async () => {
    const { urlOf, received } = await plainReceiver()
    const linked = await withUrl(urlOf('a'))
    await sandbox.call('POST', `/charge/${linked}/link`, LINK)
    const waiting = await withUrl(urlOf('b'))
    await sandbox.payByBillet(waiting)
    await sandbox.setTime('2026-03-11T03:00:00Z')
    const statuses = (path: string) =>
      received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body).notification.entries[0].status)
    expect([statuses('/a'), statuses('/b')].map((list) => list.sort())).toEqual([
      ['expired', 'link', 'new'],
      ['new', 'unpaid', 'waiting'],
    ])
  })

  it('of a payment carry the day on which it was made, and their time is that of the confirmation', async () => {
    const { urlOf, received } = await plainReceiver()
    const id = await production.createCharge({ metadata: { notification_url: urlOf('n') } })
    await production.payByBillet(id)
    await production.setTime('2026-03-06T12:00:00Z')
    await production.control('POST', `/charges/${id}/pay`, { place: 'bank_agency', paid_on: '2026-03-04' })
    await running.simulator.sites.production.tasks.settled()
    const entries = received.map(({ body }) => JSON.parse(body).notification.entries[0])
    expect(entries.find(({ status }) => status === 'paid')).toEqual({
      charge_id: id,
      custom_id: null,
      status: 'paid',
      created_at: '2026-03-06 09:00:00',
      received_by_bank_at: '2026-03-04',
    })
  })

  it('of a billet that was paid after the cancellation reach the integrator', async () => {
    const { urlOf, received } = await plainReceiver()
    const id = await production.createCharge({ metadata: { notification_url: urlOf('n') } })
    await production.payByBillet(id)
    await production.control('POST', `/charges/${id}/print`)
    await production.call('PUT', `/charge/${id}/cancel`)
    await production.control('POST', `/charges/${id}/pay`, { place: 'bank_agency' })
    await running.simulator.sites.production.tasks.settled()
    const statuses = received.map(({ body }) => JSON.parse(body).notification.entries[0].status)
    expect(statuses.sort()).toEqual(['canceled', 'new', 'paid', 'waiting'])
  })

  it('come again by the preset until they are answered with 2xx, redirects being none', async () => {
    const statuses = [500, 302]
    const { urlOf, received } = await plainReceiver(() => statuses.shift() ?? 204)
    await withUrl(urlOf('n'))
    await settled()
    // The short preset: 0, 5 and 5 minutes.
    await sandbox.advance('1h')
    expect([received.length, new Set(received.map(({ body }) => body)).size]).toEqual([3, 1])
    expect(callbacksTo(urlOf('n'))).toMatchObject([{ state: 'delivered', attempts: { length: 3 } }])
  })

  it('go over https without a client certificate, and only to a server certificate that is trusted', async () => {
    const open = await startReceiver({ chain: null })
    const closed = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
    onTestFinished(async () => void (await Promise.all([open.stop(), closed.stop()])))
    await withUrl(open.urlOf('n'))
    await withUrl(closed.urlOf('n'))
    await settled()
    expect([open.received.length, closed.received.length]).toEqual([1, 0])
    expect(callbacksTo(closed.urlOf('n'))[0]?.attempts[0]?.outcome.kind).toBe('handshake_failed')
  })

  it('of several charges in one call show no client certificate either', async () => {
    const { urlOf } = await plainReceiver()
    await sandbox.control('POST', '/faults', { on: 'callback', interface: 'charges', fault: 'several_facts' })
    for (const order of ['one', 'two']) await withUrl(urlOf('together'), order)
    await settled()
    expect(callbacksTo(urlOf('together'))).toMatchObject([
      { state: 'merged' },
      { state: 'merged' },
      { state: 'delivered', attempts: [{ request: { certificate: null } }] },
    ])
  })

  it('are not met by faults of certificates and handshakes, which they do not have', async () => {
    const { urlOf } = await plainReceiver()
    for (const fault of ['wrong_certificate', 'without_server_name', 'tls12'])
      await sandbox.control('POST', '/faults', { on: 'callback', fault })
    await withUrl(urlOf('plain'))
    await settled()
    const { faults } = (await sandbox.control('GET', '/faults')).json
    await sandbox.control('DELETE', '/faults')
    expect(faults.slice(-3).map(({ changed }: { changed: number }) => changed)).toEqual([0, 0, 0])
    expect(callbacksTo(urlOf('plain'))).toMatchObject([{ state: 'delivered', attempts: [{ fault: null }] }])
  })

  it('of any content can be sent to the address of a charge by the control API', async () => {
    const { urlOf, received } = await plainReceiver()
    await withUrl(urlOf('any'))
    await settled()
    const text = 'notification=unknown'
    const contentType = 'application/x-www-form-urlencoded'
    const sent = await sandbox.control('POST', '/callbacks', { url: urlOf('any'), text, contentType })
    expect([sent.status, sent.json.callbacks.length]).toEqual([202, 1])
    await settled()
    expect(received.slice(1)).toEqual([{ path: '/any', contentType, body: text }])
    expect(callbacksTo(urlOf('any'))).toMatchObject([{}, { interface: 'charges', state: 'delivered' }])
  })

  it('do not go to public addresses', async () => {
    await withUrl('http://93.184.215.14/n')
    await settled()
    expect(callbacksTo('http://93.184.215.14/n')[0]?.attempts[0]?.outcome.kind).toBe('forbidden_address')
  })

  it('are sent to a new address as soon as the metadata have it, those that wait included', async () => {
    const { urlOf, received } = await plainReceiver(({ path }) => (path === '/old' ? 500 : 200))
    const id = await withUrl(urlOf('old'))
    await settled()
    await sandbox.call('PUT', `/charge/${id}/metadata`, { notification_url: urlOf('new') })
    await sandbox.call('PUT', `/charge/${id}/cancel`)
    await sandbox.advance('1h')
    const sent = received
      .filter(({ path }) => path === '/new')
      .map(({ body }) => JSON.parse(body).notification.entries[0])
    expect(sent.map(({ status }) => status).sort()).toEqual(['canceled', 'new'])
  })

  it('are not sent any more when the address was taken away, and can still be fetched', async () => {
    const { urlOf, received } = await plainReceiver(() => 500)
    const id = await withUrl(urlOf('n'))
    await settled()
    const { token } = JSON.parse(received[0]?.body ?? '').notification
    const sent = received.length
    await sandbox.call('PUT', `/charge/${id}/metadata`, { notification_url: null })
    await sandbox.call('PUT', `/charge/${id}/cancel`)
    await sandbox.advance('5h')
    expect(received.length).toBe(sent)
    expect((await fetchEntries(token)).json.data).toHaveLength(2)
  })
})

describe('the token form', () => {
  beforeEach(useTokenForm)

  it('posts the token only, the same for the whole life of the charge', async () => {
    const { urlOf, received } = await plainReceiver()
    const id = await withUrl(urlOf('n'))
    await sandbox.call('PUT', `/charge/${id}/cancel`)
    await settled()
    const [{ contentType, body } = { contentType: '', body: '' }] = received
    expect([contentType, body]).toEqual([
      'application/x-www-form-urlencoded',
      expect.stringMatching(/^notification=[0-9a-f-]{36}$/),
    ])
    expect(new Set(received.map((one) => one.body)).size).toBe(1)
  })

  it('is resolved to entries with ids from 1, oldest first', async () => {
    const { urlOf, received } = await plainReceiver()
    const id = await withUrl(urlOf('n'), 'a')
    await sandbox.payByCard(id)
    await sandbox.call('PUT', `/charge/${id}/metadata`, { custom_id: 'b' })
    await sandbox.advance('5s')
    const token = new URLSearchParams(received[0]?.body).get('notification') ?? ''
    const entry = { type: 'charge', identifiers: { charge_id: id }, created_at: '2026-03-02 12:00:00' }
    const answer = await fetchEntries(token)
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        code: 200,
        data: [
          { ...entry, id: 1, custom_id: 'a', status: { current: 'new', previous: null } },
          { ...entry, id: 2, custom_id: 'a', status: { current: 'waiting', previous: 'new' } },
          {
            ...entry,
            id: 3,
            custom_id: 'b',
            status: { current: 'paid', previous: 'waiting' },
            created_at: '2026-03-02 12:00:05',
            value: 10_000,
            received_by_bank_at: '2026-03-02',
          },
        ],
      },
    ])
  })

  it('comes again after a 200 until its entries were fetched', async () => {
    const { urlOf, received } = await plainReceiver()
    await withUrl(urlOf('n'))
    await settled()
    await sandbox.advance('10m')
    expect(received.length).toBe(4)
    expect(callbacksTo(urlOf('n'))[0]?.state).toBe('pending')
    const { 'sandbox.callbacks': _before, ...before } = site().records.dump()
    await fetchEntries(new URLSearchParams(received[0]?.body).get('notification') ?? '')
    const { 'sandbox.callbacks': _after, ...after } = site().records.dump()
    expect([callbacksTo(urlOf('n'))[0]?.state, after]).toEqual(['delivered', before])
    await sandbox.advance('10d')
    expect(received.length).toBe(4)
  })

  it('counts as delivered when its entries were fetched, even where the POST fails', async () => {
    const { urlOf, received } = await plainReceiver(async ({ body }) => {
      await fetchEntries(new URLSearchParams(body).get('notification') ?? '')
      return 500
    })
    await withUrl(urlOf('n'))
    await settled()
    await sandbox.advance('10d')
    expect(callbacksTo(urlOf('n'))).toMatchObject([{ state: 'delivered', attempts: [{ outcome: { status: 500 } }] }])
    expect(received).toHaveLength(1)
  })

  it('is given up after the last try', async () => {
    const { urlOf, received } = await plainReceiver()
    await withUrl(urlOf('n'))
    await settled()
    await sandbox.advance('1d')
    expect([received.length, callbacksTo(urlOf('n'))[0]?.state]).toEqual([10, 'given_up'])
  })

  it('is chosen for one application, which must exist', async () => {
    const unknown = await sandbox.control('PUT', '/applications/none/notifications', { form: 'json' })
    const wrong = await sandbox.control('PUT', `/applications/${clientId()}/notifications`, { form: 'xml' })
    expect([unknown.status, wrong.status]).toEqual([404, 400])
    const { urlOf, received } = await plainReceiver()
    const token = await running.tokenOf('charges', { account: 1 })
    const body = { items: [{ name: 'a', value: 1 }], metadata: { notification_url: urlOf('n') } }
    await running.ask('charges', { method: 'POST', path: '/v1/charge', body, token })
    await settled()
    expect(received.map(({ contentType }) => contentType)).toEqual(['application/json'])
  })

  it('names entries of the last six months only', async () => {
    const { urlOf, received } = await plainReceiver()
    const id = await withUrl(urlOf('n'))
    await settled()
    const token = new URLSearchParams(received[0]?.body).get('notification') ?? ''
    await sandbox.setTime('2026-03-03T15:00:00Z')
    await sandbox.call('PUT', `/charge/${id}/cancel`)
    const idsAt = async (now: string) => {
      await sandbox.setTime(now)
      return (await fetchEntries(token)).json.data.map((entry: { id: number }) => entry.id)
    }
    expect([
      await idsAt('2026-09-03T02:59:59Z'),
      await idsAt('2026-09-03T03:00:00Z'),
      await idsAt('2026-09-04T03:00:00Z'),
    ]).toEqual([[1, 2], [2], []])
  })

  it('of another account, or unknown, does not exist', async () => {
    const { urlOf, received } = await plainReceiver()
    await withUrl(urlOf('n'))
    await settled()
    const path = `/v1/notification/${new URLSearchParams(received[0]?.body).get('notification')}`
    const token = await running.tokenOf('charges', { account: 1 })
    const answers = [await running.ask('charges', { path, token }), await fetchEntries('none')]
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(Array(2).fill([404, 3500010]))
    expect(callbacksTo(urlOf('n'))[0]?.state).toBe('pending')
  })
})
