import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { DeviceBegun, DeviceGranted, DeviceRefusal } from '../../src/domain/sign-in/device-sign-in.ts'
import { sealingOf } from '../../src/oidc/device-tokens.ts'
import type { OidcSettings } from '../../src/oidc/settings.ts'
import { openTeamSignIn } from '../../src/oidc/team-sign-in.ts'
import { createSite, type LogLine, recordingLog } from '../support/gateway.ts'
import { startOidcProvider, TEAM_CLIENT, TEAM_SECRET } from '../support/oidc-provider.ts'
import { until } from '../support/until.ts'

/** The sign-in and a real provider, without a gateway. The clock moves by hand. */
async function start(changes: Parameters<typeof startOidcProvider>[0]['changes'] = {}) {
  const { certs } = await createSite()
  const provider = await startOidcProvider({ certs, gateway: 'https://pages.example', changes })
  const clock = { time: Date.now() }
  const lines: LogLine[] = []
  const settings: OidcSettings = {
    issuer: provider.issuer,
    clientId: TEAM_CLIENT,
    clientSecret: TEAM_SECRET,
    authorities: { pem: readFileSync(join(certs, 'server-ca.crt'), 'utf8') },
    scopes: ['openid', 'profile'],
    claim: 'groups',
    roles: [
      { value: 'support', scopes: ['support.read'], environments: ['production'] },
      { value: 'others', scopes: ['events.read'], environments: ['sandbox'] },
    ],
  }
  /** Another node of the same gateway, or one with other settings. */
  function node(different: Partial<OidcSettings> = {}) {
    const now = () => clock.time
    const team = openTeamSignIn({ ...settings, ...different }, { onEnded: () => 0, now, log: recordingLog(lines) })
    onTestFinished(() => team.close())
    return team.devices
  }
  onTestFinished(() => provider.stop())
  const devices = node()
  async function begin(): Promise<DeviceBegun> {
    const begun = await devices.begin()
    if (begun.kind === 'refused') throw new Error(JSON.stringify([begun, lines]))
    return begun
  }
  return {
    devices,
    settings,
    node,
    provider,
    lines,
    begin,
    later(seconds: number) {
      clock.time += seconds * 1000
    },
    questions: () => provider.requests.filter((one) => one === 'POST /token').length,
    async signIn(): Promise<DeviceGranted> {
      const begun = await begin()
      await provider.answerDevice(begun.verificationUriComplete ?? '')
      return granted(await devices.redeem(begun.deviceCode))
    },
  }
}

function granted(answer: DeviceGranted | DeviceRefusal): DeviceGranted {
  if (answer.kind === 'refused') throw new Error(JSON.stringify(answer))
  return answer
}

function errorOf(answer: DeviceBegun | DeviceGranted | DeviceRefusal): string | null {
  return answer.kind === 'refused' ? answer.error : null
}

it('a person who enters the code gets tokens on any node, with the rights of the role, as this person', async () => {
  const { devices, node, provider, begin, later } = await start()
  const begun = await begin()
  expect(begun).toMatchObject({ verificationUri: `${provider.issuer}/device`, intervalS: 1, expiresInS: 600 })
  expect(begun.userCode).toMatch(/^[A-Z]{4}-[A-Z]{4}$/)
  expect(errorOf(await devices.redeem(begun.deviceCode))).toBe('authorization_pending')
  await provider.answerDevice(begun.verificationUriComplete ?? '')
  later(1)
  const tokens = granted(await node().redeem(begun.deviceCode))
  expect([tokens.name, tokens.expiresInS]).toEqual(['Ana Lima', 60])
  const principal = await node().principalOf(tokens.accessToken)
  expect(principal).toEqual({
    kind: 'client',
    id: expect.stringMatching(/^per_/),
    environment: 'production',
    scopes: new Set(['support.read']),
    generation: 0,
    isBound: false,
    person: { issuer: provider.issuer, subject: 'ana', name: 'Ana Lima' },
  })
  later(60)
  expect(await devices.principalOf(tokens.accessToken)).toBe('expired')
})

it('a token in use is over with its time, so that what waits ends', async () => {
  const { devices, signIn, later } = await start()
  const principal = await devices.principalOf((await signIn()).accessToken)
  if (principal === null || typeof principal === 'string') throw new Error(String(principal))
  later(59)
  expect(devices.isOver(principal)).toBe(false)
  later(1)
  expect(devices.isOver(principal)).toBe(true)
})

it('a person who refuses, one without a role, and a code that is too old get nothing', async () => {
  const { devices, provider, begin, later, lines } = await start()
  const denied = await begin()
  await provider.answerDevice(denied.verificationUriComplete ?? '', 'abort')
  expect(errorOf(await devices.redeem(denied.deviceCode))).toBe('access_denied')
  provider.account = { sub: 'bia', claims: { name: 'Bia Reis', groups: ['cleaning'] } }
  const roleless = await begin()
  await provider.answerDevice(roleless.verificationUriComplete ?? '')
  expect(await devices.redeem(roleless.deviceCode)).toEqual({
    kind: 'refused',
    error: 'access_denied',
    words: 'Bia Reis has no role here: the operator gives one (api.oidc.roles)',
  })
  const old = await begin()
  later(600)
  expect(errorOf(await devices.redeem(old.deviceCode))).toBe('expired_token')
  expect(lines.filter(({ event }) => event === 'oidc.sign_in_refused').map(({ reason }) => reason)).toEqual([
    'provider',
    'role',
  ])
})

