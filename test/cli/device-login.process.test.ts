import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createSite, type SpawnedGateway, spawnGateway, type TestSite } from '../support/gateway.ts'
import { startOidcProvider, TEAM_CLIENT, TEAM_SECRET, type TestProvider } from '../support/oidc-provider.ts'
import { reservePort } from '../support/ports.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { start } from './listener.ts'
import { inShell, linesOf, portariaIn } from './program.ts'

const ROLES = [
  { value: 'support', scopes: ['events.read', 'destinations.read'], environments: ['production'] },
  {
    value: 'operations',
    scopes: ['operations.read', 'operations.write', 'events.read', 'destinations.read', 'destinations.write'],
  },
]
const ANA = { sub: 'ana', claims: { name: 'Ana Lima', groups: ['support'] } }
const BIA = { sub: 'bia', claims: { name: 'Bia Reis', groups: ['operations'] } }
const CID = { sub: 'cid', claims: { name: 'Cid Sá', groups: ['cleaning'] } }

interface Team {
  readonly provider: TestProvider
  readonly site: TestSite
  readonly gateway: SpawnedGateway
  /** Of the API, over TLS. */
  readonly url: (port: number) => string
  readonly home: string
  /** Another gateway with the same provider. */
  another(): Promise<SpawnedGateway>
}

async function startTeam(changes: Parameters<typeof startOidcProvider>[0]['changes'] = {}): Promise<Team> {
  const providerPort = await reservePort()
  const oidc = {
    issuer: `https://localhost:${providerPort}`,
    clientId: TEAM_CLIENT,
    clientSecretFile: 'oidc-secret',
    authorities: 'certs/server-ca.crt',
    roles: ROLES,
  }
  const tls = { certificate: 'certs/server.crt', privateKey: 'certs/server.key', clientCertificates: 'off' }
  const api = { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', ...tls, oidc }
  const create = async () => {
    const site = await createSite({ api })
    writeFileSync(join(site.folder, 'oidc-secret'), TEAM_SECRET, { mode: 0o600 })
    return site
  }
  const site = await create()
  const provider = await startOidcProvider({
    certs: site.certs,
    port: providerPort,
    gateway: 'https://pages.example',
    changes,
  })
  onTestFinished(() => provider.stop())
  const gateway = await spawnGateway(site)
  const home = temporaryFolder()
  return {
    provider,
    site,
    gateway,
    home,
    url: (port) => `https://localhost:${port}`,
    another: async () => spawnGateway(await create()),
  }
}

/** Until the person has to do something. */
async function startLogin({ home, site, url }: Team, port: number, ...args: string[]) {
  const ca = join(site.certs, 'server-ca.crt')
  const login = start(home, 'login', url(port), '--device', '--ca', ca, '--json', ...args)
  let address = ''
  await until(() => {
    address = /(https:\S+user_code=\S+)/.exec(login.stderr())?.[1] ?? ''
    return address !== ''
  })
  return { ...login, address }
}

async function signIn(team: Team, person: TestProvider['account'], port = team.gateway.api.port): Promise<void> {
  const login = await startLogin(team, port)
  team.provider.account = person
  await team.provider.answerDevice(login.address)
  expect(await login.ended).toMatchObject({ code: 0 })
}

const profileFile = ({ home }: Team) => join(home, '.config/portaria/profiles/default.json')
const savedIn = (team: Team) => JSON.parse(readFileSync(profileFile(team), 'utf8'))
const far = ({ home }: Team, line: string) => portariaOf(home, { PORTARIA_PROFILE: 'default' }, line)

function portariaOf(home: string, named: { readonly PORTARIA_PROFILE?: string }, line: string) {
  return portariaIn({ PATH: process.env.PATH, HOME: home, ...named }, ...line.split(' '))
}

/** As if its minute were over. */
function makeOld(team: Team): void {
  const profile = savedIn(team)
  profile.credentials.session.validUntil = 0
  writeFileSync(profileFile(team), JSON.stringify(profile))
}

it('a person signs in in a browser, over a break of the network, and may do with the profile what the role permits', async () => {
  const team = await startTeam()
  const { provider, gateway } = team
  const proxy = await startTcpProxy(gateway.api.port)
  provider.account = ANA
  const login = await startLogin(team, proxy.port)
  expect(login.stderr()).toMatch(
    /open https:\/\/localhost:\d+\/device in a browser, .* enter the code [A-Z]{4}-[A-Z]{4}\n/,
  )
  await until(() => provider.requests.includes('POST /token'))
  proxy.setMode('refused')
  proxy.cut()
  await until(() => login.stderr().includes('no answer of'))
  await provider.answerDevice(login.address)
  proxy.setMode('passed')
  const ended = await login.ended
  expect([ended.code, ended.attempts]).toEqual([
    0,
    [
      {
        profile: 'default',
        api: team.url(proxy.port),
        person: 'Ana Lima',
        scopes: ['events.read', 'destinations.read'],
        file: profileFile(team),
      },
    ],
  ])
  const file = profileFile(team)
  expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700])
  expect(readFileSync(file, 'utf8')).not.toContain(TEAM_SECRET)

  const [list, write, sandbox, operator, profiles] = await Promise.all(
    [
      'events list',
      'destinations pause app',
      'events list --environment sandbox',
      'clients list',
      'login --list --json',
    ].map((line) => far(team, line)),
  )
  expect([list?.code, list?.stdout, list?.stderr]).toEqual([0, 'no events\n', ''])
  expect([write?.code, write?.stderr]).toEqual([1, expect.stringContaining('lacks the scope destinations.write')])
  expect([sandbox?.code, sandbox?.stderr]).toEqual([1, expect.stringContaining('belongs to production')])
  expect([operator?.code, operator?.stderr]).toEqual([1, expect.stringContaining('only the operator may do this')])
  expect(profiles && linesOf(profiles)).toMatchObject([{ profile: 'default', client: 'Ana Lima' }])
})

