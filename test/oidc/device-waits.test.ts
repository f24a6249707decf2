import { expect, it, vi } from 'vitest'
import { publishedEventsOf } from '../../src/domain/event-bus.ts'
import { withDevices } from '../../src/gateway/pages.ts'
import { createDeviceTokens } from '../../src/oidc/device-tokens.ts'
import { ask, startApi } from '../api/api.ts'
import { aCallback, NOON } from '../support/builders.ts'
import { until } from '../support/until.ts'

const ANA = { subject: 'ana', name: 'Ana Lima', roles: ['support'] }

/** The API, and a person with a token of a minute. */
async function start(recheckMs: number) {
  const clock = { now: NOON }
  const now = () => clock.now
  const tokens = createDeviceTokens(
    {
      issuer: 'https://login.example.com',
      clientId: 'portaria',
      clientSecret: 'client-secret-of-the-pages-0123456789',
      authorities: null,
      scopes: ['openid'],
      claim: 'groups',
      roles: [{ value: 'support', scopes: ['events.read'], environments: ['production', 'sandbox'] }],
    },
    now,
  )
  const api = await startApi({ now, streams: { recheckMs }, tokens: (ofClients) => withDevices(ofClients, tokens) })
  const granted = await tokens.tokensFor(ANA, 'refresh-token-of-the-provider', NOON)
  const authorization = `Bearer ${granted?.accessToken}`
  return {
    api,
    authorization,
    later: (seconds: number) => (clock.now += seconds * 1000),
    async receive() {
      const callback = aCallback()
      api.bus.publish(publishedEventsOf(callback, await api.store.storeCallback(callback)))
    },
  }
}

it('a request that waits while the token of its person expires gets no event, but 401', async () => {
  const { api, authorization, later, receive } = await start(600_000)
  const reads = vi.spyOn(api.options.store, 'listEvents')
  const poll = async () => {
    reads.mockClear()
    const answer = ask(api, '/v1/events?wait=30&after=latest', { authorization })
    await until(() => reads.mock.settledResults[0]?.type === 'fulfilled')
    return { answer }
  }
  const inTime = await poll()
  later(59)
  await receive()
  expect((await inTime.answer).status).toBe(200)
  const late = await poll()
  later(1)
  await receive()
  const { status, body } = await late.answer
  expect([status, JSON.parse(body).detail]).toEqual([401, expect.stringContaining('the access token has expired')])
  expect(api.refused).toEqual([])
})

it.each([
  ['while it is quiet', 50],
  ['with the next event', 600_000],
])('a stream ends with the token of its person, %s', async (_when, recheckMs) => {
  const { api, authorization, later, receive } = await start(recheckMs)
  const answer = await fetch(`http://127.0.0.1:${api.port}/v1/events/stream`, { headers: { authorization } })
  expect(answer.status).toBe(200)
  later(60)
  if (recheckMs > 1000) await receive()
  const text = await answer.text()
  expect(text).toContain('the access token is no longer valid: get another one')
  expect(text).not.toContain('data:')
})