it('a provider that refuses the gateway refuses no person: the operator has to act', async () => {
  const { devices, provider, begin, signIn, lines } = await start()
  const begun = await begin()
  const { refreshToken } = await signIn()
  provider.intercept = (request, response) => {
    if (request.method !== 'POST') return false
    request.resume()
    const body = '{"error":"invalid_client","error_description":"The secret has expired."}'
    response.writeHead(401, { 'content-type': 'application/json' }).end(body)
    return true
  }
  const answers = [
    await devices.begin(),
    await devices.redeem(begun.deviceCode),
    await devices.renew(refreshToken ?? ''),
  ]
  const words = expect.stringContaining('refuses this gateway')
  expect(answers).toMatchObject(answers.map(() => ({ kind: 'refused', words })))
  const line = { event: 'oidc.sign_in_refused', reason: 'gateway', error: 'invalid_client: The secret has expired.' }
  expect(lines).toMatchObject(answers.map(() => line))
})

it('a device that asks too often is refused without a question to the provider', async () => {
  const { devices, begin, later, questions } = await start()
  const { deviceCode } = await begin()
  const answers = await Promise.all([1, 2, 3].map(() => devices.redeem(deviceCode)))
  expect(answers.map(errorOf).sort()).toEqual(['authorization_pending', 'slow_down', 'slow_down'])
  expect(questions()).toBe(1)
  later(1)
  expect(errorOf(await devices.redeem(deviceCode))).toBe('authorization_pending')
})

it('each renewal asks the provider: rights follow it, and a person whom it refuses, or without a role, is out in a minute', async () => {
  const { devices, provider, signIn, later, questions } = await start()
  const first = await signIn()
  const before = questions()
  provider.accounts.set('ana', { sub: 'ana', claims: { groups: ['others'] } })
  const second = granted(await devices.renew(first.refreshToken ?? ''))
  expect([second.principal.environment, [...second.principal.scopes], second.name]).toEqual([
    'sandbox',
    ['events.read'],
    'Ana Lima',
  ])
  expect(questions()).toBe(before + 1)
  provider.accounts.set('ana', { sub: 'ana', claims: { groups: [] } })
  expect(errorOf(await devices.renew(second.refreshToken ?? ''))).toBe('access_denied')

  const other = await signIn()
  provider.accounts.delete('ana')
  expect(errorOf(await devices.renew(other.refreshToken ?? ''))).toBe('invalid_grant')
  later(60)
  expect(await devices.principalOf(other.accessToken)).toBe('expired')
})

it('a person who is named in the roles goes on, too', async () => {
  const { node, provider, begin } = await start()
  const devices = node({ claim: 'sub', roles: [{ value: 'ana', scopes: ['events.read'], environments: ['sandbox'] }] })
  const begun = await begin()
  await provider.answerDevice(begun.verificationUriComplete ?? '')
  const { refreshToken } = granted(await devices.redeem(begun.deviceCode))
  expect(granted(await devices.renew(refreshToken ?? '')).principal.id).toMatch(/^per_/)
})

it('a code and a refresh token whose answer was lost work again for a while, and afterwards the provider ends the grant', async () => {
  const { devices, provider, begin, later, questions } = await start()
  const begun = await begin()
  await provider.answerDevice(begun.verificationUriComplete ?? '')
  const first = granted(await devices.redeem(begun.deviceCode))
  later(1)
  const again = granted(await devices.redeem(begun.deviceCode))
  const both = await Promise.all([first, again].map((one) => devices.renew(one.refreshToken ?? '')))
  expect([both.map(errorOf), questions()]).toEqual([[null, null], 2])
  later(20)
  const late = granted(await devices.renew(first.refreshToken ?? ''))
  // From the answer of the provider on.
  expect([late.expiresInS <= 40, questions()]).toEqual([true, 2])
  later(10)
  expect(errorOf(await devices.renew(first.refreshToken ?? ''))).toBe('invalid_grant')
  expect(errorOf(await devices.renew(late.refreshToken ?? ''))).toBe('invalid_grant')
})

