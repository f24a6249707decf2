import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Application } from '../../simulator/src/applications.ts'
import { type RunningSimulator, runSimulator } from '../../simulator/test/running.ts'
import type { ServiceClient, ServiceClientOptions } from '../../src/service/client.ts'
import { baseAddressesOf, certificateOf, clientOf, collectLines, failureOf, guardedConnect } from './service.ts'

let running: RunningSimulator
beforeAll(async () => {
  running = await runSimulator()
})
afterAll(() => running.stop())
beforeEach(() => running.control('POST', '/reset', { environment: 'sandbox' }))

const LIST = { method: 'GET', path: '/v1/webhooks' } as const

function client(changes: Partial<ServiceClientOptions> = {}): ServiceClient {
  const made = clientOf(running, changes)
  onTestFinished(() => made.close())
  return made
}

/** A client, and the requests and tokens that it counts. */
function counted(changes: Partial<ServiceClientOptions> = {}) {
  const requests: string[] = []
  const tokens: string[] = []
  const made = client({
    onRequest: ({ on, outcome }) => requests.push(`${on} ${outcome}`),
    onTokenFetched: ({ on, outcome }) => tokens.push(`${on} ${outcome}`),
    ...changes,
  })
  return { client: made, requests, tokens }
}

/** A call of the charges interface that changes something. */
const CREATE = { method: 'POST', path: '/v1/charge', json: { items: [{ name: 'Book', value: 15010 }] } } as const

const order = (fault: object) => running.control('POST', '/faults', { on: 'api', ...fault })

describe('tokens', () => {
  it('100 callers at once fetch one token', async () => {
    const { client, tokens } = counted()
    await Promise.all(Array.from({ length: 100 }, () => client.request('registration', LIST)))
    expect(tokens).toEqual(['registration success'])
  })

  it('each interface has a token of its own', async () => {
    const { client, tokens } = counted()
    await client.request('account', { method: 'GET', path: '/v2/svc/saldo' })
    await client.request('openBanking', { method: 'GET', path: '/v1/config' }).catch(() => undefined)
    await client.request('charges', CREATE)
    expect(tokens).toEqual(['account success', 'openBanking success', 'charges success'])
  })

  it('a token is used until a minute before its end, and replaced then', async () => {
    let time = Date.now()
    const { client, tokens } = counted({ now: () => time })
    await client.request('registration', LIST)
    time += 3_540_000 - 1
    await client.request('registration', LIST)
    expect(tokens).toHaveLength(1)
    expect(client.state().find((one) => one.interface === 'registration')?.tokenUntil).toBe(time + 1)
    time += 1
    expect(client.state().find((one) => one.interface === 'registration')?.tokenUntil).toBeNull()
    await client.request('registration', LIST)
    expect(tokens).toHaveLength(2)
  })

  it('a clock that is set back makes no token valid for longer', async () => {
    let time = Date.now()
    const { client, tokens } = counted({ now: () => time })
    await client.request('registration', LIST)
    time -= 3_600_000
    await client.request('registration', LIST)
    expect(tokens).toHaveLength(2)
  })

  it('a token that the service ended is replaced once, and the call succeeds, also a POST', async () => {
    const { client, tokens, requests } = counted()
    await client.request('charges', CREATE)
    await order({ fault: 'expired_token', interface: 'charges' })
    const { status } = await client.request('charges', CREATE)
    expect([status, tokens.length]).toEqual([200, 2])
    expect(requests).toEqual(['success', 'unauthorized', 'success'].map((one) => `charges ${one}`))
  })

  it('100 callers whose token was ended fetch one new one', async () => {
    const { client, tokens } = counted()
    await client.request('registration', LIST)
    await running.control('POST', '/tokens/expire', {})
    await Promise.all(Array.from({ length: 100 }, () => client.request('registration', LIST)))
    expect(tokens).toHaveLength(2)
  })

  it('a second 401 is final, and says which settings to check', async () => {
    const { client, requests, tokens } = counted()
    await order({ fault: 'expired_token', count: null })
    const failure = await failureOf(client.request('registration', LIST))
    expect([requests, tokens.length]).toEqual([['registration unauthorized', 'registration unauthorized'], 2])
    expect(failure).toMatchObject({ code: 'credentials_refused', isFinal: true, status: 401 })
    expect(failure.message).toMatch(
      /^the service's registration interface \(sandbox\) refused a new access token too \(HTTP 401 nao_autorizado/,
    )
  })

  it('wrong credentials are final and are asked for once, a caller that waits', async () => {
    const { client, tokens } = counted({ clientSecret: 'wrong' })
    const failures = await Promise.all([1, 2, 3].map(() => failureOf(client.request('payment', LIST))))
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['credentials_refused']))
    expect(failures[0]?.message).toContain('check service.clientId and clientSecret')
    expect(failures[0]?.message).not.toContain('wrong')
    expect([failures[0]?.isFinal, tokens]).toEqual([true, ['payment credentials_refused']])
  })

  it("credentials of one environment at the other's address are refused", async () => {
    const { clientId, clientSecret } = running.simulator.sites.production.applications.list()[0] as Application
    const failure = await failureOf(client({ clientId, clientSecret }).request('charges', CREATE))
    expect(failure).toMatchObject({ code: 'credentials_refused', refusal: { name: 'invalid_client', status: 401 } })
  })
})

