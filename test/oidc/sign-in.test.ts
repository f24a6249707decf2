import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { type Gateway, startGateway } from '../../src/gateway/gateway.ts'
import { flashIn, textIn } from '../pages/api-pages.ts'
import { TestBrowser } from '../pages/browser.ts'
import { createSite, type LogLine, OPERATOR_TOKEN, recordingLog } from '../support/gateway.ts'
import { startOidcProvider, TEAM_CLIENT, TEAM_SECRET, type TestProvider } from '../support/oidc-provider.ts'
import { reservePorts } from '../support/ports.ts'

const ANA = { sub: 'ana', claims: { name: 'Ana Lima', groups: ['support', 'others'] } }
const FROM_PROVIDER = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
const ROLES = [
  {
    value: 'support',
    scopes: ['events.read', 'destinations.read', 'destinations.write', 'operations.read', 'operations.write'],
  },
  { value: 'sandbox', scopes: ['events.read', 'destinations.read'], environments: ['sandbox'] },
]

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
const lines: LogLine[] = []
let provider: TestProvider
let gateway: Gateway

beforeAll(async () => {
  const [port, providerPort] = (await reservePorts(2)) as [number, number]
  const oidc = {
    issuer: `https://localhost:${providerPort}`,
    clientId: TEAM_CLIENT,
    clientSecretFile: 'oidc-secret',
    authorities: 'certs/server-ca.crt',
    roles: ROLES,
  }
  const destinations = [{ name: 'books', url: 'https://127.0.0.1:1/', secret: SECRET }]
  const site = await createSite(
    { api: { host: '127.0.0.1', port, operatorTokenFile: 'operator-token', oidc }, destinations },
    folder,
  )
  writeFileSync(join(folder, 'oidc-secret'), TEAM_SECRET, { mode: 0o600 })
  gateway = await startGateway(loadConfig(site.configFile), { log: recordingLog(lines), onLost: () => undefined })
  const down = new TestBrowser(gateway.addresses)
  expect(flashIn((await down.get('/ui/sign-in')).body)).toBeNull()
  const led = await down.get('/ui/oidc/sign-in?next=/ui/audit')
  expect(led.headers.location).toBe('/ui/sign-in?next=%2Fui%2Faudit&reason=unreachable')
  expect(flashIn((await down.get(String(led.headers.location))).body)).toContain('cannot be reached now')
  expect(lines.find(({ event }) => event === 'oidc.unreachable')).toMatchObject({ level: 'warn', issuer: oidc.issuer })
  // A provider may have algorithms on its list that a client must not accept, as Keycloak has HS256.
  const changes = { enabledJWA: { idTokenSigningAlgValues: ['RS256' as const, 'HS256' as const] } }
  const pages = `http://localhost:${port}`
  provider = await startOidcProvider({ certs: site.certs, port: providerPort, gateway: pages, changes })
})

afterAll(async () => {
  await gateway.stop()
  await provider.stop()
  rmSync(folder, { recursive: true, force: true })
})

beforeEach(() => {
  provider.account = ANA
  provider.refreshes = true
  provider.intercept = undefined
  lines.length = 0
})

const open = () => new TestBrowser(gateway.addresses)
const refusals = () => lines.filter(({ event }) => event === 'oidc.sign_in_refused').map(({ reason }) => reason)

/** As far as the address to which the provider sends the browser back. */
async function begin(browser: TestBrowser, next = '/ui/audit'): Promise<URL> {
  const { status, headers } = await browser.get(`/ui/oidc/sign-in?${new URLSearchParams({ next })}`)
  expect(status).toBe(303)
  return provider.signIn(String(headers.location))
}

const arrive = (browser: TestBrowser, { pathname, search }: URL) => browser.get(pathname + search, FROM_PROVIDER)

async function signIn(browser = open(), next?: string) {
  return arrive(browser, await begin(browser, next))
}

it('a person signs in beside clients, with the rights of a role, and the log of actions names them', async () => {
  const browser = open()
  const page = await browser.get('/ui/sign-in')
  expect(flashIn(page.body)).toBeNull()
  expect(page.body).toContain('href="/ui/oidc/sign-in?next=%2Fui%2F"')
  const arrived = await signIn(browser)
  expect([arrived.status, arrived.headers.refresh]).toEqual([200, '0; url=/ui/audit'])
  expect(textIn(arrived.body)).toBe(`You are signed in As Ana Lima, by ${new URL(provider.issuer).host}. Go on`)
  expect(arrived.headers['set-cookie']?.at(-1)).toMatch(
    /^portaria_session=[^;]+; Path=\/ui; HttpOnly; SameSite=Strict$/,
  )
  expect(browser.cookies.has('portaria_begun')).toBe(false)

  const paused = await browser.submit('/ui/destinations/dst_1', '/ui/destinations/dst_1/pause')
  expect(paused.status).toBe(303)
  const { body } = await browser.get('/ui/api/v1/audit')
  const actor = expect.stringMatching(/^per_[0-9a-f]{24}$/)
  expect(JSON.parse(body).data.at(-1)).toMatchObject({
    actor,
    actorName: 'Ana Lima',
    channel: 'page',
    action: 'pauseDestination',
    details: { person: 'Ana Lima', issuer: provider.issuer, sub: 'ana' },
  })
  expect(textIn((await browser.get('/ui/audit')).body)).toContain('Ana Lima')
  expect(lines.find(({ event }) => event === 'session.started')).toMatchObject({ client: actor })
  expect(await browser.get('/ui/api/v1/destinations')).toMatchObject({ status: 200 })
  expect(JSON.stringify(lines)).not.toMatch(/Ana Lima|eyJ/)
})

