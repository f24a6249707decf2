import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { callApi } from '../support/calls.ts'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { startOidcProvider, TEAM_CLIENT, TEAM_SECRET } from '../support/oidc-provider.ts'
import { reservePort } from '../support/ports.ts'

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** A gateway with a real provider; its answers are compared with its document. */
async function start(api: Record<string, unknown> = {}) {
  const providerPort = await reservePort()
  const oidc = {
    issuer: `https://localhost:${providerPort}`,
    clientId: TEAM_CLIENT,
    clientSecretFile: 'oidc-secret',
    authorities: 'certs/server-ca.crt',
    roles: [{ value: 'support', scopes: ['events.read', 'events.replay'], environments: ['production'] }],
  }
  const site = await createSite({
    api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', oidc, ...api },
  })
  writeFileSync(join(site.folder, 'oidc-secret'), TEAM_SECRET, { mode: 0o600 })
  const provider = await startOidcProvider({ certs: site.certs, port: providerPort, gateway: 'https://pages.example' })
  onTestFinished(() => provider.stop())
  const gateway = await startTestGateway(site)

  async function post(path: string, form: Record<string, string> = {}) {
    const answer = await fetch(`http://127.0.0.1:${gateway.api.port}${path}`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    const text = await answer.text()
    const json = (text === '' ? {} : JSON.parse(text)) as Record<string, string>
    return { status: answer.status, headers: answer.headers, json }
  }

  const token = (form: Record<string, string>) => post('/oauth/token', form)
  const redeem = (code = '') => token({ grant_type: DEVICE_GRANT, device_code: code })
  /** Once the person has answered. */
  async function answered(code = '') {
    for (;;) {
      const answer = await redeem(code)
      if (!['authorization_pending', 'slow_down'].includes(answer.json.error ?? '')) return answer
    }
  }
  return {
    gateway,
    provider,
    post,
    token,
    redeem,
    answered,
    renew: (refresh = '') => token({ grant_type: 'refresh_token', refresh_token: refresh }),
    async signIn() {
      const { json } = await post('/oauth/device_authorization', { client_id: 'any' })
      await provider.answerDevice(json.verification_uri_complete ?? '')
      return (await answered(json.device_code)).json
    },
  }
}

it('a device gets codes, asks in the words of RFC 8628, and its tokens open the API until they are revoked', async () => {
  const { gateway, provider, post, redeem, answered, renew } = await start()
  provider.interval = 3
  const begun = await post('/oauth/device_authorization')
  expect([begun.status, begun.headers.get('cache-control'), begun.json]).toEqual([
    200,
    'no-store',
    {
      device_code: expect.any(String),
      user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      verification_uri: `${provider.issuer}/device`,
      verification_uri_complete: expect.stringContaining(`${provider.issuer}/device?user_code=`),
      expires_in: 600,
      interval: 3,
    },
  ])
  const { device_code: code = '', verification_uri_complete: address = '' } = begun.json
  const early = await Promise.all([redeem(code), redeem(code)])
  expect(early.map(({ status, json }) => [status, json.error]).sort()).toEqual([
    [400, 'authorization_pending'],
    [400, 'slow_down'],
  ])
  await provider.answerDevice(address)
  const { json: tokens } = await answered(code)
  expect(tokens).toEqual({
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: expect.any(Number),
    scope: 'events.read events.replay',
    person: 'Ana Lima',
    refresh_token: expect.any(String),
  })
  const events = await callApi(gateway.api, '/v1/events', { token: tokens.access_token ?? '' })
  expect(events.status).toBe(200)
  const { json: renewed } = await renew(tokens.refresh_token)
  expect((await callApi(gateway.api, '/v1/events', { token: renewed.access_token ?? '' })).status).toBe(200)

  const revoked = await post('/oauth/revoke', { token: renewed.refresh_token ?? '' })
  expect([revoked.status, revoked.json]).toEqual([200, {}])
  const after = await renew(renewed.refresh_token)
  expect([after.status, after.json.error]).toEqual([400, 'invalid_grant'])
  const none = await post('/oauth/revoke', { token: renewed.access_token ?? '' })
  expect([none.status, none.json.error]).toEqual([400, 'unsupported_token_type'])
})

it('a person does by the API what the role permits, in its environments, also where the pages are off', async () => {
  const { gateway, signIn } = await start({ pages: 'off' })
  const { access_token: token = '' } = await signIn()
  const asked: [string, Parameters<typeof callApi>[2], number][] = [
    ['/v1/events?environment=production', {}, 200],
    ['/v1/events?environment=sandbox', {}, 403],
    ['/v1/destinations', {}, 403],
    ['/v1/destinations', { method: 'POST', body: { name: 'app', url: 'http://127.0.0.1:9' } }, 403],
    ['/v1/clients', {}, 403],
    ['/v1/audit', {}, 403],
    ['/registration/v1/webhooks', {}, 403],
    ['/payment/v1/webhook', {}, 403],
    ['/charges/v1/charge/1/metadata', { method: 'PUT', body: {} }, 403],
    ['/v1/storage/prune', { method: 'POST', body: {} }, 403],
  ]
  for (const [path, options, status] of asked)
    expect([path, (await callApi(gateway.api, path, { ...options, token })).status]).toEqual([path, status])
})

it('wrong codes and tokens, and many sign-ins, make their address wait, and right ones are taken even then', async () => {
  const { post, redeem, renew, signIn } = await start()
  const { refresh_token: refresh } = await signIn()
  const waits = async (ask: () => ReturnType<typeof post>) => {
    const before: unknown[] = []
    for (;;) {
      const { status, headers, json } = await ask()
      if (status === 429) return { before, error: json.error, retryAfter: headers.get('retry-after') }
      before.push(json.error ?? status)
    }
  }
  const expected = { error: 'slow_down', retryAfter: expect.stringMatching(/^\d+$/) }
  const wrong = await waits(() => redeem('wrong'))
  expect(wrong).toMatchObject(expected)
  expect(wrong.before.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'invalid_grant'))
  expect(await waits(() => renew('wrong'))).toMatchObject(expected)
  expect((await renew(refresh)).status).toBe(200)
  const many = await waits(() => post('/oauth/device_authorization'))
  expect(many).toMatchObject(expected)
  expect(many.before.slice(0, 4)).toEqual([200, 200, 200, 200])
})

