import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Receiver, receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'
import { type Connection, type RawReceiver, startRawReceiver } from './raw-receiver.ts'

let running: RunningSimulator
beforeAll(async () => {
  running = await runSimulator(
    { webhooks: { timeoutSeconds: 5, retryMinutes: [1, 1, 1] } },
    { receiverCaFile: receiverCaFile() },
  )
})
afterAll(() => running.stop())
afterEach(async () => {
  await running.control('POST', '/reset')
})

const BODY = '{"identificador":"7","valor":"150.10"}'
const sandbox = () => running.simulator.sites.sandbox
const send = (url: string, body = BODY) =>
  sandbox().webhooks.send({ interface: 'payment', account: '200001', url, body })

async function order(fault: object, environment = 'sandbox'): Promise<void> {
  const answer = await running.control('POST', `/faults?environment=${environment}`, { on: 'callback', ...fault })
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
}

/** As the control API shows it. */
// biome-ignore lint/suspicious/noExplicitAny: asserted, not typed
const shown = async (id: number): Promise<any> => (await running.control('GET', `/callbacks/${id}`)).json

async function receiver(): Promise<Receiver> {
  const started = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
  onTestFinished(() => started.stop())
  return started
}

async function rawReceiver(): Promise<RawReceiver> {
  const started = await startRawReceiver(running.simulator.folder.environments.sandbox.chain)
  onTestFinished(() => started.stop())
  return started
}

/** One callback under a fault, and the connection that the receiver saw. */
async function sendUnder(fault: object): Promise<{ id: number; connection: Connection }> {
  const raw = await rawReceiver()
  await order(fault)
  const id = send(raw.urlOf('pay'))
  await sandbox().tasks.settled()
  await raw.over(1)
  return { id, connection: raw.connections[0] as Connection }
}

