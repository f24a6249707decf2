import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { expect, it, onTestFinished } from 'vitest'
import { checkOidc } from '../../src/cli/check/oidc.ts'
import { openTeamSignIn } from '../../src/oidc/team-sign-in.ts'
import { createSite, type LogLine, recordingLog } from '../support/gateway.ts'
import { startOidcProvider, TEAM_CLIENT, TEAM_SECRET } from '../support/oidc-provider.ts'
import { until } from '../support/until.ts'

const GATEWAY = 'https://pages.example'
const REDIRECT = `${GATEWAY}/ui/oidc/callback`
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** The sign-in and a real provider, without a gateway. The clock moves by hand; the job runs when a test says so. */
async function start(changes: Parameters<typeof startOidcProvider>[0]['changes'] = {}) {
  const { certs } = await createSite()
  const provider = await startOidcProvider({ certs, gateway: GATEWAY, changes })
  const clock = { ahead: 0 }
  const lines: LogLine[] = []
  let ended = 0
  const settings = {
    issuer: provider.issuer,
    clientId: TEAM_CLIENT,
    clientSecret: TEAM_SECRET,
    authorities: { pem: readFileSync(join(certs, 'server-ca.crt'), 'utf8') },
    scopes: ['openid', 'profile'],
    claim: 'groups',
    roles: [
      { value: 'support', scopes: ['support.read' as const], environments: ['production' as const] },
      { value: 'others', scopes: ['events.read' as const], environments: ['sandbox' as const] },
    ],
  }
  const now = () => Date.now() + clock.ahead
  const team = openTeamSignIn(settings, { onEnded: () => ended++, now, log: recordingLog(lines) })
  onTestFinished(async () => {
    await team.close()
    await provider.stop()
  })
  const begin = async () => {
    const begun = await team.begin({ redirectUri: REDIRECT, next: '/ui/' })
    if (typeof begun === 'string') throw new Error(begun)
    return { sealed: begun.sealed, query: (await provider.signIn(begun.location)).search }
  }
  return {
    team,
    provider,
    clock,
    lines,
    settings,
    begin,
    ended: () => ended,
    async signIn() {
      const { sealed, query } = await begin()
      const completed = await team.complete(query, sealed)
      if (completed.kind !== 'person') throw new Error(JSON.stringify([completed, lines]))
      return completed.person
    },
    later(seconds: number) {
      clock.ahead += seconds * 1000
      return team.people.check()
    },
  }
}

it('a session ends when the provider refuses a refresh, and follows the roles that it names', async () => {
  const { signIn, later, provider, ended } = await start()
  const person = await signIn()
  const tokens = () => provider.requests.filter((one) => one === 'POST /token').length
  await later(29)
  expect(tokens()).toBe(1)
  await later(1)
  expect([tokens(), person.principal()?.environment]).toEqual([2, 'production'])
  provider.accounts.set('ana', { sub: 'ana', claims: { groups: ['others'] } })
  await later(30)
  expect([person.environment, ...(person.principal()?.scopes ?? [])]).toEqual(['sandbox', 'events.read'])
  provider.accounts.set('ana', { sub: 'ana', claims: { groups: [] } })
  await later(30)
  expect([person.principal(), person.ending(), ended()]).toEqual([null, 'no role', 1])

  const other = await signIn()
  provider.accounts.delete('ana')
  await later(30)
  expect([other.principal(), other.ending(), ended()]).toEqual([null, 'refused by the provider', 2])
  expect(await other.confirm()).toBe(false)
})

it.each([
  ['of another subject', { sub: 'bia' }, 'refused by the provider'],
  ['of another audience', { aud: 'another' }, 'refused by the provider'],
  ['without the roles', { groups: [] }, 'no role'],
])('a refresh with an ID token %s ends the session', async (_what, changes, reason) => {
  const { signIn, later, provider } = await start()
  const person = await signIn()
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: provider.issuer, aud: TEAM_CLIENT, sub: 'ana', iat, exp: iat + 60, groups: ['support'] }
  const answerWith = async (token: Promise<string>) => {
    const body = JSON.stringify({ access_token: 'a', token_type: 'Bearer', id_token: await token })
    provider.intercept = (request, response) => {
      if (request.url !== '/token') return false
      request.resume()
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
      return true
    }
    await later(30)
    return person.ending()
  }
  expect(await answerWith(provider.sign(claims))).toBeNull()
  expect(await answerWith(provider.sign({ ...claims, ...changes }))).toBe(reason)
})

