import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Receiver, receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'

let running: RunningSimulator
let good: Receiver
beforeAll(async () => {
  running = await runSimulator({}, { receiverCaFile: receiverCaFile() })
  good = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
})
afterAll(async () => {
  await running.stop()
  await good.stop()
})

const put = (url: string, environment: 'sandbox' | 'production' = 'sandbox') =>
  running.ask('payment', { method: 'PUT', path: '/v1/webhook', body: { url } }, environment)

describe('reset', () => {
  it('removes the records, faults and tokens of both environments, and the simulated time is real again', async () => {
    await put(good.urlOf('reset'))
    await running.control('PUT', '/clock', { now: '2030-01-01T00:00:00Z', frozen: true })
    await running.control('POST', '/faults?environment=production', { on: 'api', fault: 'rate_limited' })
    const sent = await running.control('POST', '/callbacks', { text: 'x' })
    expect(sent.json.callbacks).toEqual([1])
    const token = await running.tokenOf('payment')
    const answer = await running.control('POST', '/reset')
    expect([answer.status, answer.json]).toEqual([200, { environments: ['sandbox', 'production'] }])
    const { clock, records } = running.simulator.sites.sandbox
    expect(records.dump()).toEqual({})
    expect([clock.isFrozen, Math.abs(clock.now() - Date.now()) < 1000]).toEqual([false, true])
    const path = '/v1/webhook?dataInicio=2020-01-01T00:00:00Z&dataFim=2099-12-31T23:59:59Z'
    expect((await running.ask('payment', { path, token })).status).toBe(401)
  })

  it('of one environment leaves the other alone', async () => {
    const of = (environment: string, path: string) => `${path}?environment=${environment}`
    const fault = { on: 'api', fault: 'rate_limited', path: '/none' }
    await running.control('POST', of('production', '/faults'), fault)
    await running.control('POST', of('sandbox', '/faults'), fault)
    const answer = await running.control('POST', of('sandbox', '/reset'))
    expect(answer.json).toEqual({ environments: ['sandbox'] })
    const counts = ['sandbox', 'production'].map(
      async (environment) => (await running.control('GET', of(environment, '/faults'))).json.faults.length,
    )
    expect(await Promise.all(counts)).toEqual([0, 1])
    await running.control('POST', '/reset')
  })

  it('ends calls that are under way, and they leave no trace in the new state', async () => {
    const silent = await startReceiver({ chain: null, answer: () => 'silence' })
    const { webhooks, records } = running.simulator.sites.sandbox
    webhooks.send({ interface: 'payment', account: '1', url: silent.urlOf('a'), body: '{}' })
    await silent.arrived(1)
    await running.control('POST', '/reset')
    expect(records.dump()).toEqual({})
    await silent.stop()
  })
})

it('tokens are ended at once: those of one application, or all', async () => {
  const { clientId } = running.simulator.sites.sandbox.applications.list()[0] as { clientId: string }
  const path = '/v1/webhooks'
  const fetchToken = (scope: string) => running.tokenOf('registration', { scope })
  const status = async (token: string) => (await running.ask('registration', { path, token })).status
  await running.control('POST', '/tokens/expire')
  const first = await fetchToken('svc.registration.webhook.read')
  const nobody = await running.control('POST', '/tokens/expire', { clientId: 'other' })
  expect([nobody.json, await status(first)]).toEqual([{ expired: 0 }, 200])
  expect((await running.control('POST', '/tokens/expire', { clientId })).json).toEqual({ expired: 1 })
  expect(await status(first)).toBe(401)
  const second = await fetchToken('svc.registration.webhook.read svc.registration.webhook.write')
  expect((await running.control('POST', '/tokens/expire?environment=production')).json).toEqual({ expired: 0 })
  expect(await status(second)).toBe(200)
  expect((await running.control('POST', '/tokens/expire')).json).toEqual({ expired: 1 })
  expect(await status(second)).toBe(401)
})