describe('certificates', () => {
  it("the other environment's certificate has its connections cut: the failure names the certificate", async () => {
    const certificate = certificateOf(running.tlsOf('production'))
    const { lines, log } = collectLines()
    const { client, tokens } = counted({ certificate, log })
    const failure = await failureOf(client.request('registration', LIST))
    expect(failure.code).toBe('certificate_refused')
    expect(failure.message).toContain('check that service.certificate is the account')
    expect(tokens).toEqual(['registration certificate_refused'])
    expect(lines.map(({ level, event }) => `${level} ${event}`)).toEqual(['warn service.failing'])
  })

  it('a certificate that is revoked while it is in use is named, and calls succeed as soon as it is accepted again', async () => {
    const { lines, log } = collectLines()
    const { client } = counted({ log })
    await client.request('registration', LIST)
    const { account } = running.simulator.sites.sandbox.applications.list()[0] as Application
    const refuse = (refused: boolean) => running.control('PUT', `/accounts/${account}/certificates`, { refused })
    await refuse(true)
    const failure = await failureOf(client.request('registration', LIST))
    expect([failure.code, failure.message]).toEqual([
      'certificate_refused',
      expect.stringContaining('valid and not revoked, and download a new one'),
    ])
    expect((await client.request('charges', CREATE)).status).toBe(200)
    await refuse(false)
    expect((await client.request('registration', LIST)).status).toBe(200)
    expect(lines.map(({ event }) => event)).toEqual(['service.failing', 'service.recovered'])
  })

  it('the charges interface is shown no certificate, and works without one', async () => {
    const bare = client({ certificate: null })
    expect((await bare.request('charges', CREATE)).status).toBe(200)
    const failure = await failureOf(bare.request('payment', LIST))
    expect(failure).toMatchObject({ code: 'not_configured', isFinal: true })
    expect(failure.message).toContain('set service.certificate of this environment')
  })

  it('a certificate that cannot be used is a failure in its words, without a connection', async () => {
    const certificate = { tls: null, problem: () => 'it expired yesterday', subject: null, notAfter: null }
    const { client, tokens } = counted({ certificate })
    const failure = await failureOf(client.request('payment', LIST))
    expect([failure.code, failure.message.includes('it expired yesterday'), tokens]).toEqual([
      'not_configured',
      true,
      [],
    ])
  })

  it('a client secret that cannot be used is a failure in words, without a connection', async () => {
    const { client, tokens } = counted({ clientSecret: '' })
    const failure = await failureOf(client.request('charges', CREATE))
    expect(failure).toMatchObject({ code: 'not_configured', isFinal: true })
    expect(failure.message).toContain('correct the file that service.clientSecret of this environment names')
    expect(tokens).toEqual([])
  })

  it('a server certificate of another authority is refused, and is final', async () => {
    const failure = await failureOf(client({ authorities: null }).request('charges', CREATE))
    expect(failure).toMatchObject({ code: 'handshake', isFinal: true })
    expect(failure.message).toContain('check that service.authorities has the root')
  })
})