it('a request waits for the provider where the job is late', async () => {
  const { signIn, clock, provider } = await start()
  const person = await signIn()
  provider.accounts.delete('ana')
  clock.ahead += 44_000
  expect(await person.confirm()).toBe(true)
  clock.ahead += 1000
  expect(await person.confirm()).toBe(false)
})

it('while the provider cannot be reached, sessions go on for ten minutes, and sign-ins wait', async () => {
  const { signIn, begin, later, provider, lines, team } = await start()
  const person = await signIn()
  const begun = await begin()
  provider.intercept = (request, response) => {
    request.resume()
    response.writeHead(503).end()
    return true
  }
  await later(599)
  expect(person.principal()).not.toBeNull()
  expect(await team.complete(begun.query, begun.sealed)).toEqual({ kind: 'unreachable', next: '/ui/' })
  expect(lines.map(({ event }) => event)).toContain('oidc.unreachable')
  await later(30)
  expect([person.principal(), person.ending()]).toEqual([null, 'provider unreachable'])
})

it('a sign-in begins within a short time, or is refused, where the provider swallows what it gets', async () => {
  const { provider, settings, lines } = await start()
  const log = recordingLog(lines)
  const team = openTeamSignIn(settings, { onEnded: () => undefined, now: Date.now, log, beginMs: 100 })
  onTestFinished(() => team.close())
  provider.intercept = () => true
  expect(await team.begin({ redirectUri: REDIRECT, next: '/ui/' })).toBe('unreachable')
  expect(lines).toMatchObject([{ event: 'oidc.unreachable', error: expect.stringContaining('timeout') }])
})

it('it goes on after a time without the provider', async () => {
  const { signIn, later, provider } = await start()
  const person = await signIn()
  provider.intercept = (_request, response) => response.destroy() !== undefined
  await later(300)
  provider.intercept = undefined
  await later(30)
  await later(599)
  expect(person.principal()).not.toBeNull()
})

it('without a refresh token a session lasts fifteen minutes', async () => {
  const { signIn, later, provider } = await start()
  provider.refreshes = false
  const person = await signIn()
  await later(899)
  expect(person.principal()).not.toBeNull()
  await later(1)
  expect([person.principal(), person.ending()]).toEqual([null, 'no refresh token'])
})

it('a sign-in may take ten minutes', async () => {
  const { begin, clock, team } = await start()
  const { query, sealed } = await begin()
  clock.ahead = 600_000
  expect(await team.complete(query, sealed)).toMatchObject({ kind: 'refused', reason: 'begun' })
  expect(await team.complete(query, `${sealed.slice(0, -4)}AAAA`)).toMatchObject({ kind: 'refused', reason: 'begun' })
})

it('what another node began, with the same client secret, counts here', async () => {
  const { begin, settings } = await start()
  const { query, sealed } = await begin()
  const open = (clientSecret: string) =>
    openTeamSignIn({ ...settings, clientSecret }, { onEnded: () => undefined, now: Date.now, log: recordingLog([]) })
  const [stranger, node] = [open('another-secret'), open(TEAM_SECRET)]
  onTestFinished(async () => void (await Promise.all([stranger.close(), node.close()])))
  expect(await stranger.complete(query, sealed)).toMatchObject({ kind: 'refused', reason: 'begun' })
  expect(await node.complete(query, sealed)).toMatchObject({ kind: 'person', next: '/ui/' })
})

it('the provider may change its keys', async () => {
  const { signIn, begin, provider, team } = await start()
  await signIn()
  await provider.rotateKeys()
  const kinds = async () => {
    const { query, sealed } = await begin()
    return (await team.complete(query, sealed)).kind
  }
  // Keys are asked for at most once a second.
  await until(kinds, (kind) => kind === 'person')
})

