import { expect, it } from 'vitest'
import { ask, askJson, post, startApi } from '../api.ts'

const SHOP = { name: 'shop', environment: 'sandbox', scopes: ['svc.registration.webhook.write', 'events.read'] }

interface View {
  readonly clientId: string
  readonly clientSecret?: string
}

it('clients are made, listed, shown, rotated and revoked; a secret is shown once', async () => {
  const api = await startApi()
  const made = await post(api, '/v1/clients', SHOP)
  const { clientId, clientSecret, ...view } = JSON.parse(made.body) as View
  const created = '2026-01-15T12:00:00.000Z'
  expect([made.status, made.headers.location]).toEqual([201, `/v1/clients/${clientId}`])
  expect(clientId).toMatch(/^cli_[0-9a-z]{10}$/)
  expect(clientSecret).toMatch(/^[\w-]{43}$/)
  expect(view).toEqual({ ...SHOP, createdAt: created, rotatedAt: null, previousSecretUntil: null, revokedAt: null })

  const shown = { clientId, ...view }
  expect(await askJson(api, '/v1/clients')).toEqual({ data: [shown], more: false })
  expect(await askJson(api, '/v1/clients/shop')).toEqual(shown)
  expect(await askJson(api, `/v1/clients/${clientId}`)).toEqual(shown)

  const rotated = JSON.parse((await post(api, '/v1/clients/shop/rotate', { grace: '1h' })).body) as View
  expect(rotated).toEqual({
    ...shown,
    clientSecret: expect.stringMatching(/^[\w-]{43}$/),
    rotatedAt: created,
    previousSecretUntil: '2026-01-15T13:00:00.000Z',
  })
  expect(rotated.clientSecret).not.toBe(clientSecret)
  expect(JSON.parse((await post(api, '/v1/clients/shop/rotate')).body)).toMatchObject({
    previousSecretUntil: '2026-01-16T12:00:00.000Z',
  })

  expect(JSON.parse((await post(api, '/v1/clients/shop/revoke')).body)).toMatchObject({ revokedAt: created })
  expect(await askJson(api, '/v1/clients')).toEqual({ data: [], more: false })
  expect(await askJson(api, '/v1/clients?revoked=true')).toMatchObject({ data: [{ clientId }] })
  expect((await ask(api, '/v1/clients/shop')).status).toBe(404)
  expect((await post(api, `/v1/clients/${clientId}/rotate`)).status).toBe(409)
})

it('a client is refused with everything that is wrong with it', async () => {
  const api = await startApi()
  const errorsOf = async (path: string, body: unknown) => {
    const refused = JSON.parse((await post(api, path, body)).body) as { status: number; errors: { pointer: string }[] }
    return [refused.status, ...refused.errors.map(({ pointer }) => pointer)]
  }
  const wrong = { name: 'cli_x', environment: 'both', scopes: ['everything', 'events.read'], colour: 'red' }
  expect(await errorsOf('/v1/clients', wrong)).toEqual([400, '#/name', '#/environment', '#/scopes/0', '#/colour'])
  expect(await errorsOf('/v1/clients', { ...SHOP, scopes: [] })).toEqual([400, '#/scopes'])
  expect(await errorsOf('/v1/clients', {})).toEqual([400, '#/name', '#/environment', '#/scopes'])
  await post(api, '/v1/clients', SHOP)
  for (const grace of ['1', '31d', '-1s', 5])
    expect(await errorsOf('/v1/clients/shop/rotate', { grace })).toEqual([400, '#/grace'])
  const asForm = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  expect((await ask(api, '/v1/clients/shop/rotate', { ...asForm, body: '{"grace":"0s"}' })).status).toBe(415)
  expect((await post(api, '/v1/clients', SHOP)).status).toBe(409)
  expect((await post(api, '/v1/clients/nobody/revoke')).status).toBe(404)
  expect((await ask(api, '/v1/clients?limit=0&revoked=maybe')).status).toBe(400)
})

it('a client that may change what it may not list is created with a warning', async () => {
  const api = await startApi()
  const warningsFor = async (...scopes: string[]) => {
    const { body } = await post(api, '/v1/clients', { name: `app-${++made}`, environment: 'any', scopes })
    return (JSON.parse(body) as { warnings?: string[] }).warnings
  }
  let made = 0
  expect(await warningsFor('operations.write')).toEqual([
    expect.stringContaining('operations.write without operations.read'),
  ])
  expect(await warningsFor('support.replay', 'destinations.write')).toEqual([
    expect.stringContaining('destinations.write without destinations.read or operations.read'),
    expect.stringContaining('support.replay without events.read or support.read'),
  ])
  expect(await warningsFor('operations.write', 'operations.read')).toBeUndefined()
  expect(await warningsFor('support.replay', 'support.unmask', 'support.read')).toBeUndefined()
})