describe('faults of the service', () => {
  it('a 5xx and cut connections of a GET are repeated, and the call succeeds', async () => {
    const { client, requests } = counted()
    await client.signIn('registration')
    await order({ fault: 'server_error', status: 502 })
    await order({ fault: 'cut_before_request' })
    await order({ fault: 'cut_after_request' })
    expect((await client.request('registration', LIST)).status).toBe(200)
    expect(requests).toEqual(
      ['unavailable', 'unreachable', 'unreachable', 'success'].map((one) => `registration ${one}`),
    )
  })

  it('a POST is not repeated after a lost answer, and the failure says that the outcome is unknown', async () => {
    const { client, requests } = counted()
    await client.signIn('charges')
    await order({ fault: 'cut_after_request' })
    const failure = await failureOf(client.request('charges', CREATE))
    expect(failure).toMatchObject({ code: 'unreachable', isFinal: false, isOutcomeUnknown: true })
    expect(requests).toEqual(['charges unreachable'])
    const { json } = await client.request('charges', CREATE)
    expect(json).toMatchObject({ data: { charge_id: 1_000_002 } })
  })

  it('a refusal has the status, name and sentence of the service, and its outcome is known', async () => {
    const failure = await failureOf(
      client().request('charges', { method: 'PUT', path: '/v1/charge/7/metadata', json: { custom_id: 'a' } }),
    )
    expect(failure).toMatchObject({ code: 'refused', status: 404, isFinal: true, isOutcomeUnknown: false })
    expect(failure.refusal).toMatchObject({ name: 'not_found', sentence: expect.any(String) })
  })

  it('a missing scope is named', async () => {
    const { clientId, scopes } = running.simulator.sites.sandbox.applications.list()[0] as Application
    const left = scopes.filter((scope) => scope !== 'payment.webhook.read')
    running.simulator.sites.sandbox.applications.setScopes(clientId, left)
    const query = { dataInicio: '2026-01-01T00:00:00Z', dataFim: '2026-01-02T00:00:00Z' }
    const asked = { method: 'GET', path: '/v1/webhook', query, scope: 'payment.webhook.read' } as const
    const failure = await failureOf(client().request('payment', asked))
    running.simulator.sites.sandbox.applications.setScopes(clientId, scopes)
    expect(failure).toMatchObject({ code: 'insufficient_scope', isFinal: true, status: 403 })
    expect(failure.message).toContain('misses the scope payment.webhook.read')
  })

  it('a service that answers 5xx always is unavailable after four requests', async () => {
    const { client, requests } = counted()
    await client.signIn('registration')
    await order({ fault: 'server_error', status: 503, count: null })
    const failure = await failureOf(client.request('registration', LIST))
    expect(failure).toMatchObject({ code: 'unavailable', status: 503, isFinal: false })
    expect(requests).toEqual(Array(4).fill('registration unavailable'))
  })

  it('a silent service is a timeout within the limit of the call', async () => {
    const silent = client({ timeoutMs: 1000, callTimeoutMs: 1500 })
    await silent.signIn('registration')
    await order({ fault: 'timeout', count: null })
    const failure = await failureOf(silent.request('registration', LIST))
    expect(failure).toMatchObject({ code: 'timeout', isFinal: false })
    expect(failure.message).toMatch(/gave no answer within 1(\.5)? s/)
  })

  it('a limit of one call is also that of its waits and requests, and the outcome of a request without an answer is unknown', async () => {
    const { client, requests } = counted()
    const { json } = await client.request('charges', CREATE)
    const { charge_id: id } = (json as { data: { charge_id: number } }).data
    const put = { method: 'PUT', path: `/v1/charge/${id}/metadata`, json: { custom_id: 'a' } } as const
    await order({ fault: 'timeout', count: null, method: 'PUT' })
    const silent = await failureOf(client.request('charges', { ...put, callTimeoutMs: 200 }))
    expect(silent).toMatchObject({ code: 'timeout', isOutcomeUnknown: true })
    await running.control('DELETE', '/faults')
    await order({ fault: 'rate_limited', retryAfter: 30 })
    const limited = await failureOf(client.request('charges', { ...put, callTimeoutMs: 10_000 }))
    expect(limited).toMatchObject({ code: 'rate_limited', isOutcomeUnknown: false })
    expect(requests.at(-1)).toBe('charges rate_limited')
  })

  it('an aborted call rejects with the reason of the caller', async () => {
    await order({ fault: 'timeout', count: null, path: '/v1/webhooks' })
    const stop = new AbortController()
    const call = client().request('registration', { ...LIST, signal: stop.signal })
    stop.abort(new Error('the caller stops'))
    await expect(call).rejects.toThrow('the caller stops')
  })

  it('an address that is not allowed is final, and says where to allow it', async () => {
    const failure = await failureOf(client({ connect: guardedConnect([]) }).signIn('charges'))
    expect(failure).toMatchObject({ code: 'unreachable', isFinal: true })
    expect(failure.message).toContain('forwarding.allowedNetworks')
  })
})