it('a logout token counts once, and only as the standard has it', async () => {
  const { signIn, provider, team } = await start()
  const second = Math.floor(Date.now() / 1000)
  const claims = (jti: string) => {
    return {
      iss: provider.issuer,
      aud: TEAM_CLIENT,
      iat: second,
      exp: second + 120,
      jti,
      sub: 'ana',
      events: { [EVENT]: {} },
    }
  }
  const person = await signIn()
  const bad: [string, Record<string, unknown>, Record<string, string>?][] = [
    ['issuer', { iss: 'https://other.example' }],
    ['audience', { aud: 'another' }],
    ['expired', { iat: second - 300, exp: second - 120 }],
    ['old', { iat: second - 900 }],
    ['without exp', { exp: undefined }],
    ['without iat', { iat: undefined }],
    ['without jti', { jti: undefined }],
    ['nonce', { nonce: 'n' }],
    ['without events', { events: undefined }],
    ['other events', { events: { other: {} } }],
    ['text as event', { events: { [EVENT]: 'yes' } }],
    ['nobody', { sub: undefined }],
    ['empty names', { sub: '', sid: '' }],
    ['type', {}, { typ: 'at+jwt' }],
  ]
  for (const [what, changes, header] of bad)
    expect([what, await team.logout(await provider.sign({ ...claims(what), ...changes }, header))]).toEqual([
      what,
      'invalid',
    ])
  const [head, body] = (await provider.sign(claims('forged'))).split('.')
  expect(await team.logout(`${head}.${body}.${'A'.repeat(342)}`)).toBe('invalid')
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  expect(await team.logout(`${none}.${body}.`)).toBe('invalid')
  const withSecret = new SignJWT(claims('secret')).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(TEAM_SECRET))
  expect(await team.logout(await withSecret)).toBe('invalid')
  expect(person.principal()).not.toBeNull()

  const other = await provider.sign({ ...claims('other'), sub: 'bia' })
  expect([await team.logout(other), person.principal() === null]).toEqual(['done', false])
  const good = await provider.sign(claims('good'), { typ: 'logout+jwt' })
  expect(await team.logout(good)).toBe('done')
  expect([person.principal(), person.ending()]).toEqual([null, 'logout at the provider'])
  const again = await signIn()
  expect(await team.logout(good)).toBe('invalid')
  expect(again.principal()).not.toBeNull()
  const session = await provider.sign({ ...claims('session'), sub: undefined, sid: provider.sid })
  expect([await team.logout(session), again.principal()]).toEqual(['done', null])
})

it.each<[string, Record<string, unknown>, object]>([
  ['did not come', {}, { came: 'did not come', values: [] }],
  [
    'differs in case',
    { groups: ['Support', 'x'] },
    { came: 'a list of 2, in which is a text', values: ['Support', 'x'] },
  ],
  [
    'is an object',
    { groups: { support: { 1: 'x' } } },
    { came: 'an object, not a text or a list of texts', values: [] },
  ],
  [
    'is a list of objects',
    { groups: [{ a: 1 }, 7] },
    { came: 'a list of 2, in which is an object, a number', values: [] },
  ],
  [
    'is too long for the token',
    { _claim_names: { groups: 'src1' } },
    { came: 'not in the token: it names another place (_claim_names)', values: [] },
  ],
  ['holds our secret', { groups: `x ${TEAM_SECRET}` }, { came: 'a text', values: ['x ***'] }],
])('the log says of a person without a role what came as the claim that %s', async (_what, claims, facts) => {
  const { begin, team, provider, lines } = await start({ claims: { profile: ['name', ...Object.keys(claims)] } })
  provider.account = { sub: 'ana', claims: { name: 'Ana Lima', ...claims } }
  const { query, sealed } = await begin()
  expect(await team.complete(query, sealed)).toMatchObject({ kind: 'refused', reason: 'role', detail: 'Ana Lima' })
  const hint = expect.stringContaining('api.oidc.scopes')
  expect(lines).toMatchObject([{ event: 'oidc.sign_in_refused', reason: 'role', claim: 'groups', ...facts, hint }])
  expect(JSON.stringify(lines)).not.toMatch(/Ana Lima|"ana"/)
})

it('a claim that names the person is not in the log', async () => {
  const { begin, provider, lines, settings } = await start()
  const log = recordingLog(lines)
  const team = openTeamSignIn({ ...settings, claim: 'name' }, { onEnded: () => undefined, now: Date.now, log })
  onTestFinished(() => team.close())
  const { query, sealed } = await begin()
  expect(await team.complete(query, sealed)).toMatchObject({ kind: 'refused', reason: 'role' })
  expect(lines).toMatchObject([{ claim: 'name', came: 'a text' }])
  expect([lines[0]?.values, provider.account.sub]).toEqual([undefined, 'ana'])
})