describe('one call', () => {
  it('without a fault shows the certificate, the server name and TLS 1.3, and its attempt has request, response and timing', async () => {
    const raw = await rawReceiver()
    const id = send(raw.urlOf('pay'))
    await sandbox().tasks.settled()
    await raw.over(1)
    expect(raw.connections).toMatchObject([
      { protocol: 'TLSv1.3', serverName: 'localhost', refusal: null, isComplete: true, isCut: false },
    ])
    const { attempts, ...callback } = await shown(id)
    expect(callback).toMatchObject({ state: 'delivered', body: BODY, interface: 'payment', account: '200001' })
    expect(attempts).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        request: {
          method: 'POST',
          url: raw.urlOf('pay'),
          contentType: 'application/json',
          certificate: { subject: expect.stringContaining('CN='), sha256: expect.stringMatching(/^[0-9A-F:]{95}$/) },
        },
        response: { status: 200, headers: { 'content-length': '2', 'x-receiver': 'raw' }, body: 'ok' },
        outcome: 'answered',
        reason: null,
        fault: null,
        startedAt: expect.stringMatching(/Z$/),
        timing: {
          connected: expect.any(Number),
          secured: expect.any(Number),
          sent: expect.any(Number),
          answered: expect.any(Number),
          ended: expect.any(Number),
        },
      },
    ])
    const { connected, secured, sent, answered, ended } = attempts[0].timing
    expect([connected, secured, sent, answered, ended].toSorted((one, two) => one - two)).toEqual([
      ...[connected, secured, sent, answered, ended],
    ])
  })

  it('timeout: the request is sent whole, no answer is taken, and another try follows', async () => {
    const { id, connection } = await sendUnder({ fault: 'timeout', afterMs: 50 })
    expect(connection.isComplete).toBe(true)
    expect(await shown(id)).toMatchObject({
      state: 'pending',
      attempts: [{ fault: 'timeout', outcome: 'timeout', response: null, timing: { answered: null } }],
    })
    await running.control('POST', '/clock/advance', { by: '1m' })
    expect((await shown(id)).state).toBe('delivered')
  })

  it('late_answer: the receiver answered 200, and the callback comes again', async () => {
    const { id, connection } = await sendUnder({ fault: 'late_answer' })
    expect(connection).toMatchObject({ isComplete: true, isCut: false })
    const { state, attempts } = await shown(id)
    expect([state, attempts[0].outcome, typeof attempts[0].timing.answered]).toEqual(['pending', 'timeout', 'number'])
  })

  it('cut_before_request: the handshake is made and not one byte of the request is sent', async () => {
    const { id, connection } = await sendUnder({ fault: 'cut_before_request' })
    expect(connection).toMatchObject({ request: '', refusal: null })
    expect((await shown(id)).attempts).toMatchObject([{ outcome: 'closed', timing: { sent: null } }])
  })

  it('cut_after_request: the request is sent whole, and the connection is closed', async () => {
    const { id, connection } = await sendUnder({ fault: 'cut_after_request' })
    expect(connection.isComplete).toBe(true)
    expect((await shown(id)).attempts).toMatchObject([{ outcome: 'closed', response: null }])
  })

  it('without_server_name sends no SNI', async () => {
    expect((await sendUnder({ fault: 'without_server_name' })).connection).toMatchObject({
      serverName: false,
      isComplete: true,
    })
  })

  it('tls12 offers TLS 1.2 only', async () => {
    const { connection } = await sendUnder({ fault: 'tls12' })
    expect(connection).toMatchObject({ protocol: 'TLSv1.2', refusal: null, isComplete: true })
  })

  it('slow_body sends the body in pieces', async () => {
    const { connection } = await sendUnder({ fault: 'slow_body', overMs: 300 })
    expect(connection).toMatchObject({ isComplete: true, isCut: false })
    // A busy machine reads several pieces at once; a body without a fault is one.
    expect(connection.pieces).toBeGreaterThan(1)
  })

  it.each([
    ['sibling', 'Simulated service sandbox accounts CA', null],
    ['expired', 'Simulated service sandbox CA 1', 'CERT_HAS_EXPIRED'],
    ['other-environment', 'Simulated service production CA 1', null],
    ['unknown-root', 'Simulated service sandbox CA 1', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
    ['rotated', 'Simulated service sandbox CA 2', null],
  ])('wrong_certificate %s shows a certificate of %s', async (certificate, issuer, refusal) => {
    const { id, connection } = await sendUnder({ fault: 'wrong_certificate', certificate })
    // Node verifies up to the root: of those below it, a receiver has to compare the issuer itself.
    expect([connection.issuer, connection.refusal]).toEqual([issuer, refusal])
    expect((await shown(id)).attempts[0]).toMatchObject({
      fault: 'wrong_certificate',
      request: { certificate: { subject: expect.any(String) } },
    })
  })

  it('wrong_certificate none shows no certificate', async () => {
    const { id, connection } = await sendUnder({ fault: 'wrong_certificate', certificate: 'none' })
    expect(connection.issuer).toBeNull()
    expect((await shown(id)).attempts[0].request.certificate).toBeNull()
  })

  it.each([
    ['pay', '/pay/pix'],
    ['pay/', '/pay//pix'],
    ['pay?secret=xyz', '/pay?secret=xyz/pix'],
    ['pay?x=', '/pay?x=/pix'],
  ])('suffix turns %s into %s', async (registered, path) => {
    const good = await receiver()
    await order({ fault: 'suffix' })
    send(good.urlOf(registered))
    await good.arrived(1)
    expect(good.received[0]?.path).toBe(path)
  })
})