describe('rate limits', () => {
  it('a 429 makes every call of the interface wait for Retry-After, and all of them succeed', async () => {
    const { client, requests } = counted()
    await client.signIn('registration')
    await order({ fault: 'rate_limited', retryAfter: 1, count: 20 })
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.request('registration', LIST)))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(requests.filter((one) => one === 'registration rate_limited')).toHaveLength(20)
  })

  it('a wait beyond the limit of the call fails at once with that wait, and so do the next calls, without a request', async () => {
    const { client, requests } = counted()
    await client.signIn('registration')
    await order({ fault: 'rate_limited', retryAfter: 3600 })
    const failure = await failureOf(client.request('registration', LIST))
    expect(failure).toMatchObject({ code: 'rate_limited', status: 429, isFinal: false })
    expect(failure.retryAfterMs).toBeGreaterThan(3_590_000)
    expect((await failureOf(client.request('registration', LIST))).code).toBe('rate_limited')
    expect(requests).toEqual(['registration rate_limited'])
  })
})

describe('a call that repeats nothing', () => {
  const once = { ...LIST, isRepeatable: false }

  it('fails at once after a 5xx', async () => {
    const { client, requests } = counted()
    await order({ fault: 'server_error', path: LIST.path })
    expect((await failureOf(client.request('registration', once))).code).toBe('unavailable')
    expect(requests).toEqual(['registration unavailable'])
  })

  it('fails at once after a 429, and sends nothing until Retry-After has passed', async () => {
    const { client, requests } = counted()
    await client.signIn('registration')
    await order({ fault: 'rate_limited', retryAfter: 30 })
    for (const call of [1, 2]) {
      const failure = await failureOf(client.request('registration', once))
      expect([call, failure.code]).toEqual([call, 'rate_limited'])
    }
    expect(requests).toEqual(['registration rate_limited'])
  })
})

describe('the state', () => {
  it('shows token, last success and last failure of each interface, and the log has each change once', async () => {
    const { lines, log } = collectLines()
    const { client } = counted({ log, now: () => 1_800_000_000_000 })
    await client.signIn('registration')
    await order({ fault: 'server_error', count: 8 })
    await failureOf(client.request('registration', LIST))
    await failureOf(client.request('registration', LIST))
    await client.request('registration', LIST)
    expect(client.state().find((one) => one.interface === 'registration')).toEqual({
      interface: 'registration',
      baseAddress: running.baseOf('registration'),
      tokenUntil: 1_800_003_540_000,
      lastSuccessAt: 1_800_000_000_000,
      isFailing: false,
      lastFailure: {
        at: 1_800_000_000_000,
        code: 'unavailable',
        isFinal: false,
        text: expect.stringContaining('HTTP 500'),
      },
    })
    expect(lines.map(({ event }) => event)).toEqual(['service.failing', 'service.recovered'])
  })

  it('a refused call is an answer: it ends a failure of its interface, and does not begin one', async () => {
    const { lines, log } = collectLines()
    const { client } = counted({ log })
    const state = () => client.state().find((one) => one.interface === 'charges')
    const UNKNOWN = { method: 'GET', path: '/v1/notification/unknown' } as const
    await failureOf(client.request('charges', UNKNOWN))
    expect(state()).toMatchObject({ isFailing: false, lastFailure: { code: 'refused' } })
    await order({ fault: 'server_error', count: 4 })
    await failureOf(client.request('charges', UNKNOWN))
    expect(state()).toMatchObject({ isFailing: true, lastFailure: { code: 'unavailable' } })
    await failureOf(client.request('charges', UNKNOWN))
    expect(state()).toMatchObject({ isFailing: false, lastFailure: { code: 'refused' } })
    expect(lines.map(({ event }) => event)).toEqual(['service.failing', 'service.recovered'])
  })

  it('names only the interfaces that have an address', () => {
    const { registration } = baseAddressesOf(running)
    const none = { account: null, payment: null, registration, openBanking: null, charges: null }
    const one = client({ baseAddresses: none })
    expect([one.has('charges'), one.state().map((state) => state.interface)]).toEqual([false, ['registration']])
  })
})