it.each([
  ['invalid_client', {}],
  ['invalid_client', { 'www-authenticate': 'Basic realm="portaria"' }],
  ['unauthorized_client', {}],
])(
  'a provider that refuses the gateway (%s, %j) does so in its own words, without the secret',
  async (error, headers) => {
    const { begin, signIn, later, team, provider, lines } = await start()
    const person = await signIn()
    const { query, sealed } = await begin()
    const code = String(new URLSearchParams(query).get('code'))
    const description = `The provided keys\nare expired: ${TEAM_SECRET} and ${code}.`
    provider.intercept = (request, response) => {
      if (request.url !== '/token') return false
      request.resume()
      response
        .writeHead(401, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ error, error_description: description }))
      return true
    }
    expect(await team.complete(query, sealed)).toMatchObject({ kind: 'refused', reason: 'gateway', detail: null })
    await later(30)
    expect(person.ending()).toBe('refused by the provider')
    const hint = expect.stringContaining('api.oidc.clientSecretFile')
    const refused = { event: 'oidc.sign_in_refused', level: 'warn', reason: 'gateway', hint }
    // A hyphen at either end of a random code stays: the cleaner ignores it, as texts fold at it.
    const cleaned = expect.stringMatching(
      new RegExp(`^${error}: The provided keys are expired: \\*{3} and -?\\*{3}-?\\.$`),
    )
    expect(lines).toMatchObject([
      { ...refused, client: null, error: cleaned },
      { ...refused, client: person.id, error: expect.stringContaining('keys are expired') },
    ])
    expect(JSON.stringify(lines)).not.toContain(TEAM_SECRET)
  },
)

it('what the provider sends with the browser about a refusal is in the log', async () => {
  const { begin, team, lines } = await start()
  const { query, sealed } = await begin()
  const answer = new URLSearchParams(query)
  answer.delete('code')
  answer.set('error', 'access_denied')
  answer.set('error_description', 'Ana is not assigned to the application.')
  expect(await team.complete(`?${answer}`, sealed)).toMatchObject({ reason: 'provider', detail: 'access_denied' })
  expect(lines).toMatchObject([{ error: 'access_denied: Ana is not assigned to the application.' }])
})

it('an issuer that the provider writes in another way is shown beside ours, in the log and in portaria check', async () => {
  const { settings, provider, lines } = await start()
  const issuer = `${provider.issuer}/application/o/portaria`
  provider.intercept = (_request, response) => {
    const metadata = { issuer: `${issuer}/`, authorization_endpoint: `${issuer}/auth`, jwks_uri: `${issuer}/jwks` }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
    return true
  }
  const log = recordingLog(lines)
  const team = openTeamSignIn({ ...settings, issuer }, { onEnded: () => undefined, now: Date.now, log })
  onTestFinished(() => team.close())
  expect(await team.begin({ redirectUri: REDIRECT, next: '/ui/' })).toBe('unusable')
  const both = expect.stringContaining(`expected ${issuer}, and the provider names ${issuer}/`)
  expect(lines).toMatchObject([{ event: 'oidc.unreachable', error: both }])
  const { clientSecret: _secret, ...oidc } = settings
  const context = { config: { api: { oidc: { ...oidc, issuer } } }, progress: () => undefined } as never
  expect(await checkOidc(context)).toMatchObject([{ code: 'oidc.unreachable', found: both }])
})

it('portaria check asks the provider for its metadata', async () => {
  const { settings, provider } = await start()
  const { clientSecret: _secret, ...oidc } = settings
  const context = { config: { api: { oidc } }, progress: () => undefined } as never
  expect(await checkOidc(context)).toMatchObject([{ level: 'good', what: 'api.oidc' }])
  provider.intercept = (_request, response) => response.writeHead(404).end() !== undefined
  expect(await checkOidc(context)).toMatchObject([{ level: 'warning', code: 'oidc.unreachable' }])
  const other = { config: { api: { oidc: { ...oidc, authorities: null } } }, progress: () => undefined } as never
  expect(await checkOidc(other)).toMatchObject([
    { found: expect.stringMatching(/ gives no metadata: [^:]*certificate[^:]*$/) },
  ])
})

it('portaria check warns where the provider needs a client certificate to end sessions', async () => {
  const { settings } = await start()
  const found = async (clientCertificates: string, isOffline: boolean) => {
    const context = { config: { api: { oidc: settings, clientCertificates } }, isOffline, progress: () => undefined }
    return (await checkOidc(context as never)).map(({ code }) => code)
  }
  expect(await found('required', false)).toEqual(['listeners.good', 'oidc.logout_certificate'])
  expect(await found('required', true)).toEqual(['oidc.logout_certificate'])
  expect(await found('optional', true)).toEqual([])
})
