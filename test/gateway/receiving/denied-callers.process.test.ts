import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { loadConfig } from '../../../src/config/load-config.ts'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { BASE_CALLBACKS, startTestGateway, type TestGateway, type TestSite } from '../../support/gateway.ts'
import { callByOpenssl, hasOpenssl } from '../../support/openssl.ts'
import {
  callOnce,
  createWorld,
  openCaller,
  reloadNow,
  replace,
  requestOf,
  siteOf,
  subjectsOf,
  type World,
} from '../../support/reloading.ts'
import { derOf, makeRevocationList } from '../../support/revocation-lists.ts'
import { until } from '../../support/until.ts'

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const
const DAY_MS = 86_400_000

describe.skipIf(!hasOpenssl)('callers that are denied or revoked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-denied-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let world: World
  let server: IssuedCertificate
  let root: IssuedCertificate
  let issuing: IssuedCertificate
  let good: IssuedCertificate
  let bad: IssuedCertificate
  const { issue } = createAuthority(join(folder, 'service'))
  beforeAll(() => {
    world = createWorld(join(folder, 'world'))
    server = world.server('server')
    root = issue({ name: 'service-root', ca: true })
    const published = [
      'basicConstraints = critical,CA:TRUE,pathlen:0',
      'keyUsage = critical,digitalSignature,keyCertSign,cRLSign',
      'subjectKeyIdentifier = hash',
    ]
    issuing = issue({ name: 'service-issuing', issuer: root, extensions: published })
    good = issue({ name: 'good', issuer: issuing })
    bad = issue({ name: 'bad', issuer: issuing, serial: '00ABCDEF' })
  })

  /** The settings of the production chain; sandbox as always. */
  const callbacksWith = (settings: object) => ({
    ...BASE_CALLBACKS,
    trust: [
      { environment: 'production', chain: 'certs/trust/production.pem', ...settings },
      { environment: 'sandbox', chain: 'certs/trust/sandbox.pem' },
    ],
  })

  async function start(settings: object = {}, lists: Record<string, string | Buffer> = {}) {
    const site = await siteOf(world, server, { callbacks: callbacksWith(settings) })
    replace(join(site.certs, 'trust/production.pem'), issuing.chain)
    for (const [name, list] of Object.entries(lists)) replace(join(site.folder, name), list)
    const gateway = await startTestGateway(site)
    return { site, gateway, port: gateway.callbacks.port }
  }

  async function reconfigure(site: TestSite, gateway: TestGateway, settings: object) {
    const { file: _file, ...config } = { file: site.configFile, ...(await configOf(site)) }
    writeFileSync(site.configFile, stringify({ ...config, callbacks: callbacksWith(settings) }))
    return gateway.reload(loadConfig(site.configFile))
  }

  async function codesSince(gateway: TestGateway, at: number, count: number): Promise<unknown[]> {
    const refused = await until(
      () => gateway.lines.slice(at).filter(({ event }) => event === 'caller.refused'),
      (lines) => lines.length >= count,
    )
    return refused.map(({ code }) => code)
  }

  const list = (options: Partial<Parameters<typeof makeRevocationList>[1]> = {}) =>
    makeRevocationList(folder, { issuer: issuing, ...options })

  it.each([
    ['fingerprints', (cert: X509Certificate) => cert.fingerprint256],
    ['fingerprints', (cert: X509Certificate) => cert.fingerprint256.replaceAll(':', '').toLowerCase()],
    ['serials', () => '00:AB:cd:EF'],
    ['serials', () => '0xabcdef'],
  ])(
    'a reload that denies %s closes open connections and refuses new ones, of that caller alone',
    async (key, named) => {
      const { site, gateway, port } = await start()
      const old = await Promise.all(VERSIONS.map((version) => openCaller(port, bad, { version })))
      const staying = await openCaller(port, good)
      for (const caller of [...old, staying]) expect(await caller.call('before')).toBe(200)
      const at = gateway.lines.length

      await reconfigure(site, gateway, { deny: { [key]: [named(new X509Certificate(bad.cert))] } })

      for (const caller of old) expect(await caller.call('old connection')).toBe(0)
      for (const version of VERSIONS) expect(await callOnce(port, bad, 'denied', { version })).toBe(0)
      expect(await codesSince(gateway, at, 2)).toEqual(['caller_denied', 'caller_denied'])
      expect(await staying.call('after')).toBe(200)
      expect(await subjectsOf(gateway)).toEqual(['before', 'after'])

      await reconfigure(site, gateway, {})
      expect(await callOnce(port, bad, 'again')).toBe(200)
    },
  )

  it('a certificate that expires while its connection is open is refused from its next request on', async () => {
    const { gateway, port } = await start()
    const passing = issue({ name: 'passing', issuer: issuing, notAfter: new Date(Date.now() + 5000) })
    const open = await Promise.all(VERSIONS.map((version) => openCaller(port, passing, { version })))
    const slow = await openCaller(port, passing)
    for (const caller of open) expect(await caller.call('in time')).toBe(200)
    const begun = requestOf('begun in time')
    slow.write(begun.slice(0, -1))
    const at = gateway.lines.length

    const { validTo } = new X509Certificate(passing.cert)
    await until(() => Date.now() >= Date.parse(validTo))
    for (const caller of open) {
      expect(await caller.call('too late')).toBe(403)
      await caller.closed()
    }
    slow.write(begun.slice(-1))
    // The answer to the request that was under way comes first.
    expect(await slow.call('too late')).toBe(200)
    await slow.closed()

    expect(await codesSince(gateway, at, 3)).toEqual(['expired', 'expired', 'expired'])
    expect(await callOnce(port, passing, 'anew')).toBe(0)
    expect(await subjectsOf(gateway)).toEqual(['in time', 'begun in time'])
  })

  it('the issuing certificate itself as caller can be denied, and its connections end with its chain', async () => {
    const { site, gateway, port } = await start()
    const itself = await Promise.all(VERSIONS.map((version) => openCaller(port, issuing, { version })))
    for (const caller of itself) expect(await caller.call('itself')).toBe(200)

    const { fingerprint256 } = new X509Certificate(issuing.cert)
    await reconfigure(site, gateway, { deny: { fingerprints: [fingerprint256] } })
    for (const caller of itself) expect(await caller.call('denied')).toBe(0)
    expect(await callOnce(port, issuing)).toBe(0)
    // Nothing that it sends is read as HTTP: not even what is no request gets an answer.
    const own = ['-cert', issuing.certFile, '-key', issuing.keyFile]
    expect(await callByOpenssl(port, own, 'garbage\r\n\r\n')).toBe('')
    expect(await callOnce(port, good)).toBe(200)

    await reconfigure(site, gateway, {})
    const again = await openCaller(port, issuing)
    expect(await again.call('again')).toBe(200)
    replace(join(site.certs, 'trust/production.pem'), world.first.issuing.chain)
    await again.closed()
    expect(await callOnce(port, issuing)).toBe(0)
  })

  it('a revocation list that changes is taken up by itself: open connections of the revoked end, in PEM and DER', async () => {
    const lists = { 'issuing.crl': derOf(list()), 'root.crl': makeRevocationList(folder, { issuer: root }) }
    const { site, gateway, port } = await start({ crl: ['issuing.crl', 'root.crl'] }, lists)
    const old = await Promise.all(VERSIONS.map((version) => openCaller(port, bad, { version })))
    const staying = await openCaller(port, good)
    for (const caller of [...old, staying]) expect(await caller.call('before')).toBe(200)
    const at = gateway.lines.length

    replace(join(site.folder, 'issuing.crl'), list({ revoked: [bad] }))
    for (const caller of old) await caller.closed()

    for (const version of VERSIONS) {
      expect(await callOnce(port, bad, 'revoked', { version })).toBe(0)
      const own = [version === 'TLSv1.2' ? '-tls1_2' : '-tls1_3', '-cert', bad.certFile, '-key', bad.keyFile]
      expect(await callByOpenssl(port, own, requestOf('revoked'))).toBe('')
    }
    expect(await codesSince(gateway, at, 4)).toEqual(Array(4).fill('certificate_revoked'))
    expect(await staying.call('after')).toBe(200)
    expect((await subjectsOf(gateway)).filter((subject) => subject === 'revoked')).toEqual([])
  })

  it('of several lists in one PEM file every one counts', async () => {
    const both = makeRevocationList(folder, { issuer: root }) + list({ revoked: [bad] })
    const { port } = await start({ crl: ['all.crl'] }, { 'all.crl': both })
    expect(await Promise.all([bad, good].map((caller) => callOnce(port, caller)))).toEqual([0, 200])
  })

  it('callers of a CA certificate that the root revoked are refused, and so is that certificate itself', async () => {
    const { site, gateway, port } = await start({ crl: ['all.crl'] }, { 'all.crl': list() })
    const old = await openCaller(port, good)
    expect(await old.call('before')).toBe(200)
    expect(gateway.lines.map(({ warning }) => warning)).toContainEqual(
      expect.stringMatching(/no revocation list under crl is of "CN=service-root".*name its file under crl/),
    )
    const at = gateway.lines.length

    replace(join(site.folder, 'all.crl'), list() + makeRevocationList(folder, { issuer: root, revoked: [issuing] }))
    await old.closed()

    expect(await Promise.all([good, issuing].map((caller) => callOnce(port, caller)))).toEqual([0, 0])
    expect(await codesSince(gateway, at, 2)).toEqual(['certificate_revoked', 'certificate_revoked'])
    expect(await callOnce(port, world.sandbox.caller)).toBe(200)
  })

  it('a list that is out of date counts on with a warning, or lets no one in, as crlExpired says', async () => {
    const past = { thisUpdate: new Date(Date.now() - 9 * DAY_MS), nextUpdate: new Date(Date.now() - DAY_MS) }
    const all = list({ revoked: [bad], ...past }) + makeRevocationList(folder, { issuer: root })
    const { site, gateway, port } = await start({ crl: ['all.crl'] }, { 'all.crl': all })
    expect(await Promise.all([bad, good].map((caller) => callOnce(port, caller)))).toEqual([0, 200])
    expect(gateway.lines.map(({ warning }) => warning)).toContainEqual(
      expect.stringMatching(/the revocation list of "service-issuing" expired on .*: install the current one/),
    )
    const at = gateway.lines.length

    await reconfigure(site, gateway, { crl: ['all.crl'], crlExpired: 'refuse' })
    expect(await Promise.all([bad, good].map((caller) => callOnce(port, caller)))).toEqual([0, 0])
    expect((await codesSince(gateway, at, 2)).toSorted()).toEqual(['certificate_revoked', 'crl_expired'])

    replace(join(site.folder, 'all.crl'), list({ revoked: [bad] }) + makeRevocationList(folder, { issuer: root }))
    await until(
      () => callOnce(port, good),
      (status) => status === 200,
    )
    expect(await callOnce(port, bad)).toBe(0)
  })

  it('a newer list takes the place of an older one', async () => {
    const older = list({ revoked: [bad], thisUpdate: new Date(Date.now() - 2 * DAY_MS) })
    const { port } = await start(
      { crl: ['all.crl'] },
      { 'all.crl': older + list() + makeRevocationList(folder, { issuer: root }) },
    )
    expect(await callOnce(port, bad)).toBe(200)
  })

  it('a list that cannot be used leaves what is in use, and says why', async () => {
    const lists = { 'all.crl': list({ revoked: [bad] }) + makeRevocationList(folder, { issuer: root }) }
    const { site, port } = await start({ crl: ['all.crl'], crlExpired: 'refuse' }, lists)
    const twin = issue({ name: 'twin', subject: '/CN=service-issuing', ca: true })
    for (const [what, content] of [
      [/is signed by no CA certificate of the chain/, list() + makeRevocationList(folder, { issuer: twin })],
      [/is damaged or none at all/, derOf(list()).subarray(0, 90)],
      [/contains no revocation list/, ''],
      [/no revocation list under crl is of "CN=service-root"/, list()],
    ] as const) {
      replace(join(site.folder, 'all.crl'), content)
      const { status, body } = await reloadNow(site)
      expect([status, body.problems.map(({ problem }) => problem).join()]).toEqual([200, expect.stringMatching(what)])
      expect(await Promise.all([bad, good].map((caller) => callOnce(port, caller)))).toEqual([0, 200])
    }
  })

  it('a chain whose usage: any is taken back loses the callers that it let in, and a caller without a certificate never gets in', async () => {
    const forServers = issue({
      name: 'for-servers',
      issuer: issuing,
      extensions: [
        'keyUsage = digitalSignature',
        'extendedKeyUsage = serverAuth',
        'subjectAltName = DNS:calls.example',
      ],
    })
    const any = { usage: 'any', allow: { subjectAlternativeNames: ['calls.example'] } }
    const { site, gateway, port } = await start(any)
    for (const version of VERSIONS) {
      const flag = version === 'TLSv1.2' ? '-tls1_2' : '-tls1_3'
      expect(await alertOf(port, flag)).toMatch(/alert (handshake failure|certificate required)/)
      const session = join(site.folder, `session-${version}`)
      const own = [flag, '-cert', forServers.certFile, '-key', forServers.keyFile]
      const request = requestOf('let in').replace('\r\n', '\r\nconnection: close\r\n')
      expect(await callByOpenssl(port, [...own, '-sess_out', session], request)).toContain('HTTP/1.1 200')
    }
    const old = await openCaller(port, forServers)
    expect(await old.call('let in')).toBe(200)
    const at = gateway.lines.length

    await reconfigure(site, gateway, { allow: any.allow })

    expect(await old.call('too late')).toBe(0)
    for (const version of VERSIONS) expect(await callOnce(port, forServers, 'too late', { version })).toBe(0)
    expect(await codesSince(gateway, at, 2)).toEqual(['wrong_usage', 'wrong_usage'])
    expect(gateway.lines.findLast(({ event }) => event === 'caller.refused')).toMatchObject({
      environment: 'production',
      reason: expect.stringContaining('write usage: any and allow (who it is) under its chain in the configuration'),
    })
  })
})

async function alertOf(port: number, flag: string): Promise<string> {
  const { spawn } = await import('node:child_process')
  const child = spawn('openssl', ['s_client', flag, '-connect', `127.0.0.1:${port}`], { timeout: 10_000 })
  child.stdin.write(requestOf('without a certificate'))
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  return new Promise((resolve) => child.on('close', () => resolve(said)))
}

async function configOf(site: TestSite): Promise<Record<string, unknown>> {
  const { readFileSync } = await import('node:fs')
  const { parse } = await import('yaml')
  return parse(readFileSync(site.configFile, 'utf8')) as Record<string, unknown>
}