describe('chains', () => {
  it('a rotation publishes a new chain, and calls show a certificate of it after the activation', async () => {
    const { url, issuing } = (await running.control('GET', '/chains')).json.chains[0].published
    expect(url).toBe(`https://localhost:${running.simulator.ports.sandbox}/certificates/sandbox.pem`)
    const published = async () => new X509Certificate((await running.askRaw(url, {})).text).fingerprint256
    const shownBy = async () => {
      const { callbacks } = (await running.control('POST', '/callbacks', { text: '{}' })).json
      await running.simulator.sites.sandbox.tasks.settled()
      const { attempts } = (await running.control('GET', `/callbacks/${callbacks[0]}`)).json
      return attempts[0].request.certificate.sha256
    }
    expect(await published()).toBe(issuing.sha256)
    await put(good.urlOf('chains'))
    const before = await shownBy()

    const rotated = (await running.control('POST', '/chains/sandbox/rotate')).json
    expect([rotated.isActive, rotated.client.sha256, await shownBy()]).toEqual([false, before, before])
    expect([rotated.published.issuing.sha256, await published()]).toEqual([
      ...[await published(), expect.not.stringContaining(issuing.sha256)],
    ])
    const activated = (await running.control('POST', '/chains/sandbox/activate')).json
    expect([activated.isActive, activated.client.sha256]).toEqual([true, await shownBy()])
    expect(activated.client.sha256).not.toBe(before)
    const { chains } = (await running.control('GET', '/chains?environment=production')).json
    expect(chains).toMatchObject([{ environment: 'production', isActive: true }])
  })

  it('of an environment that does not exist are 404', async () => {
    const { status, json } = await running.control('POST', '/chains/staging/rotate')
    expect([status, json.error]).toEqual([404, 'the environments are sandbox and production'])
  })
})

describe('sending a callback', () => {
  it('of any kind goes to the registered URLs that are chosen, byte for byte', async () => {
    const receiver = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
    await running.control('POST', '/reset')
    await running.control('POST', '/chains/sandbox/activate')
    for (const path of ['one', 'two']) await put(receiver.urlOf(path))
    // Each registration has sent a test call.
    const test = receiver.received.length
    const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x7d])
    await running.control('POST', '/callbacks', { url: receiver.urlOf('one'), body: { a: [1, null] } })
    await receiver.arrived(test + 1)
    await running.control('POST', '/callbacks', { interface: 'payment', text: 'no JSON', contentType: 'text/plain' })
    await receiver.arrived(test + 3)
    const { json } = await running.control('POST', '/callbacks', {
      url: receiver.urlOf('two'),
      base64: bytes.toString('base64'),
    })
    await receiver.arrived(test + 4)
    await running.simulator.sites.sandbox.tasks.settled()
    const received = receiver.received.slice(test).map(({ path, contentType, body }) => [path, contentType, body])
    expect(received).toEqual([
      ['/one', 'application/json', '{"a":[1,null]}'],
      ...[expect.anything(), expect.anything()],
      ['/two', 'application/json', bytes.toString('utf8')],
    ])
    expect(new Set(received.slice(1, 3))).toEqual(
      new Set([
        ['/one', 'text/plain', 'no JSON'],
        ['/two', 'text/plain', 'no JSON'],
      ]),
    )
    const shown = (await running.control('GET', `/callbacks/${json.callbacks[0]}`)).json
    expect([shown.encoding, shown.body]).toEqual(['base64', bytes.toString('base64')])
    expect((await running.control('GET', '/webhooks')).json.webhooks).toMatchObject([
      { url: receiver.urlOf('one'), interface: 'payment' },
      { url: receiver.urlOf('two'), interface: 'payment' },
    ])
    await receiver.stop()
  })

  it('to a URL that is not registered, or without exactly one body, is refused', async () => {
    await running.control('POST', '/reset')
    const refused = async (body: object) => {
      const { status, json } = await running.control('POST', '/callbacks', body)
      return [status, json.error]
    }
    expect(await refused({ text: '' })).toEqual([404, expect.stringContaining('no URL is registered in sandbox')])
    await put(good.urlOf('known'))
    expect(await refused({ url: 'https://other.example/', text: '' })).toEqual([
      404,
      `no such URL is registered in sandbox; registered: ${good.urlOf('known')} (payment)`,
    ])
    expect(await refused({})).toEqual([400, 'the value: give one of body, text and base64'])
    expect(await refused({ text: '', body: 1 })).toEqual([400, 'the value: give one of body, text and base64'])
  })

  it('the list is filtered, and shows the newest of them', async () => {
    await running.control('POST', '/reset')
    const { webhooks, tasks } = running.simulator.sites.sandbox
    for (const [on, path] of [
      ['payment', 'a'],
      ['registration', 'b'],
      ['payment', 'c'],
    ] as const)
      webhooks.send({ interface: on, account: on === 'payment' ? '1' : '2', url: good.urlOf(path), body: '{}' })
    await tasks.settled()
    const ids = async (query: string) =>
      (await running.control('GET', `/callbacks?${query}`)).json.callbacks.map(({ id }: { id: number }) => id)
    expect([
      ...[await ids(''), await ids('interface=payment'), await ids('account=2'), await ids('url=/c')],
      ...[await ids('state=dropped'), await ids('after=1'), await ids('limit=1'), await ids('fault=drop')],
    ]).toEqual([[1, 2, 3], [1, 3], [2], [3], [], [2, 3], [3], []])
  })
})
