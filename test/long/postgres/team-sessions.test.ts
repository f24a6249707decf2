import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openTeamSignIn } from '../../../src/oidc/team-sign-in.ts'
import { createSessions, keyOf } from '../../../src/pages/frame/sessions.ts'
import { shareSessions } from '../../../src/pages/frame/shared-sessions.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { TestBrowser } from '../../pages/browser.ts'
import { postgresOptions } from '../../store/contract/on-postgres.ts'
import { createSite, recordingLog, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { startOidcProvider, TEAM_CLIENT, TEAM_SECRET } from '../../support/oidc-provider.ts'
import { reservePorts } from '../../support/ports.ts'
import { siteOn } from '../../support/postgres.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const FROM_PROVIDER = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
const ROLES = [{ value: 'support', scopes: ['events.read', 'operations.read'] as const }]

describePostgres('people of an OpenID provider on several nodes', (server) => {
  /** Two gateways behind a load balancer with the name of the first one, which sends each request to the gateway that the test names. */
  async function startTwo() {
    const [port, providerPort] = (await reservePorts(2)) as [number, number]
    const url = await server.createDatabase()
    const host = `localhost:${port}`
    const oidc = {
      issuer: `https://localhost:${providerPort}`,
      clientId: TEAM_CLIENT,
      clientSecretFile: 'oidc-secret',
      authorities: 'certs/server-ca.crt',
      roles: ROLES,
    }
    const sites = await Promise.all(
      [port, 0].map(async (own, n) => {
        const api = { host: '127.0.0.1', port: own, operatorTokenFile: 'operator-token', oidc }
        const site = await siteOn(server, { url, api, node: { name: `node-${n}`, folder: 'data' } })
        writeFileSync(join(site.folder, 'oidc-secret'), TEAM_SECRET, { mode: 0o600 })
        return site
      }),
    )
    const [first, second] = sites as [(typeof sites)[0], (typeof sites)[0]]
    const provider = await startOidcProvider({ certs: first.certs, port: providerPort, gateway: `http://${host}` })
    onTestFinished(() => provider.stop())
    const [one, other] = [await startTestGateway(first), await startTestGateway(second)]
    function newBrowser() {
      const { cookies } = new TestBrowser(one)
      const at = (gateway: TestGateway) => Object.assign(new TestBrowser(gateway), { cookies })
      const get = (gateway: TestGateway, path: string, headers = {}) => at(gateway).get(path, { host, ...headers })
      return {
        get,
        async signIn(begun: TestGateway, ended: TestGateway) {
          const { headers } = await get(begun, '/ui/oidc/sign-in?next=/ui/audit')
          const { pathname, search } = await provider.signIn(String(headers.location))
          return get(ended, pathname + search, FROM_PROVIDER)
        },
        async replay(begun: TestGateway, ended: TestGateway) {
          const { headers } = await get(begun, '/ui/oidc/sign-in')
          const kept = [...cookies]
          const { pathname, search } = await provider.signIn(String(headers.location))
          const first = await get(ended, pathname + search, FROM_PROVIDER)
          cookies.clear()
          for (const [name, value] of kept) cookies.set(name, value)
          return [first.status, (await get(begun, pathname + search, FROM_PROVIDER)).status]
        },
        cookie: () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      }
    }
    return { url, host, provider, one, other, newBrowser }
  }

  it('sign in at one, come back to another, and are signed in at both, until the provider ends it at one', async () => {
    const { host, provider, one, other, newBrowser } = await startTwo()
    const browser = newBrowser()
    expect((await browser.signIn(one, other)).status).toBe(200)
    for (const gateway of [one, other, one]) {
      const { status, body } = await browser.get(gateway, '/ui/overview')
      expect([status, body.includes('Ana Lima')]).toEqual([200, true])
      expect((await browser.get(gateway, '/ui/api/v1/events')).status).toBe(200)
    }
    const cut = follow(other, { host, cookie: browser.cookie() })
    await cut.begun
    await provider.logout()
    await cut.ended
    for (const gateway of [one, other])
      expect((await browser.get(gateway, '/ui/audit')).headers.location).toContain('reason=ended')
  })

  it('are signed out by a logout token once, and signed in by a callback once, whichever nodes get them', async () => {
    const { host, provider, one, other, newBrowser } = await startTwo()
    const second = Math.floor(Date.now() / 1000)
    const event = 'http://schemas.openid.net/event/backchannel-logout'
    const claims = { iss: provider.issuer, aud: TEAM_CLIENT, iat: second, exp: second + 120, sub: 'ana' }
    const token = await provider.sign({ ...claims, jti: 'once', events: { [event]: {} } })
    const send = (gateway: TestGateway) =>
      new TestBrowser(gateway).send('/ui/oidc/logout', {
        method: 'POST',
        form: { logout_token: token },
        headers: { host },
      })
    const [first, next] = [newBrowser(), newBrowser()]
    await first.signIn(one, one)
    expect((await send(other)).status).toBe(200)
    expect((await first.get(one, '/ui/audit')).status).toBe(303)
    await next.signIn(other, other)
    expect((await send(one)).status).toBe(400)
    expect((await next.get(one, '/ui/audit')).status).toBe(200)
    expect(await newBrowser().replay(one, other)).toEqual([200, 403])
  })

  it('sign out on all nodes, and leave only what is encrypted in the database', async () => {
    const { url, host, one, other, newBrowser } = await startTwo()
    const browser = newBrowser()
    await browser.signIn(other, one)
    const kept = () => server.query('select * from page_sessions join team_sessions using (key)', databaseOf(url))
    const [{ sealed, ...others } = {}] = await kept()
    expect(JSON.stringify(others)).not.toMatch(/ana|support/i)
    const [header] = String(sealed).split('.')
    expect(JSON.parse(Buffer.from(String(header), 'base64url').toString())).toEqual({ alg: 'dir', enc: 'A256GCM' })
    const { body } = await browser.get(one, '/ui/audit')
    const token = /name="token" value="([^"]+)"/.exec(body)?.[1] ?? ''
    const out = new TestBrowser(other)
    const headers = { host, origin: `http://${host}`, cookie: browser.cookie() }
    expect((await out.send('/ui/sign-out', { method: 'POST', form: { token }, headers })).status).toBe(303)
    expect((await browser.get(one, '/ui/audit')).status).toBe(303)
    expect(await kept()).toEqual([])
  })

  /** The sign-in and the sessions of nodes, whose clock moves by hand; the job runs when a test says so. */
  async function startNodes() {
    const { certs } = await createSite()
    const provider = await startOidcProvider({ certs, gateway: 'https://pages.example' })
    onTestFinished(() => provider.stop())
    const url = await server.createDatabase()
    const clock = { ahead: 0 }
    const now = () => Date.now() + clock.ahead
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
    async function startNode(clientSecret = TEAM_SECRET) {
      const store = await openPostgresStore({ ...postgresOptions(), url })
      onTestFinished(() => store.close())
      const shared = store.pageSessions ?? expect.fail()
      const log = recordingLog([])
      const parts = { idleEndMs: 86_400_000, now, log }
      const local = createSessions(parts)
      onTestFinished(local.close)
      const team = openTeamSignIn({ ...settings, clientSecret }, { onEnded: local.endRevoked, shared, now, log })
      onTestFinished(team.close)
      const sessions = shareSessions({ ...parts, local, shared, team, identities: { find: async () => null } })
      return { team, sessions }
    }
    const [one, other] = [await startNode(), await startNode()]
    async function signIn() {
      const begun = await one.team.begin({ redirectUri: 'https://pages.example/ui/oidc/callback', next: '/ui/' })
      if (typeof begun === 'string') return expect.fail(begun)
      const completed = await one.team.complete((await provider.signIn(begun.location)).search, begun.sealed)
      return one.sessions.start(completed.kind === 'person' ? completed.person : expect.fail(), null)
    }
    const asked = () => provider.requests.filter((line) => line === 'POST /token').length - 1
    /** What a person who can write to the database could try. */
    async function copyGrant(from: string, to: string) {
      const grants = `update team_sessions set sealed = other.sealed, version = team_sessions.version + 1 from team_sessions other`
      await server.query(
        `${grants} where other.key = '${keyOf(from)}' and team_sessions.key = '${keyOf(to)}'`,
        databaseOf(url),
      )
    }
    return { provider, clock, startNode, one, other, signIn, asked, copyGrant }
  }

  it('have the provider asked by one of the nodes, with the newest refresh token, and their rights on all', async () => {
    const { provider, clock, one, other, signIn, asked } = await startNodes()
    const id = await signIn()
    const [here, there] = [await one.sessions.find(id, null, true), await other.sessions.find(id, null, true)]
    expect([here, there].map((session) => session?.person.principal()?.kind)).toEqual(['client', 'client'])
    for (let round = 1; round <= 3; round++) {
      clock.ahead += 30_000
      await Promise.all([one.team.people.check(), other.team.people.check()])
      expect(asked()).toBe(round)
    }
    provider.accounts.set('ana', { sub: 'ana', claims: { groups: ['others'] } })
    clock.ahead += 30_000
    await one.team.people.check()
    await other.team.people.check()
    expect([asked(), here?.person.environment, there?.person.environment]).toEqual([4, 'sandbox', 'sandbox'])
  })

  it('are signed out on all nodes after a refused refresh at one', async () => {
    const { provider, clock, one, other, signIn, asked } = await startNodes()
    const id = await signIn()
    const there = await other.sessions.find(id, null, true)
    provider.accounts.delete('ana')
    clock.ahead += 30_000
    await one.team.people.check()
    expect([asked(), there?.person.principal() === null]).toEqual([1, false])
    await other.team.people.check()
    expect([asked(), there?.person.principal(), there?.ended.aborted]).toEqual([1, null, true])
    expect(await other.sessions.find(id, null, true)).toBeNull()
  })

  it('are asked for by a request on a node that takes a session over, if the others are gone', async () => {
    const { provider, clock, one, other, signIn, asked } = await startNodes()
    const [left, ended] = [await signIn(), await signIn()]
    await one.team.close()
    clock.ahead += 45_000
    const session = await other.sessions.find(left, null, true)
    expect([await session?.person.confirm?.(), asked()]).toEqual([true, 2])
    provider.accounts.delete('ana')
    const refused = await other.sessions.find(ended, null, true)
    expect(await refused?.person.confirm?.()).toBe(false)
    expect(await other.sessions.find(ended, null, true)).toBeNull()
  })

  it('are not known to a node with another client secret, nor under the session of another person', async () => {
    const { one, other, startNode, signIn, provider, copyGrant } = await startNodes()
    const stranger = await startNode('another-secret')
    const ana = await signIn()
    expect(await stranger.sessions.find(ana, null, true)).toBeNull()
    expect((await other.sessions.find(ana, null, true))?.person.name).toBe('Ana Lima')
    provider.account = { sub: 'rui', claims: { name: 'Rui', groups: ['support'] } }
    const rui = await signIn()
    await copyGrant(ana, rui)
    expect(await other.sessions.find(rui, null, true)).toBeNull()
    const session = await one.sessions.find(rui, null, true)
    expect(session?.person.principal()).toBeNull()
  })
})

const databaseOf = (url: string) => /test_\d+/.exec(url)?.[0] ?? ''

/** Live values of the overview page. */
function follow({ api }: TestGateway, headers: Record<string, string>) {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const options = { host: '127.0.0.1', port: api.port, path: '/ui/api/v1/overview', agent: false }
  const sent = request({ ...options, headers: { accept: 'text/event-stream', ...headers } }, (response) => {
    response.once('data', () => begun.resolve())
    response.on('close', () => ended.resolve()).on('error', () => ended.resolve())
  })
  sent.on('error', () => ended.resolve()).end()
  return { begun: begun.promise, ended: ended.promise }
}