describe('several calls', () => {
  it('duplicate sends the same bytes again', async () => {
    const good = await receiver()
    await order({ fault: 'duplicate', copies: 2 })
    const id = send(good.urlOf('pay'))
    await good.arrived(3)
    await sandbox().tasks.settled()
    expect(good.received.map(({ body }) => body)).toEqual([BODY, BODY, BODY])
    const { callbacks } = (await running.control('GET', '/callbacks')).json
    expect(callbacks.map(({ copyOf }: { copyOf: number | null }) => copyOf)).toEqual([null, id, id])
  })

  it('same_id_other_content repeats the identifier with another amount, or with the given change', async () => {
    const good = await receiver()
    await order({ fault: 'same_id_other_content' })
    await order({ fault: 'same_id_other_content', change: { status: { atual: 'X' }, valor: null } })
    send(good.urlOf('pay'))
    await good.arrived(2)
    send(good.urlOf('pay'), '{"identificador":"8","valor":"1.00","status":{"anterior":"A"}}')
    await good.arrived(4)
    expect(good.received.map(({ body }) => JSON.parse(body))).toEqual([
      { identificador: '7', valor: '150.10' },
      { identificador: '7', valor: '150.11' },
      { identificador: '8', valor: '1.00', status: { anterior: 'A' } },
      { identificador: '8', status: { anterior: 'A', atual: 'X' } },
    ])
  })

  it('reorder sends a callback after the next one to the same URL', async () => {
    const [good, other] = [await receiver(), await receiver()]
    await order({ fault: 'reorder' })
    const first = send(good.urlOf('pay'), '"first"')
    send(other.urlOf('pay'), '"elsewhere"')
    await other.arrived(1)
    expect([good.received, (await shown(first)).state]).toEqual([[], 'waiting'])
    send(good.urlOf('pay'), '"second"')
    await good.arrived(2)
    expect(good.received.map(({ body }) => body)).toEqual(['"second"', '"first"'])
  })

  it('reorder sends a callback at the end of its time, if no other comes', async () => {
    const good = await receiver()
    await order({ fault: 'reorder', holdSeconds: 30 })
    const id = send(good.urlOf('pay'))
    await sandbox().tasks.settled()
    await running.control('POST', '/clock/advance', { by: '29s' })
    expect(good.received).toEqual([])
    await running.control('POST', '/clock/advance', { by: '1s' })
    expect([good.received.length, (await shown(id)).state]).toEqual([1, 'delivered'])
  })

  it.each([
    [null, [{ n: 1 }, { n: 2 }, 'three']],
    ['pix', { pix: [{ n: 1 }, { n: 2 }, 'three'] }],
  ])('several_facts puts callbacks into one call, member %s', async (member, expected) => {
    const good = await receiver()
    await order({ fault: 'several_facts', facts: 3, member })
    const ids = ['{"n":1}', '{"n":2}', 'three'].map((body) => send(good.urlOf('pay'), body))
    send(good.urlOf('other'), '{"n":4}')
    await good.arrived(2)
    await sandbox().tasks.settled()
    const bodies = good.received.map(({ path, body }) => [path, JSON.parse(body)])
    expect(bodies).toEqual(
      expect.arrayContaining([
        ['/pay', expected],
        ['/other', { n: 4 }],
      ]),
    )
    const states = await Promise.all(ids.map(async (id) => (await shown(id)).state))
    const { callbacks } = (await running.control('GET', '/callbacks?url=/pay&state=delivered')).json
    expect([states, callbacks]).toMatchObject([['merged', 'merged', 'merged'], [{ carries: ids }]])
  })

  it('several_facts sends what there is at the end of its time, one alone as it is', async () => {
    const good = await receiver()
    await order({ fault: 'several_facts', facts: 3, holdSeconds: 10 })
    send(good.urlOf('one'))
    await sandbox().tasks.settled()
    await running.control('POST', '/clock/advance', { by: '10s' })
    expect(good.received).toMatchObject([{ path: '/one', body: BODY }])
    await order({ fault: 'several_facts', facts: 3, holdSeconds: 10 })
    for (const body of ['1', '2']) send(good.urlOf('two'), body)
    await sandbox().tasks.settled()
    await running.control('POST', '/clock/advance', { by: '10s' })
    expect(good.received[1]).toMatchObject({ path: '/two', body: '[1,2]' })
  })

  it('several_facts keeps charge notifications without a certificate', async () => {
    const raw = await rawReceiver()
    await order({ fault: 'several_facts', facts: 2 })
    for (const body of ['1', '2'])
      sandbox().webhooks.send({
        interface: 'charges',
        account: '200001',
        url: raw.urlOf('charge'),
        body,
        notification: { token: 'token', chargeId: 1, form: 'json' },
      })
    await sandbox().tasks.settled()
    await raw.over(1)
    expect(raw.connections).toMatchObject([{ issuer: null }])
  })

  it('drop never sends a callback, and the next one is sent', async () => {
    const good = await receiver()
    await order({ fault: 'drop' })
    const dropped = send(good.urlOf('pay'), '"dropped"')
    await sandbox().tasks.settled()
    send(good.urlOf('pay'), '"sent"')
    await good.arrived(1)
    await running.control('POST', '/clock/advance', { by: '30d' })
    expect(good.received.map(({ body }) => body)).toEqual(['"sent"'])
    expect(await shown(dropped)).toMatchObject({ state: 'dropped', attempts: [] })
  })
})

