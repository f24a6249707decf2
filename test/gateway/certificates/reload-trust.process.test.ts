import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { fingerprintOf } from '../../../src/platform/certificate-identity.ts'
import { allEvents, callApi } from '../../support/calls.ts'
import { type LogLine, spawnGateway, startTestGateway, type TestSite } from '../../support/gateway.ts'
import { callByOpenssl, hasOpenssl } from '../../support/openssl.ts'
import {
  type Chain,
  callOnce,
  createWorld,
  installPair,
  openCaller,
  put,
  reloadNow,
  replace,
  requestOf,
  siteOf,
  startLoad,
  subjectsOf,
  trustFile,
  type World,
} from '../../support/reloading.ts'
import { until } from '../../support/until.ts'

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const

const renewalsIn = (lines: readonly LogLine[]) => lines.filter(({ event }) => event === 'trust.renewed')

describe.skipIf(!hasOpenssl)('the chains of the service change while the gateway runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let world: World
  let server: IssuedCertificate
  beforeAll(() => {
    world = createWorld(folder)
    server = world.server('server')
  })

  async function start(changes: Record<string, unknown> = {}) {
    const site = await siteOf(world, server, changes)
    put(site, 'production/second.pem', world.second)
    const gateway = await startTestGateway(site)
    return { site, gateway, port: gateway.callbacks.port }
  }

  /** What `certs trust retire` does. */
  function retireFirst(site: TestSite, to = 'production/retired/first.pem'): void {
    mkdirSync(dirname(trustFile(site, to)), { recursive: true })
    renameSync(trustFile(site, 'production.pem'), trustFile(site, to))
  }

  it('callers of an authority below two roots stay let in when one root expires', async () => {
    const { issue } = createAuthority(join(folder, 'crossed'))
    const passing = issue({ name: 'passing-root', ca: true, notAfter: new Date(Date.now() + 8000) })
    const root = issue({ name: 'staying-root', ca: true })
    const below = issue({ name: 'crossed', issuer: passing, ca: true })
    const again = issue({ name: 'crossed-again', subject: '/CN=crossed', sameKeyAs: below, issuer: root, ca: true })
    const caller = issue({ name: 'caller', issuer: below })
    const site = await siteOf(world, server)
    put(site, 'production.pem', { issuing: below, caller })
    put(site, 'production/staying.pem', { issuing: again, caller })
    const { callbacks, lines } = await startTestGateway(site)
    expect(await callOnce(callbacks.port, caller)).toBe(200)
    await until(() => renewalsIn(lines).length > 0)
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(new X509Certificate(passing.cert).validTo))
    for (const version of VERSIONS) expect(await callOnce(callbacks.port, caller, version, { version })).toBe(200)
  })

  it('a chain that joins lets its callers in, and one that leaves takes exactly its own connections with it', async () => {
    const { site, gateway, port } = await start()
    const { first, second, sandbox, untrusted } = world
    expect(await callOnce(port, untrusted.caller, 'refused')).toBe(0)
    put(site, 'production/fourth.pem', untrusted)
    await until(
      () => callOnce(port, untrusted.caller, 'let in'),
      (status) => status === 200,
    )

    const leaving = await Promise.all(VERSIONS.map((version) => openCaller(port, first.caller, { version })))
    const staying = await Promise.all([second, sandbox, untrusted].map(({ caller }) => openCaller(port, caller)))
    for (const caller of [...leaving, ...staying]) expect(await caller.call('before')).toBe(200)
    const load = startLoad(port, second.caller)
    retireFirst(site)
    await Promise.all(leaving.map((caller) => caller.closed()))

    for (const caller of staying) expect(await caller.call('after')).toBe(200)
    for (const version of VERSIONS) expect(await callOnce(port, first.caller, 'gone', { version })).toBe(0)
    expect((await load.stop()).failed).toEqual([])
    expect(renewalsIn(gateway.lines).map(({ closed, level }) => [level, closed])).toEqual([
      ['warn', 0],
      ['warn', 2],
    ])
    const subjects = await subjectsOf(gateway)
    expect(subjects.filter((subject) => subject === 'gone' || subject === 'refused')).toEqual([])
  })

  it.each(VERSIONS)(
    'of a chain that left an old session, an old connection and a new handshake are refused in %s, and nothing is kept',
    async (version) => {
      const { site, gateway, port } = await start()
      const { caller } = world.first
      const session = join(site.folder, 'session')
      const own = [version === 'TLSv1.2' ? '-tls1_2' : '-tls1_3', '-cert', caller.certFile, '-key', caller.keyFile]
      const call = (...args: string[]) => callByOpenssl(port, [...own, ...args], closing('by openssl'))
      expect(await call('-sess_out', session)).toContain('HTTP/1.1 200')
      if (existsSync(session)) expect(await call('-sess_in', session)).toContain('HTTP/1.1 200')
      const old = await openCaller(port, caller, { version })
      expect(await old.call('before')).toBe(200)
      const before = await allEvents(gateway.api)

      retireFirst(site)
      expect(await reloadNow(site)).toMatchObject({ status: 200, body: { renewed: ['the chains of the service'] } })

      expect(await old.call('old connection')).toBe(0)
      if (existsSync(session)) expect(await call('-sess_in', session)).toBe('')
      expect(await call()).toBe('')
      expect(await callOnce(port, caller, 'new handshake', { version })).toBe(0)
      expect(await allEvents(gateway.api)).toEqual(before)
    },
  )

  it('a request whose body is half sent when its chain leaves is not kept', async () => {
    const { site, gateway, port } = await start()
    const caller = await openCaller(port, world.first.caller)
    const request = requestOf('half sent')
    caller.write(request.slice(0, -8))
    const other = await openCaller(port, world.second.caller)
    expect(await other.call('meanwhile')).toBe(200)

    retireFirst(site)
    await reloadNow(site)
    caller.write(request.slice(-8))
    await caller.closed()

    expect(await callOnce(port, world.second.caller, 'then')).toBe(200)
    expect(await subjectsOf(gateway)).toEqual(['meanwhile', 'then'])
  })

  it.each(VERSIONS)('a handshake that is under way when its chain leaves is refused in %s', async (version) => {
    const { site, gateway, port } = await start()
    const proxy = await startHoldingProxy(port)
    const opening = openCaller(proxy.port, world.first.caller, { version })
    await proxy.held

    retireFirst(site)
    await reloadNow(site)
    proxy.release()

    expect(await (await opening).call('too late')).toBe(0)
    expect(await subjectsOf(gateway)).toEqual([])
  })

  it('a new certificate brings back no earlier chains, and new chains no earlier certificate', async () => {
    const { site, port } = await start()
    put(site, 'production/fourth.pem', world.untrusted)
    await reloadNow(site)
    installPair(site, world.server('next'))
    await reloadNow(site)
    const joined = await openCaller(port, world.untrusted.caller)
    expect([joined.server, await joined.call('joined')]).toEqual(['next', 200])
    retireFirst(site)
    await reloadNow(site)
    expect((await openCaller(port, world.untrusted.caller)).server).toBe('next')
  })

  it('a chain that moves to another environment: its connections are closed, and new ones count there', async () => {
    const { site, gateway, port } = await start()
    const old = await openCaller(port, world.first.caller)
    expect(await old.call('of production')).toBe(200)

    retireFirst(site, 'sandbox/first.pem')
    await old.closed()

    expect(await callOnce(port, world.first.caller, 'of sandbox')).toBe(200)
    const events = await allEvents(gateway.api, '&kind=payment')
    expect(events.map(({ subject, environment }) => [subject, environment])).toEqual([
      ['of production', 'production'],
      ['of sandbox', 'sandbox'],
    ])
  })

  it('a damaged file of one institution holds back no other: neither its chains nor whom it denies, and it is said everywhere', async () => {
    const { untrusted, sandbox } = world
    const bank = (name: string, deny: readonly string[] = []) => ({
      name,
      trust: [{ environment: 'production', chain: `certs/trust/${name}`, deny: { fingerprints: deny } }],
      kinds: { payment: { path: '/callbacks/payment' } },
    })
    const banks = (deny?: readonly string[]) => ({ institutions: [bank('bank-a'), bank('bank-b', deny)] })
    const site = await siteOf(world, server, banks())
    rmSync(trustFile(site, 'sandbox.pem'))
    put(site, 'bank-a/first.pem', untrusted)
    put(site, 'bank-b/first.pem', world.second)
    // An environment whose chain cannot be used at the start is closed alone.
    const gateway = await startTestGateway(site)
    const { port } = gateway.callbacks
    const statuses = (...who: readonly Chain[]) => Promise.all(who.map(({ caller }) => callOnce(port, caller)))
    expect(await statuses(world.first, sandbox, untrusted, world.second)).toEqual([200, 0, 200, 200])

    replace(trustFile(site, 'bank-a/first.pem'), untrusted.issuing.chain.slice(0, -60))
    put(site, 'bank-b/next.pem', sandbox)
    const { renewed, problems } = (await reloadNow(site)).body
    expect([renewed, problems.map(({ what, use }) => [what, use])]).toEqual([
      ['the chains of the service'],
      [
        ['a chain of sandbox', 'none'],
        ['a chain of bank-a/production', 'earlier'],
      ],
    ])
    expect(await statuses(untrusted, sandbox)).toEqual([200, 200])

    const overview = JSON.parse((await callApi(gateway.api, '/v1/overview')).body)
    const reasons = overview.reasons.map(({ code, subject }: { code: string; subject: string }) => [code, subject])
    expect(reasons).toContainEqual(['trust_closed', 'a chain of sandbox'])
    expect(reasons).toContainEqual(['files_not_renewed', 'a chain of bank-a/production'])

    const old = await openCaller(port, world.second.caller)
    const denied = fingerprintOf(new X509Certificate(world.second.caller.cert))
    await siteOf(world, server, banks([denied]), site.folder)
    rmSync(trustFile(site, 'sandbox.pem'))
    replace(trustFile(site, 'bank-a/first.pem'), 'garbage')
    const reloaded = await gateway.reload(loadConfig(site.configFile))
    expect(reloaded.problems.map(({ use }) => use)).toEqual(['none', 'earlier'])
    await old.closed()
    expect(await statuses(world.second, untrusted)).toEqual([0, 200])

    put(site, 'sandbox.pem', world.sandbox)
    rmSync(trustFile(site, 'bank-b/next.pem'))
    put(site, 'bank-a/first.pem', untrusted)
    expect((await reloadNow(site)).body.problems).toEqual([])
    expect(await statuses(sandbox, untrusted)).toEqual([200, 200])
  })

  it('files that cannot be used leave everything as it is, say why, and never open the door to public roots', async () => {
    const site = await siteOf(world, server)
    // Were no authority given to TLS, it would trust all public ones, and with them this.
    const gateway = await spawnGateway(site, ['env', `NODE_EXTRA_CA_CERTS=${world.untrusted.issuing.chainFile}`])
    const { port } = gateway.callbacks
    const { first, second, sandbox, untrusted } = world
    const chain = second.issuing.chain
    const bad: [what: RegExp, content: string][] = [
      [/is empty/, ''],
      [/contains no certificate/, 'garbage'],
      [/copy the whole file again/, chain.slice(0, 400)],
      [/copy the whole file again/, chain.slice(0, -60)],
      [/is not a CA certificate/, first.caller.cert],
      [/does not lead to a self-signed root/, second.issuing.cert],
      [/issues callers in .* \(production\) and in .* \(sandbox\)/, sandbox.issuing.chain],
    ]
    const old = await openCaller(port, first.caller)
    for (const [what, content] of bad) {
      replace(trustFile(site, 'production.pem'), content)
      expect(await reloadNow(site)).toMatchObject({
        status: 200,
        body: { problems: [{ problem: expect.stringMatching(what), use: 'earlier' }] },
      })
      const statuses = [first, sandbox, second, untrusted].map(({ caller }) => callOnce(port, caller))
      expect(await Promise.all(statuses)).toEqual([200, 200, 0, 0])
      expect(await old.call('goes on')).toBe(200)
    }
    const told = await until(
      () => gateway.lines.filter(({ event }) => event === 'certificate.not_renewed'),
      (lines) => lines.length >= bad.length,
    )
    expect(told.every(({ level, what }) => level === 'error' && what === 'a chain of production')).toBe(true)

    put(site, 'production.pem', second)
    await until(
      () => callOnce(port, second.caller),
      (status) => status === 200,
    )
    await old.closed()
    expect(await callOnce(port, untrusted.caller)).toBe(0)
    expect(readFileSync(trustFile(site, 'production.pem'), 'utf8')).toBe(chain)
  })
})

/** Lets the caller's first words through, and holds back what follows: its certificate. */
async function startHoldingProxy(port: number) {
  const held = Promise.withResolvers<void>()
  const waiting: Buffer[] = []
  let state: 'hello' | 'holding' | 'open' = 'hello'
  let gateway: Socket | undefined
  const server = createServer((caller) => {
    gateway = connect(port, '127.0.0.1')
    gateway.pipe(caller)
    caller.on('data', (chunk: Buffer) => {
      if (state !== 'holding') gateway?.write(chunk)
      else if (waiting.push(chunk) === 1) held.resolve()
      if (state === 'hello') state = 'holding'
    })
    for (const socket of [caller, gateway]) {
      socket.on('error', () => undefined)
      onTestFinished(() => void socket.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return {
    port: (server.address() as AddressInfo).port,
    held: held.promise,
    release() {
      state = 'open'
      for (const chunk of waiting) gateway?.write(chunk)
    },
  }
}

function closing(subject: string): string {
  return requestOf(subject).replace('host: localhost', 'host: localhost\r\nconnection: close')
}
