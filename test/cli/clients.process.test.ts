import { expect, it } from 'vitest'
import { COMMAND } from '../../src/platform/installation.ts'
import { callApi } from '../support/calls.ts'
import { createSite, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { linesOf, portaria } from './program.ts'

interface Issued {
  readonly clientId: string
  readonly clientSecret: string
}

async function tokenOf(gateway: TestGateway, { clientId, clientSecret }: Issued): Promise<string | number> {
  const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const answer = await callApi(gateway.api, '/oauth/token', { method: 'POST', body, token: null })
  return answer.status === 200 ? (JSON.parse(answer.body) as { access_token: string }).access_token : answer.status
}

it('what is done to clients takes effect at the running gateway at once', async () => {
  const gateway = await startTestGateway()
  const { site } = gateway
  const run = (...args: string[]) => portaria(site, 'clients', ...args)
  const statusOf = async (token: string | number) =>
    (await callApi(gateway.api, '/v1/events', { token: String(token) })).status

  const create = ['create', '--name', 'shop', '--environment', 'sandbox', '--scopes', 'events.read operations.read']
  const [first] = linesOf<Issued>(await run(...create, '--json')) as [Issued]
  const token = await tokenOf(gateway, first)
  expect(await statusOf(token)).toBe(200)

  const [second] = linesOf<Issued>(await run('rotate', 'shop', '--grace', '1h', '--json')) as [Issued]
  expect([typeof (await tokenOf(gateway, first)), await statusOf(token)]).toEqual(['string', 200])
  const [third] = linesOf<Issued>(await run('rotate', 'shop', '--grace', '0s', '--json')) as [Issued]
  expect([await tokenOf(gateway, first), await tokenOf(gateway, second), await statusOf(token)]).toEqual([
    401, 401, 401,
  ])

  const last = await tokenOf(gateway, third)
  expect(await statusOf(last)).toBe(200)
  const revoked = await run('revoke', first.clientId)
  expect([revoked.code, revoked.stdout]).toEqual([0, 'shop is revoked\n'])
  expect([await tokenOf(gateway, third), await statusOf(last)]).toEqual([401, 401])
})

it('a caller that revokes a client learns which destinations it leaves behind', async () => {
  const site = await createSite()
  const run = (...args: string[]) => portaria(site, 'clients', ...args)
  const create = ['create', '--environment', 'any', '--scopes', 'destinations.write', '--json']
  const gateway = await startTestGateway(site)
  const [shop] = linesOf<Issued>(await run(...create, '--name', 'shop')) as [Issued]
  const [other] = linesOf<Issued>(await run(...create, '--name', 'other')) as [Issued]
  for (const [client, name] of [[shop, 'till'] as const, [other, 'books'] as const]) {
    const body = { url: 'http://127.0.0.1:9/hook', name }
    await callApi(gateway.api, '/v1/destinations', {
      method: 'POST',
      body,
      token: String(await tokenOf(gateway, client)),
    })
  }
  expect((await run('revoke', 'shop')).stdout).toBe(
    `shop is revoked\nits destination till still receives events; to stop that: ${COMMAND} destinations delete till\n`,
  )
  expect(linesOf(await run('revoke', 'other', '--json'))).toMatchObject([
    { name: 'other', revokedAt: expect.any(String) },
  ])
})

it('clients are made and looked at without a gateway too; their tokens count from its start on', async () => {
  const site = await createSite({ api: { host: '127.0.0.1', port: 0, servicePathSegment: 'bank' } })
  const run = (...args: string[]) => portaria(site, 'clients', ...args)
  const made = await run(
    ...['create', '--name', 'shop', '--environment', 'any'],
    ...['--scopes', 'bank.registration.webhook.write, payment.webhook.read'],
  )
  const clientId = /^ {2}clientId +(cli_\w+)$/m.exec(made.stdout)?.[1] ?? ''
  const clientSecret = /^ {2}([\w-]{43})$/m.exec(made.stdout)?.[1] ?? ''
  expect([made.code, made.stderr, clientId, clientSecret]).toEqual([
    0,
    '',
    expect.any(String),
    expect.stringMatching(/./),
  ])

  const [shown, unknown, incomplete, tooLong] = await Promise.all([
    run('show', 'shop', '--json'),
    run('create', '--name', 'x', '--environment', 'any', '--scopes', 'svc.registration.webhook.write'),
    run('create', '--name', 'x', '--environment', 'any'),
    run('rotate', 'shop', '--grace', '31d'),
  ])
  const view = { clientId, environment: 'any', scopes: ['bank.registration.webhook.write', 'payment.webhook.read'] }
  expect(linesOf(shown)).toMatchObject([view])
  expect([unknown, incomplete, tooLong].map(({ code, stderr }) => [code, stderr])).toEqual([
    [2, expect.stringContaining('/scopes/0: one of bank.registration.webhook.write, ')],
    [2, expect.stringContaining("required option '--scopes <scopes>' not specified")],
    [2, expect.stringContaining('must be at most 30d')],
  ])

  const gateway = await startTestGateway(site)
  const token = await tokenOf(gateway, { clientId, clientSecret })
  expect((await callApi(gateway.api, '/v1/events', { token: String(token) })).status).toBe(403)
  await gateway.stop()
  // The key that it was signed with is kept.
  const again = await startTestGateway(site)
  expect((await callApi(again.api, '/v1/events', { token: String(token) })).status).toBe(403)
  expect((await callApi(again.api, '/v1/events', { token: 'none' })).status).toBe(401)
})