describe('which calls a fault changes', () => {
  const outcomes = async () =>
    (await running.control('GET', '/callbacks?limit=9999')).json.callbacks.map(
      ({ state }: { state: string }) => state === 'dropped',
    )

  it('the next `count` of its interface, its environment and its URL', async () => {
    const good = await receiver()
    await order({ fault: 'drop', count: 2, url: '/here', interface: 'payment' })
    await order({ fault: 'drop', interface: 'registration', count: null })
    await order({ fault: 'drop', count: null }, 'production')
    for (const path of ['here', 'there', 'here', 'here']) {
      send(good.urlOf(path))
      await sandbox().tasks.settled()
    }
    expect(await outcomes()).toEqual([true, false, true, false])
    const { faults } = (await running.control('GET', '/faults')).json
    expect(faults).toMatchObject([
      { id: 1, met: 2, changed: 2, isUsedUp: true, fault: { fault: 'drop', url: '/here' } },
      { id: 2, met: 0, changed: 0, isUsedUp: false },
    ])
  })

  it('by seed and probability: the same seed changes the same calls, and about as many as it says', async () => {
    const good = await receiver()
    async function runWith(seed: number): Promise<boolean[]> {
      await running.control('POST', '/reset')
      await order({ fault: 'drop', probability: 0.5, seed })
      for (let call = 0; call < 30; call++) send(good.urlOf('pay'))
      await sandbox().tasks.settled()
      return outcomes()
    }
    const [one, again, other] = [await runWith(7), await runWith(7), await runWith(8)]
    expect(again).toEqual(one)
    expect(other).not.toEqual(one)
    const changed = one.filter((isDropped) => isDropped).length
    expect(changed).toBeGreaterThan(8)
    expect(changed).toBeLessThan(22)
  })

  it('none after it was deleted', async () => {
    const good = await receiver()
    await order({ fault: 'drop' })
    await order({ fault: 'drop' })
    expect((await running.control('DELETE', '/faults/1')).status).toBe(204)
    expect((await running.control('DELETE', '/faults/1')).status).toBe(404)
    expect((await running.control('DELETE', '/faults')).status).toBe(204)
    send(good.urlOf('pay'))
    await good.arrived(1)
    expect((await running.control('GET', '/faults')).json).toEqual({ faults: [] })
  })

  it('a fault that does not exist is refused with what is wrong', async () => {
    const refused = async (fault: object) => (await running.control('POST', '/faults', fault)).json.error
    expect([
      await refused({ on: 'callback', fault: 'explode' }),
      await refused({ on: 'callback', fault: 'drop', probability: 2 }),
      await refused({ on: 'api', fault: 'drop' }),
      await refused({ fault: 'drop' }),
      await refused({ on: 'callback', fault: 'drop', copies: 2 }),
    ]).toEqual([
      expect.stringContaining('/fault'),
      expect.stringContaining('/probability'),
      expect.stringContaining('/fault'),
      expect.stringContaining('/on'),
      expect.stringContaining('/copies'),
    ])
  })
})