it('a person without a matching role is refused in words, in both languages', async () => {
  provider.account = { sub: 'bia', claims: { name: 'Bia <b>', groups: ['others'] } }
  const browser = open()
  const refused = await signIn(browser)
  expect(refused.status).toBe(403)
  const host = new URL(provider.issuer).host
  expect(flashIn(refused.body)).toBe(
    `bad: ${host} knows you as Bia <b>, but none of your roles there opens these pages. Ask the operator for a role.`,
  )
  expect(browser.cookies.size).toBe(0)
  expect(refusals()).toEqual(['role'])
})

it('the environments of a role hold, whatever a client of the same name may do', async () => {
  const client = JSON.stringify({ name: 'operator', environment: 'any', scopes: ['operations.write'] })
  const asOperator = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }
  const made = await open().send('/v1/clients', { method: 'POST', body: client, headers: asOperator })
  expect(made.status).toBe(201)
  provider.account = { sub: 'operator', claims: { name: 'operator', groups: 'sandbox' } }
  const browser = open()
  await signIn(browser)
  const events = (environment: string) => browser.get(`/ui/api/v1/events?environment=${environment}`)
  expect([(await events('sandbox')).status, (await events('production')).status]).toEqual([200, 403])
  expect((await browser.get('/ui/overview')).status).toBe(403)
  expect((await browser.get('/ui/api/v1/audit')).status).toBe(403)
})

it('a callback counts once, in the browser that began it, and only with its state', async () => {
  const [browser, other] = [open(), open()]
  const callback = await begin(browser)
  const kept = new Map(browser.cookies)
  expect((await arrive(other, callback)).status).toBe(403)
  const forged = new URL(callback)
  forged.searchParams.set('state', 'x'.repeat(43))
  expect((await arrive(browser, forged)).status).toBe(403)
  for (const [name, value] of kept) browser.cookies.set(name, value)
  expect((await arrive(browser, callback)).status).toBe(200)
  for (const [name, value] of kept) other.cookies.set(name, value)
  const replayed = await arrive(other, callback)
  expect([replayed.status, other.cookies.size]).toEqual([403, 0])
  expect(flashIn(replayed.body)).toContain('no open sign-in')
  expect(refusals()).toEqual(['begun', 'begun', 'begun'])
})

it('a code from another sign-in, another issuer and an error of the provider are refused', async () => {
  const [browser, victim] = [open(), open()]
  const stolen = await begin(victim)
  const injected = await begin(browser)
  injected.searchParams.set('code', String(stolen.searchParams.get('code')))
  expect((await arrive(browser, injected)).status).toBe(403)
  const mixedUp = await begin(browser)
  mixedUp.searchParams.set('iss', 'https://other.example')
  expect((await arrive(browser, mixedUp)).status).toBe(403)
  const without = await begin(browser)
  without.searchParams.delete('iss')
  expect((await arrive(browser, without)).status).toBe(403)
  const denied = await begin(browser)
  denied.searchParams.delete('code')
  denied.searchParams.set('error', 'access_denied')
  expect(flashIn((await arrive(browser, denied)).body)).toContain('refused the sign-in (access_denied)')
  expect(refusals()).toEqual(['provider', 'answer', 'answer', 'provider'])
  expect(browser.cookies.size).toBe(0)
})

type Forge = (claims: JWTPayload) => string | Promise<string>
const changed =
  (changes: JWTPayload): Forge =>
  (claims) =>
    provider.sign({ ...claims, ...changes })
const fiveMinutes = () => Math.floor(Date.now() / 1000) + 300