it('requests that cannot be served are refused in the words of OAuth', async () => {
  const { provider, token, post, redeem } = await start()
  const { json } = await post('/oauth/device_authorization')
  for (const [form, error] of [
    [{ grant_type: DEVICE_GRANT }, 'invalid_request'],
    [{ grant_type: 'refresh_token' }, 'invalid_request'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: 'client_credentials' }, 'invalid_client'],
  ] as const)
    expect((await token({ ...form })).json.error, JSON.stringify(form)).toBe(error)
  expect((await post('/oauth/revoke')).json.error).toBe('invalid_request')
  provider.intercept = (request, response) => {
    request.resume()
    response.writeHead(503).end()
    return true
  }
  for (const answer of [await post('/oauth/device_authorization'), await redeem(json.device_code)])
    expect([answer.status, answer.json.error]).toEqual([400, 'temporarily_unavailable'])
})

it('without a provider each of them says so', async () => {
  const gateway = await startTestGateway()
  for (const [path, body] of [
    ['/oauth/device_authorization', undefined],
    ['/oauth/token', { grant_type: DEVICE_GRANT, device_code: 'a' }],
    ['/oauth/revoke', { token: 'a' }],
  ] as const) {
    const { status, body: text } = await callApi(gateway.api, path, { method: 'POST', body, token: null })
    expect([path, status, JSON.parse(text).error]).toEqual([path, 400, 'unsupported_grant_type'])
  }
})