it('codes and tokens work only for their use, and not after a change of provider, client or secret', async () => {
  const { devices, settings, node, signIn, begin } = await start()
  const { accessToken, refreshToken } = await signIn()
  const { deviceCode } = await begin()
  const refresh = refreshToken ?? ''
  const forged = `${refresh.slice(0, -8)}AAAAAAAA`
  for (const wrong of [deviceCode, accessToken, forged, 'a.b.c.d.e', ''])
    expect(errorOf(await devices.renew(wrong))).toBe('unknown')
  for (const wrong of [refresh, accessToken, `${deviceCode}x`])
    expect(errorOf(await devices.redeem(wrong))).toBe('unknown')
  for (const wrong of [refresh, deviceCode, `${accessToken.slice(0, -8)}AAAAAAAA`, 'a.b.c.d.e'])
    expect(await devices.principalOf(wrong)).toBeNull()
  const other = { issuer: 'https://other.example', clientId: 'other', clientSecret: 'another-client-secret-0123456789' }
  for (const [name, value] of Object.entries(other)) {
    const changed = node({ [name]: value })
    expect(errorOf(await changed.renew(refresh)), name).toBe('unknown')
    expect(errorOf(await changed.redeem(deviceCode)), name).toBe('unknown')
    expect(await changed.principalOf(accessToken), name).toBeNull()
  }
  const sealed = await sealingOf(settings, 'device access', z.string()).seal('of another version')
  expect(await devices.principalOf(sealed)).toBeNull()
  const stricter = node({ roles: [{ value: 'others', scopes: ['events.read'], environments: ['sandbox'] }] })
  expect(await stricter.principalOf(accessToken)).toBe('void')
})

it('who begins many sign-ins keeps no person from going on', async () => {
  const { devices, provider, signIn } = await start()
  const { refreshToken } = await signIn()
  const held: ServerResponse[] = []
  provider.intercept = (request, response) => request.url === '/device/auth' && held.push(response) > 0
  let ended = 0
  const begun = Array.from({ length: 20 }, () => devices.begin().finally(() => ended++))
  await until(() => held.length >= 4)
  expect([errorOf(await devices.renew(refreshToken ?? '')), ended]).toEqual([null, 0])
  provider.intercept = undefined
  for (const response of held) response.writeHead(503).end()
  await Promise.all(begun)
})

it('people go on for ten minutes while the provider cannot be reached, and are asked to wait after that', async () => {
  const { devices, provider, signIn, later } = await start()
  let { refreshToken } = await signIn()
  provider.intercept = (request, response) => {
    request.resume()
    response.writeHead(503).end()
    return true
  }
  for (let minute = 0; minute < 9; minute++) {
    later(60)
    const renewed = granted(await devices.renew(refreshToken ?? ''))
    expect(renewed.expiresInS).toBe(60)
    refreshToken = renewed.refreshToken
  }
  later(60)
  expect(errorOf(await devices.renew(refreshToken ?? ''))).toBe('temporarily_unavailable')
  expect(errorOf(await devices.begin())).toBe('temporarily_unavailable')
  provider.intercept = undefined
  expect(errorOf(await devices.renew(refreshToken ?? ''))).toBeNull()
})

it('a sign-in that was ended does not go on when the provider cannot be reached, and a later one does', async () => {
  const { devices, provider, signIn, later } = await start()
  const { refreshToken } = await signIn()
  expect(await devices.revoke(refreshToken ?? '')).toBeNull()
  later(1)
  const other = await signIn()
  provider.intercept = (request, response) => {
    request.resume()
    response.writeHead(503).end()
    return true
  }
  expect(errorOf(await devices.renew(refreshToken ?? ''))).toBe('temporarily_unavailable')
  const renewed = granted(await devices.renew(other.refreshToken ?? ''))
  provider.intercept = undefined
  provider.accounts.delete('ana')
  expect(errorOf(await devices.renew(renewed.refreshToken ?? ''))).toBe('invalid_grant')
  provider.intercept = (_request, response) => response.writeHead(503).end() !== undefined
  expect(errorOf(await devices.renew(renewed.refreshToken ?? ''))).toBe('temporarily_unavailable')
})

it('without refresh tokens a sign-in lasts fifteen minutes', async () => {
  const { devices, provider, signIn, later } = await start()
  provider.refreshes = false
  const { accessToken, refreshToken, expiresInS } = await signIn()
  expect([refreshToken, expiresInS]).toEqual([null, 900])
  later(899)
  expect(await devices.principalOf(accessToken)).toMatchObject({ kind: 'client' })
  later(1)
  expect(await devices.principalOf(accessToken)).toBe('expired')
})

it('a provider without device sign-in, and one that does not permit it to this client, are named with what to do', async () => {
  const { devices } = await start({ features: { devInteractions: { enabled: false } }, clients: [client()] })
  expect(await devices.begin()).toMatchObject({
    error: 'unsupported_grant_type',
    words: 'the OpenID provider has no device sign-in: use the id and secret of a client',
  })
  const other = await start({ clients: [client()] })
  expect(await other.devices.begin()).toMatchObject({
    error: 'unsupported_grant_type',
    words: expect.stringContaining('permit its client there the device authorization grant, or use the id and secret'),
  })
})

function client() {
  return {
    client_id: TEAM_CLIENT,
    client_secret: TEAM_SECRET,
    redirect_uris: ['https://pages.example/ui/oidc/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
  }
}
