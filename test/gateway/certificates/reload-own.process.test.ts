import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IssuedCertificate } from '../../support/authority.ts'
import { BASE_CALLBACKS, type LogLine, startTestGateway, type TestSite } from '../../support/gateway.ts'
import { callByOpenssl, hasOpenssl } from '../../support/openssl.ts'
import {
  callOnce,
  createWorld,
  installPair,
  openCaller,
  pairOf,
  reloadNow,
  replace,
  shownBy,
  siteOf,
  startLoad,
  subjectsOf,
  type World,
} from '../../support/reloading.ts'
import { until } from '../../support/until.ts'

/** Longer than the gateway waits for quiet, and shorter than it waits before it complains. */
const BETWEEN_MS = 500

const POST = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'

const errorsIn = (lines: readonly LogLine[]) => lines.filter(({ level }) => level === 'error')
const eventsIn = (lines: readonly LogLine[], event: string) => lines.filter((line) => line.event === event)

describe.skipIf(!hasOpenssl)('renewal of our own certificate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let world: World
  let servers: IssuedCertificate[]
  beforeAll(() => {
    world = createWorld(folder)
    servers = [1, 2, 3, 4, 5].map((n) => world.server(`server-${n}`))
  })
  const server = (n: number) => servers[n - 1] as IssuedCertificate
  const key = (n: number) => readFileSync(server(n).keyFile)

  it('closes nothing and loses nothing, whichever way and in whichever order the files are written', async () => {
    const site = await siteOf(world, server(1))
    const { cert: certFile, key: keyFile } = pairOf(site)
    const gateway = await startTestGateway(site)
    const { port } = gateway.callbacks
    const { caller } = world.first
    const old = await openCaller(port, caller)
    expect([old.server, await old.call('before')]).toEqual(['server-1', 200])
    const load = startLoad(port, caller)
    const isShown = (n: number) =>
      until(
        () => shownBy(port, caller),
        (name) => name === `server-${n}`,
      )

    replace(keyFile, key(2))
    await wait(BETWEEN_MS)
    replace(certFile, server(2).cert)
    await isShown(2)

    replace(certFile, server(3).cert)
    await wait(BETWEEN_MS)
    replace(keyFile, key(3))
    await isShown(3)

    writeFileSync(certFile, server(4).cert)
    writeFileSync(keyFile, key(4))
    await isShown(4)

    const { calls, failed } = await load.stop()
    expect(failed).toEqual([])
    expect(calls).toBeGreaterThan(15)
    expect(await old.call('after')).toBe(200)
    expect(await subjectsOf(gateway)).toHaveLength(calls + 2)
    expect(eventsIn(gateway.lines, 'certificate.renewed')).toHaveLength(3)
    expect(errorsIn(gateway.lines)).toEqual([])
  })

  it('is taken up where a link swings to another folder', async () => {
    const site = await siteOf(world, server(1), {
      callbacks: { ...BASE_CALLBACKS, certificate: 'live/server.crt', privateKey: 'live/server.key' },
    })
    for (const n of [1, 2]) {
      mkdirSync(join(site.folder, `v${n}`))
      writeFileSync(join(site.folder, `v${n}/server.crt`), server(n).cert)
      writeFileSync(join(site.folder, `v${n}/server.key`), key(n))
    }
    mkdirSync(join(site.folder, 'live'))
    symlinkSync('../v1', join(site.folder, 'live/current'))
    for (const name of ['server.crt', 'server.key']) symlinkSync(`current/${name}`, join(site.folder, 'live', name))
    const gateway = await startTestGateway(site)

    symlinkSync('../v2', join(site.folder, 'live/next'))
    renameSync(join(site.folder, 'live/next'), join(site.folder, 'live/current'))

    await until(
      () => shownBy(gateway.callbacks.port, world.first.caller),
      (name) => name === 'server-2',
    )
    expect(errorsIn(gateway.lines)).toEqual([])
  })

  it('with files that cannot be used leaves what works as it is, says why, and takes up the next good ones', async () => {
    const site = await siteOf(world, server(1))
    const { cert: certFile, key: keyFile } = pairOf(site)
    const gateway = await startTestGateway(site)
    const past = { notBefore: new Date(Date.now() - 2 * 86_400_000), notAfter: new Date(Date.now() - 86_400_000) }
    const expired = world.server('expired', past)
    const early = world.server('early', { notBefore: new Date(Date.now() + 86_400_000), days: 9 })
    const weak = world.server('weak', { keyType: 'rsa:1024' })
    const unspoken = world.server('unspoken', { keyType: 'ed448' })
    const bad: [what: RegExp, cert: string, key: string | Buffer][] = [
      [/is empty/, '', key(1)],
      [/contains no certificate/, 'garbage\n', key(1)],
      [/was cut off|copy the whole file again/, server(2).cert.slice(0, 300), key(2)],
      [/is not the key of/, server(2).cert, key(1)],
      [/contains no private key/, server(2).cert, 'garbage'],
      [/is not a whole private key|contains no private key/, server(2).cert, key(2).subarray(0, 100)],
      [/expired on/, expired.cert, readFileSync(expired.keyFile)],
      [/is not valid before/, early.cert, readFileSync(early.keyFile)],
      [/cannot be used for TLS/, weak.cert, readFileSync(weak.keyFile)],
      [/ed448/, unspoken.cert, readFileSync(unspoken.keyFile)],
    ]
    for (const [what, certificate, privateKey] of bad) {
      const before = gateway.lines.length
      replace(certFile, certificate)
      replace(keyFile, privateKey)
      expect(await reloadNow(site)).toMatchObject({
        status: 200,
        body: { problems: [{ problem: expect.stringMatching(what) }] },
      })
      const [told] = eventsIn(gateway.lines.slice(before), 'certificate.not_renewed')
      expect(told).toMatchObject({
        level: 'error',
        what: "the callback listener's certificate",
        problem: expect.stringMatching(what),
      })
      const caller = await openCaller(gateway.callbacks.port, world.first.caller)
      expect([caller.server, await caller.call('still there')]).toEqual(['server-1', 200])
    }
    expect(eventsIn(gateway.lines, 'certificate.renewed')).toEqual([])

    installPair(site, server(3))

    await until(
      () => shownBy(gateway.callbacks.port, world.first.caller),
      (name) => name === 'server-3',
    )
  })

  it('is loud where the files stay bad and no one asks', async () => {
    const site = await siteOf(world, server(1))
    const gateway = await startTestGateway(site)
    rmSync(pairOf(site).cert)
    const [told] = await until(
      () => eventsIn(gateway.lines, 'certificate.not_renewed'),
      (lines) => lines.length > 0,
    )
    expect(told).toMatchObject({ level: 'error', problem: expect.stringContaining('does not exist') })
    expect(await callOnce(gateway.callbacks.port, world.first.caller)).toBe(200)
  })

  it('comes to the charge listener and the API, too', async () => {
    const files = (site: string) => ({ certificate: `certs/${site}.crt`, privateKey: `certs/${site}.key` })
    const site = await siteOf(world, server(1), {
      chargeNotifications: {
        host: '127.0.0.1',
        port: 0,
        ...files('charges'),
        tokens: [{ environment: 'production', tokenFile: 'operator-token' }],
      },
      api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', ...files('api') },
    })
    for (const name of ['charges', 'api']) installPair(site, server(1), name)
    const gateway = await startTestGateway(site)
    const ports = [gateway.charges?.port ?? 0, gateway.api.port]
    const shown = () => Promise.all(ports.map((port) => shownBy(port, world.first.caller)))
    expect(await shown()).toEqual(['server-1', 'server-1'])

    installPair(site, server(2), 'charges')
    installPair(site, server(3), 'api')

    await until(shown, (names) => names.join() === 'server-2,server-3')
    // The complete set is passed again, and with it what the charge listener refuses.
    const old = ['-tls1_2', '-cipher', 'AES128-SHA', '-servername', 'localhost']
    expect(await callByOpenssl(ports[0] as number, old, POST)).toBe('')
    expect(await callByOpenssl(ports[0] as number, ['-tls1_2'], POST)).toContain('HTTP/1.1 404')
  })

  it('that came while the gateway started is found', async () => {
    const site: TestSite = await siteOf(world, server(1))
    const starting = startTestGateway(site)
    installPair(site, server(2))
    const gateway = await starting
    await until(
      () => shownBy(gateway.callbacks.port, world.first.caller),
      (name) => name === 'server-2',
    )
  })
})
