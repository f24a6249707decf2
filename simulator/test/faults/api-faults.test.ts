import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { limitRate } from '../../src/faults/api-faults.ts'
import type { Refusal } from '../../src/http/service-error.ts'
import { createTokens } from '../../src/http/tokens.ts'
import { INTERFACES } from '../../src/interfaces.ts'
import { receiverCaFile, startReceiver } from '../receiver.ts'
import { type Answer, type RunningSimulator, runSimulator, simulatorForTest } from '../running.ts'

let running: RunningSimulator
beforeAll(async () => {
  running = await runSimulator({}, { receiverCaFile: receiverCaFile() })
  await running.tokenOf('registration')
})
afterAll(() => running.stop())
afterEach(async () => {
  await running.control('DELETE', '/faults')
})

async function order(fault: object): Promise<void> {
  expect((await running.control('POST', '/faults', { on: 'api', ...fault })).status).toBe(201)
}
const LIST = '/v1/webhooks'
const ask = (path = LIST) => running.ask('registration', { path })
const registered = async () => (await ask()).json.webhooks.length as number

describe('a fault of the API', () => {
  it('rate_limited answers 429 with Retry-After, in the form of the interface', async () => {
    await order({ fault: 'rate_limited', retryAfter: 7 })
    const answer = await ask()
    expect([answer.status, answer.headers['retry-after'], answer.json]).toEqual([
      ...[429, '7'],
      { nome: 'limite_de_requisicoes', mensagem: expect.any(String) },
    ])
    expect((await ask()).status).toBe(200)
  })

  it('server_error answers the status, also at the token endpoint and in the form of the charges interface', async () => {
    await order({ fault: 'server_error', status: 503 })
    // The document names no status above 500: only a fault has them.
    expect((await running.askRaw(`${running.baseOf('registration')}${LIST}`, {}, running.tlsOf())).status).toBe(503)
    await order({ fault: 'server_error', interface: 'charges', path: '/authorize' })
    const answer = await running.askRaw(`${running.baseOf('charges')}/v1/authorize`, { method: 'POST' })
    expect([answer.status, answer.json]).toEqual([
      500,
      { code: 3_500_000, error: 'internal', error_description: expect.any(String) },
    ])
  })

  it('garbage answers 200 with a page in place of JSON, and does nothing', async () => {
    const before = await registered()
    await order({ fault: 'garbage', interface: 'registration', method: 'POST' })
    const url = `${running.baseOf('registration')}/v1/webhook`
    const headers = { authorization: `Bearer ${await running.tokenOf('registration')}` }
    const body = { webhookUrl: 'https://localhost:1/' }
    const answer = await running.askRaw(url, { method: 'POST', headers, body }, running.tlsOf())
    expect([answer.status, answer.json, answer.text]).toEqual([200, undefined, expect.stringContaining('<title>')])
    expect(await registered()).toBe(before)
  })

  it('expired_token ends the token of the request: it is 401 from then on', async () => {
    const token = await running.tokenOf('registration', { scope: 'svc.registration.webhook.read' })
    await order({ fault: 'expired_token' })
    const status = async () => (await running.ask('registration', { path: LIST, token })).status
    expect([await status(), await status(), await status()]).toEqual([401, 401, 401])
    expect((await ask()).status).toBe(200)
  })

  it('cut_before_request closes the connection and does nothing; cut_after_request does what was asked', async () => {
    const good = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
    const body = { webhookUrl: good.urlOf('hook') }
    const create = () => running.ask('registration', { method: 'POST', path: '/v1/webhook', body })
    const before = await registered()
    await order({ fault: 'cut_before_request', method: 'POST' })
    await expect(create()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
    expect(await registered()).toBe(before)
    await order({ fault: 'cut_after_request', method: 'POST' })
    await expect(create()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
    expect(await registered()).toBe(before + 1)
    await good.stop()
  })

  it('late_answer is the right answer, later', async () => {
    await order({ fault: 'late_answer', delayMs: 150 })
    const begin = performance.now()
    const answer = await ask()
    expect([answer.status, performance.now() - begin >= 149]).toEqual([200, true])
  })

  it('cut_in_answer closes the connection within the body, and slow_answer sends the body in pieces', async () => {
    await order({ fault: 'cut_in_answer' })
    await expect(ask()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
    await order({ fault: 'slow_answer', overMs: 120 })
    const begin = performance.now()
    const answer = await ask()
    expect([answer.status, answer.json.webhooks, performance.now() - begin >= 119]).toEqual([
      ...[200, expect.any(Array), true],
    ])
  })

  it('broken_body answers the status with another body, and carries the request out', async () => {
    const good = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
    const url = `${running.baseOf('registration')}/v1/webhook`
    const headers = { authorization: `Bearer ${await running.tokenOf('registration')}` }
    const create = (name: string) =>
      running.askRaw(url, { method: 'POST', headers, body: { webhookUrl: good.urlOf(name) } }, running.tlsOf())
    const before = await registered()
    await order({ fault: 'broken_body' })
    await expect(create('one')).rejects.toThrow(SyntaxError)
    await order({ fault: 'broken_body', body: '<html>', contentType: 'text/html' })
    const { status, text, headers: answered } = await create('two')
    expect([status, text, answered['content-type'], answered['content-length']]).toEqual([
      200,
      '<html>',
      'text/html',
      '6',
    ])
    expect(await registered()).toBe(before + 2)
    await good.stop()
  })

  it.each(INTERFACES)('meets requests of the interface %s, its token endpoint included', async (on) => {
    const path = on === 'account' ? '/oauth/token' : on === 'charges' ? '/v1/authorize' : '/v1/oauth/token'
    const shown = on === 'charges' ? null : running.tlsOf()
    const fetchToken = () => running.askRaw(`${running.baseOf(on)}${path}`, { method: 'POST' }, shown)
    await order({ fault: 'rate_limited', interface: on })
    await order({ fault: 'server_error', interface: on, status: 502 })
    await order({ fault: 'broken_body', interface: on, body: 'none', contentType: 'text/plain' })
    const answers = [await fetchToken(), await fetchToken(), await fetchToken(), await fetchToken()]
    expect(answers.map(({ status }) => status)).toEqual([429, 502, 401, 401])
    expect(answers.map(({ text }) => text === 'none')).toEqual([false, false, true, false])
    await order({ fault: 'cut_before_request', interface: on })
    await expect(fetchToken()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
  })

  it('timeout leaves the request without an answer until the connection is closed', async () => {
    await order({ fault: 'timeout', afterMs: 100 })
    await expect(ask()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
  })

  it('meets the requests of its interface, method and path only', async () => {
    await order({ fault: 'server_error', interface: 'payment', count: null })
    await order({ fault: 'server_error', method: 'DELETE', count: null })
    await order({ fault: 'server_error', path: '/v1/webhook/', count: null })
    expect((await ask()).status).toBe(200)
    expect((await ask('/v1/webhook/7')).status).toBe(500)
  })
})

describe('the setting rateLimit', () => {
  it('lets a burst through, and answers 429 with Retry-After from then on; another application has a bucket of its own', async () => {
    const limited = await simulatorForTest({ rateLimit: { perSecond: 0.01, burst: 3 } })
    const token = await limited.tokenOf('registration')
    const list = async (): Promise<Answer> => limited.ask('registration', { path: LIST, token })
    const statuses = [(await list()).status, (await list()).status]
    const refused = await list()
    // The token request was the first of the burst.
    expect([...statuses, refused.status, refused.headers['retry-after']]).toEqual([
      200,
      200,
      429,
      expect.stringMatching(/^(9\d|100)$/),
    ])
    const other = await limited.tokenOf('registration', { account: 1 })
    const headers = { authorization: `Bearer ${other}` }
    const url = `${limited.baseOf('registration')}${LIST}`
    expect((await limited.askRaw(url, { headers }, limited.tlsOf('sandbox', 1))).status).toBe(200)
  })

  it('follows the real clock', () => {
    let now = 1_000_000
    const limit = limitRate({ perSecond: 2, burst: 1 }, createTokens(), () => now)
    const isAllowed = () => {
      try {
        limit({ headers: {} } as never, {} as never, () => undefined)
        return true
      } catch (error) {
        return (error as Refusal).status
      }
    }
    const first = [isAllowed(), isAllowed()]
    now += 499
    const early = isAllowed()
    now += 1
    expect([...first, early, isAllowed(), isAllowed()]).toEqual([true, 429, 429, true, 429])
  })

  it('is off by default', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask()))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
})
