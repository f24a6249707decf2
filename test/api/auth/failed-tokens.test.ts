import { describe, expect, it } from 'vitest'
import { createAccessTokens, newTokenKey, TOKEN_LIFETIME_S } from '../../../src/api/auth/access-tokens.ts'
import { scopeNames } from '../../../src/domain/scopes.ts'
import { networkOf } from '../../../src/tls/remote-address.ts'
import { callApi } from '../../support/calls.ts'
import { startTestGateway } from '../../support/gateway.ts'
import { scrape } from '../../support/metrics.ts'
import { until } from '../../support/until.ts'
import { asClient, ask, startApi } from '../api.ts'

const WRONG = 'Bearer wrong'

async function failures(api: { port: number }, count: number, options: Parameters<typeof ask>[2] = {}) {
  const answers: (readonly [status: number, retryAfter: unknown])[] = []
  for (let n = 0; n < count; n++) {
    const { status, headers } = await ask(api, '/v1/events', { authorization: WRONG, ...options })
    answers.push([status, headers['retry-after']])
  }
  return answers
}

const FIVE = Array.from({ length: 5 }, () => [401, undefined])

describe('a token that was not given out here', () => {
  it('is a refusal, and behind five of them its address is asked to wait, longer and longer', async () => {
    let now = Date.now()
    const api = await startApi({ now: () => now })
    expect(await failures(api, 7)).toEqual([...FIVE, [429, '1'], [429, '1']])
    now += 1000
    expect(await failures(api, 2)).toEqual([
      [401, undefined],
      [429, '2'],
    ])
    expect(api.refused).toHaveLength(9)
    expect(api.refused[0]).toEqual({
      remoteAddress: '127.0.0.1',
      code: 'invalid_token',
      detail: 'GET /v1/events',
      reason: 'the token was not issued by this gateway',
    })
    const limited = await ask(api, '/v1/events?subject=secret', { authorization: WRONG })
    expect([limited.headers['www-authenticate'], JSON.parse(limited.body)]).toMatchObject([
      'Bearer error="invalid_token"',
      { status: 429, code: 'too_many_requests', detail: expect.stringContaining('wait 2 s') },
    ])
    expect(JSON.stringify(api.refused)).not.toContain('secret')
  })

  it('slows down its address alone, and no token that counts', async () => {
    const api = await startApi()
    const { authorization } = await asClient(api, ['events.read'])
    await failures(api, 6)
    expect((await ask(api, '/v1/events', { authorization })).status).toBe(200)
    expect((await ask(api, '/v1/events')).status).toBe(200)
    expect((await ask(api, '/v1/events', { authorization: null })).status).toBe(401)
    // One that counts takes nothing back: an attacker behind the same address is slowed down all the same.
    expect(await failures(api, 1)).toEqual([[429, '1']])
    expect(await failures(api, 1, { localAddress: '127.0.0.2' })).toEqual([[401, undefined]])
  })

  it('is refused and slowed down at the service’s contract as elsewhere', async () => {
    const api = await startApi()
    const statuses: number[] = []
    for (let n = 0; n < 6; n++)
      statuses.push((await ask(api, '/registration/v1/webhooks', { authorization: WRONG })).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    expect(api.refused.map(({ detail }) => detail)).toEqual(statuses.map(() => 'GET /registration/v1/webhooks'))
  })

  it('signed with another key is as good as none', async () => {
    const api = await startApi()
    const { id } = await asClient(api, ['events.read'])
    const client = (await api.clients.list()).find((one) => one.id === id)
    const { options } = api
    const forger = {
      key: newTokenKey(),
      findClient: options.identity.clients.find,
      names: scopeNames('svc'),
      now: options.now,
    }
    const token = await createAccessTokens(forger).issue(client as NonNullable<typeof client>, ['events.read'], null)
    const authorization = `Bearer ${token}`
    expect(await failures(api, 6, { authorization })).toEqual([...FIVE, [429, '1']])
  })
})

describe('a token that was given out here', () => {
  it('and has expired is 401 as often as it comes, and no refusal', async () => {
    let now = Date.now()
    const api = await startApi({ now: () => now })
    const { authorization } = await asClient(api, ['events.read'])
    now += (TOKEN_LIFETIME_S + 1) * 1000
    expect(await failures(api, 10, { authorization })).toEqual([...FIVE, ...FIVE])
    expect(api.refused).toEqual([])
  })

  it('of a client that was revoked since is a refusal, but slows no one down: it gets its 401', async () => {
    const api = await startApi()
    const { authorization, id } = await asClient(api, ['events.read'])
    await api.clients.revoke(id)
    expect(await failures(api, 10, { authorization })).toEqual([...FIVE, ...FIVE])
    expect(api.refused).toHaveLength(10)
    expect(api.refused[0]).toMatchObject({ code: 'invalid_token', reason: expect.stringContaining('was revoked') })
  })
})

it('no token at all is no refusal: a caller that asks what there is gets 401', async () => {
  const api = await startApi()
  expect(await failures(api, 10, { authorization: null })).toEqual([...FIVE, ...FIVE])
  expect(api.refused).toEqual([])
})

it('failed tokens are on record, counted, and bounded in the log', async () => {
  const gateway = await startTestGateway()
  // At most 60 a minute of one address are on record one by one, and this may be in two minutes.
  for (let n = 0; n < 130; n++) await callApi(gateway.api, '/v1/events', { token: 'wrong' })
  const samples = await scrape(gateway)
  const recorded = samples['portaria_refusals_total{listener="api",code="invalid_token"}'] as number
  const leftOut = samples['portaria_refusals_total{listener="api",code="left_out"}'] as number
  expect([recorded >= 60, leftOut >= 10, recorded + leftOut]).toEqual([true, true, 130])
  expect(gateway.lines.filter(({ event }) => event === 'caller.refused')).toHaveLength(recorded)
  const path = '/v1/refusals?listener=api&reason=invalid_token&limit=200'
  const { data } = await until(
    async () => JSON.parse((await callApi(gateway.api, path)).body) as { data: object[] },
    (page) => page.data.length === recorded,
  )
  expect(data[0]).toMatchObject({ listener: 'api', code: 'invalid_token', remoteAddress: '127.0.0.1' })
})

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['unknown', 'unknown'],
])('%s is slowed down as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