it('a profile renews itself, its changes are recorded with the person, and it ends with the role or the account', async () => {
  const team = await startTeam()
  const { provider } = team
  await signIn(team, BIA)
  expect(await far(team, 'destinations create http://127.0.0.1:9/hook --name books')).toMatchObject({ stderr: '' })
  makeOld(team)
  const before = savedIn(team).credentials.session
  const pause = await far(team, 'destinations pause books --reason lost')
  expect([pause.code, pause.stderr]).toEqual([0, ''])
  const after = savedIn(team).credentials.session
  expect(after.refreshToken).not.toBe(before.refreshToken)
  expect(after.validUntil).toBeGreaterThan(Date.now())
  const audit = await far(team, 'audit list --json')
  expect(linesOf(audit)).toMatchObject([
    {
      action: 'pauseDestination',
      channel: 'api',
      actor: expect.stringMatching(/^per_/),
      actorName: 'Bia Reis',
      reason: 'lost',
      details: { person: 'Bia Reis', issuer: provider.issuer, sub: 'bia' },
    },
    { action: 'createDestination', actorName: 'Bia Reis' },
  ])

  const foreign = savedIn(team)
  foreign.credentials.session.accessToken = 'of.another.time.than.now'
  writeFileSync(profileFile(team), JSON.stringify(foreign))
  expect(await far(team, 'events list')).toMatchObject({ code: 0, stderr: '' })

  provider.accounts.set('bia', { ...BIA, claims: { groups: [] } })
  makeOld(team)
  const roleless = await far(team, 'events list')
  expect([roleless.code, roleless.stderr]).toEqual([1, expect.stringContaining('Bia Reis has no role here')])

  await signIn(team, BIA)
  provider.accounts.delete('bia')
  makeOld(team)
  const refused = await far(team, 'events list')
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('the provider refuses to go on with the sign-in of Bia Reis: sign in again'),
  ])
  const portuguese = await far(team, '--lang pt events list')
  expect([portuguese.code, portuguese.stderr]).toEqual([
    1,
    expect.stringContaining('o provedor se recusa a continuar a sessão de Bia Reis'),
  ])
  const out = await far(team, 'logout')
  expect([out.code, out.stdout]).toEqual([0, expect.stringMatching(/^the profile default is removed/)])
  await signIn(team, BIA)
  const { refreshToken } = savedIn(team).credentials.session
  const ended = await far(team, 'logout --json')
  expect([ended.code, linesOf(ended)]).toEqual([0, [{ profile: 'default', removed: true, signedOut: true }]])
  expect(refreshToken).toEqual(expect.any(String))
  expect(provider.requests).toContain('POST /token/revocation')
})