it.each<[string, Forge]>([
  ['of another audience', changed({ aud: 'another' })],
  ['of two audiences, made for the other one', changed({ aud: [TEAM_CLIENT, 'another'], azp: 'another' })],
  ['of two audiences, without a word for which', changed({ aud: [TEAM_CLIENT, 'another'] })],
  ['of one audience, made for another client', changed({ azp: 'another' })],
  ['with an empty subject', changed({ sub: '' })],
  ['with a subject of 256 characters', changed({ sub: 'a'.repeat(256) })],
  ['that has expired', changed({ exp: 1 })],
  ['that is not valid yet', (claims) => provider.sign({ ...claims, nbf: fiveMinutes() })],
  ['of another issuer', changed({ iss: 'https://other.example' })],
  ['with another nonce', changed({ nonce: 'another' })],
  ['without a nonce', changed({ nonce: undefined })],
  ['without a subject', changed({ sub: undefined as never })],
  ['that is not signed', (claims) => new UnsecuredJWT(claims).encode()],
  ['whose signature was cut off', async (claims) => `${(await provider.sign(claims)).replace(/[^.]+$/, '')}`],
  [
    'that is signed with the client secret',
    (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(TEAM_SECRET)),
  ],
  [
    'that is signed with another key',
    async (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign((await generateKeyPair('RS256')).privateKey),
  ],
])('an ID token %s is refused', async (_what, forge) => {
  const browser = open()
  const arriveWith = async (makeToken: Forge) => {
    const { headers } = await browser.get('/ui/oidc/sign-in')
    const authorization = new URL(String(headers.location))
    const callback = await provider.signIn(authorization.href)
    // The clock of the provider is a little ahead.
    const iat = Math.floor(Date.now() / 1000) + 20
    const token = await makeToken({
      iss: provider.issuer,
      aud: TEAM_CLIENT,
      sub: 'ana',
      iat,
      nbf: iat,
      exp: iat + 60,
      nonce: authorization.searchParams.get('nonce'),
      groups: ['support'],
    })
    answerTokenRequests(`{"access_token":"a","token_type":"Bearer","id_token":"${token}"}`)
    return (await arrive(browser, callback)).status
  }
  expect([await arriveWith(forge), browser.cookies.size]).toEqual([403, 0])
  expect(refusals()).toEqual(['answer'])
  expect(JSON.stringify(lines)).not.toContain('undefined')
  // The same token with nothing changed opens a session, so nothing else was refused.
  expect(await arriveWith((claims) => provider.sign(claims))).toBe(200)
})

function answerTokenRequests(body: string): void {
  provider.intercept = (request, response) => {
    if (request.url !== '/token') return false
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    return true
  }
}

it.each([
  'https://evil.example/',
  '//evil.example',
  '/ui/../..//evil.example',
  '/ui\\@evil.example',
  'javascript:alert(1)',
])('a sign-in that should lead to %s leads to the start page', async (next) => {
  const arrived = await signIn(open(), next)
  expect([arrived.status, arrived.headers.refresh]).toEqual([200, '0; url=/ui/'])
})

it.each([
  ['https', 'https'],
  ['https, http', 'https'],
  ['HTTPS ,http', 'https'],
  ['http, https', 'http'],
])('behind proxies that say %s, the browser is led back by %s', async (forwarded, scheme) => {
  const { headers } = await open().get('/ui/oidc/sign-in', { 'x-forwarded-proto': forwarded })
  expect(new URL(String(headers.location)).searchParams.get('redirect_uri')).toMatch(new RegExp(`^${scheme}://`))
  expect(String(headers['set-cookie']).includes('Secure')).toBe(scheme === 'https')
})

it('another site cannot begin a sign-in, nor is anything kept of thousands that are begun', async () => {
  const browser = open()
  const led = await browser.get('/ui/oidc/sign-in?next=/ui/audit', { 'sec-fetch-site': 'cross-site' })
  expect([led.status, led.headers.location, browser.cookies.size]).toEqual([303, '/ui/sign-in?next=%2Fui%2Faudit', 0])
  const first = await begin(browser)
  const kept = new Map(browser.cookies)
  for (let i = 0; i < 50; i++) await open().get('/ui/oidc/sign-in')
  expect(new Map(browser.cookies)).toEqual(kept)
  expect((await arrive(browser, first)).status).toBe(200)
})

it('a sign-in makes another session, and ends that of the browser, whose id another person may know', async () => {
  const [browser, other] = [open(), open()]
  const unknown = 'A'.repeat(43)
  browser.cookies.set('portaria_session', unknown)
  await signIn(browser)
  const first = String(browser.cookies.get('portaria_session'))
  expect(first).not.toBe(unknown)
  // Begun in one tab, while another one signs in.
  browser.cookies.clear()
  const callback = await begin(browser)
  browser.cookies.set('portaria_session', first)
  expect((await arrive(browser, callback)).status).toBe(200)
  expect((await browser.get('/ui/audit')).status).toBe(200)
  other.cookies.set('portaria_session', first)
  expect((await other.get('/ui/audit')).status).toBe(303)
})

it('a logout at the provider ends the session', async () => {
  const browser = open()
  await signIn(browser)
  expect((await browser.get('/ui/audit')).status).toBe(200)
  await provider.logout()
  expect((await browser.get('/ui/audit')).headers.location).toBe('/ui/sign-in?next=%2Fui%2Faudit&reason=ended')
  expect(lines.filter(({ event }) => event === 'oidc.logout')).toEqual([
    { level: 'info', event: 'oidc.logout', sessions: 1 },
  ])
})

it('who is signed in, or signs out, is not asked by the provider any more', async () => {
  const browser = open()
  await signIn(browser)
  expect((await browser.get('/ui/oidc/sign-in?next=/ui/audit')).headers.location).toBe('/ui/audit')
  expect((await browser.submit('/ui/audit', '/ui/sign-out')).status).toBe(303)
  expect((await browser.get('/ui/audit')).status).toBe(303)
})