it('many commands at once renew a profile once, whichever node answers them', async () => {
  const team = await startTeam()
  const nodes = [team.gateway, await team.another()]
  let connections = 0
  const balancer = createServer((client) => {
    const server = connect(nodes[connections++ % nodes.length]?.api.port ?? 0, '127.0.0.1')
    client.pipe(server).pipe(client)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => other.destroy())
  })
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void balancer.close())
  await signIn(team, ANA, (balancer.address() as AddressInfo).port)
  const questions = () => team.provider.requests.filter((one) => one === 'POST /token').length
  const before = questions()
  for (let round = 0; round < 2; round++) {
    makeOld(team)
    const commands = await Promise.all(
      Array.from({ length: 4 }, () =>
        inShell(null, `export HOME=${team.home} PORTARIA_PROFILE=default; portaria events list`),
      ),
    )
    expect(commands.map(({ code, stderr }) => [code, stderr])).toEqual(commands.map(() => [0, '']))
  }
  expect(questions() - before).toBe(2)
})

it('who refuses, has no role, or takes too long gets no profile, and the command fails in words', async () => {
  let lifetimeS = 600
  const team = await startTeam({ ttl: { DeviceCode: () => lifetimeS } })
  const { provider, gateway } = team
  const answers = [
    [ANA, 'abort', 'the sign-in was refused at the provider'],
    [CID, 'confirm', 'Cid Sá has no role here'],
    [ANA, null, 'the code was not used in time'],
  ] as const
  for (const [person, choice, words] of answers) {
    provider.account = person
    if (choice === null) lifetimeS = 3
    const login = await startLogin(team, gateway.api.port, '--profile', 'none')
    if (choice !== null) await provider.answerDevice(login.address, choice)
    const ended = await login.ended
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining(words)])
  }
  const used = await far(team, 'events list --profile none')
  expect([used.code, used.stderr]).toEqual([2, expect.stringContaining('there is no profile none')])
})

it('an answer without an address, a time or tokens is none of a gateway, and takes the place of no session', async () => {
  let answer: object = {}
  const server = createHttpServer((_request, response) => response.end(JSON.stringify(answer)))
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const [home, api] = [temporaryFolder(), `http://127.0.0.1:${port}`]
  const refused = [1, expect.stringContaining('not as a gateway does: check the address')]
  const begun = { device_code: 'c', user_code: 'u', verification_uri: 'https://provider.example', expires_in: 2 }
  for (const wrong of [
    { verification_uri: 'javascript:1' },
    { user_code: 1 },
    { expires_in: '2' },
    { interval: 'x' },
  ]) {
    answer = { ...begun, ...wrong }
    const { code, stderr } = await portariaOf(home, {}, `login ${api} --device`)
    expect([code, stderr]).toEqual(refused)
    expect(stderr).not.toContain('open ')
  }
  // Also the answer of the token endpoint here.
  answer = begun
  const login = await portariaOf(home, {}, `login ${api} --device`)
  expect([login.code, login.stderr]).toEqual(refused)
  const file = join(home, '.config/portaria/profiles/default.json')
  expect(existsSync(file)).toBe(false)

  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const session = { person: 'Ana', accessToken: 'a', validUntil: 0, refreshToken: 'r' }
  writeFileSync(file, JSON.stringify({ api, ca: null, certificate: null, credentials: { session } }), { mode: 0o600 })
  answer = { access_token: 'b' }
  const used = await portariaOf(home, { PORTARIA_PROFILE: 'default' }, 'events list')
  expect([used.code, used.stderr]).toEqual(refused)
  expect(JSON.parse(readFileSync(file, 'utf8')).credentials).toEqual({ session })
})

it('a gateway without a provider says what to give, and outside of a terminal a person is waited for only on request', async () => {
  const { api } = await spawnGateway(await createSite())
  const home = temporaryFolder()
  const login = (line: string) => portariaOf(home, {}, `login http://127.0.0.1:${api.port} ${line}`.trim())
  const [device, none, both, portuguese] = await Promise.all(
    ['--device', '', '--device --client-id shop', '--device --lang pt'].map(login),
  )
  expect([device?.code, device?.stderr]).toEqual([
    1,
    expect.stringMatching(/offers no sign-in for people: .*api\.oidc is not set up.*; give --client-id and/s),
  ])
  expect([none?.code, none?.stderr]).toEqual([2, expect.stringContaining('--token-file, or --device for a person')])
  expect([both?.code, both?.stderr]).toEqual([2, expect.stringContaining('--device is in place of --client-id')])
  expect([portuguese?.code, portuguese?.stderr]).toEqual([1, expect.stringContaining('não permite que pessoas entrem')])
})
