import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { checkClock } from '../../src/cli/check/clock.ts'
import type { Finding } from '../../src/cli/check/finding.ts'
import { checkStorage } from '../../src/cli/check/storage.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { callApi, callBack } from '../support/calls.ts'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { reservePort } from '../support/ports.ts'
import {
  type Certificates,
  findingsAt,
  makeCertificates,
  type ProductionSite,
  productionSite,
  SERVER_EXTENSIONS,
  startServer,
  troubleIn,
} from './checking.ts'
import { inShell, linesOf } from './program.ts'

describe.skipIf(!hasOpenssl)('check, where the gateway works (with openssl)', () => {
  let certificates: Certificates
  let site: ProductionSite
  let ca: string

  beforeAll(() => {
    certificates = makeCertificates(mkdtempSync(join(tmpdir(), 'portaria-check-')))
    ca = certificates.root.certFile
  })
  afterAll(() => rmSync(certificates.folder, { recursive: true }))
  beforeEach(async () => {
    site = await productionSite(certificates)
  })

  describe('storage and clock', () => {
    it('a database that is damaged', async () => {
      const gateway = await startTestGateway(site)
      await gateway.stop()
      const file = join(site.folder, 'data/portaria.db')
      const bytes = readFileSync(file)
      bytes.fill(0xa5, 8192 * 3, statSync(file).size)
      writeFileSync(file, bytes)
      const rows = troubleIn(await findingsAt(site, { ca }), 'storage')
      expect(rows.map(([what, level]) => [what, level])).toContainEqual(['integrity', 'problem'])
    })

    it('a database that takes longer to check than it may', async () => {
      await startTestGateway(site)
      const config = loadConfig(site.configFile)
      const context = { config, now: new Date(), days: 30, authorities: null, progress: () => undefined, isQuiet: true }
      const findings = await checkStorage(context, 1)
      expect(findings.map(({ what, level }) => [what, level])).toEqual([
        ['database', 'good'],
        ['integrity', 'warning'],
        ['free space', expect.any(String)],
      ])
      expect(findings[1]?.found).toMatch(/^not finished within 0\.001 s: \d\.\d MiB$/)
    })

    it('a clock that is behind the latest event, or apart from that of others', async () => {
      const laboratory = await createSite()
      const gateway = await startTestGateway(laboratory)
      await callBack(gateway, { body: '{"identificador":"77"}' })
      const config = loadConfig(laboratory.configFile)
      const at = (ms: number) => checkClock(config, new Date(Date.now() + ms), [])
      expect((await at(0)).map(({ level }) => level)).toEqual(['good'])
      const behind = await at(-3_600_000)
      expect(behind.map(({ level }) => level)).toContain('problem')
      expect(behind.map(({ found }) => found).join()).toContain('but the latest event was received at')
      const others = [1000, -60_000, 400_000].map((aheadMs) => ({ whose: 'app', aheadMs }))
      expect((await checkClock(config, new Date(), others)).slice(1).map(({ level, found }) => [level, found])).toEqual(
        [
          ['good', 'the two agree'],
          ['warning', "this machine's clock is 60 s behind"],
          ['problem', "this machine's clock is 400 s ahead"],
        ],
      )
    })
  })

  describe('listeners', () => {
    it('a port that is taken, and one that two listeners want', async () => {
      await listening(site.port)
      expect(troubleIn(await findingsAt(site, { ca }), 'listeners').map((row) => row.slice(0, 3))).toEqual([
        ['callbacks', 'problem', `127.0.0.1:${site.port} is taken by another program`],
      ])
      const port = await reservePort()
      const { callbacks, api } = site.configuration
      site.write({ callbacks: { ...callbacks, port }, api: { ...api, port } })
      expect(troubleIn(await findingsAt(site, { ca }), 'configuration').map((row) => row[2])).toEqual([
        expect.stringContaining('is the port of callbacks'),
      ])
    })

    it('a gateway that runs with another configuration, or does not answer where it should', async () => {
      await startTestGateway(site)
      const { callbacks, api } = site.configuration
      const port = await reservePort()
      const other = await listening(0)
      site.write({
        callbacks: { ...callbacks, port, certificate: 'certs/server.pem' },
        api: { ...api, port: other },
      })
      const rows = troubleIn(await findingsAt(site, { ca }), 'listeners').map((row) => row.slice(0, 3))
      expect(rows).toEqual([
        ['callbacks', 'problem', expect.stringContaining(`the gateway runs, but 127.0.0.1:${port} does not answer`)],
        ['api', 'problem', expect.stringContaining('answers HTTP 200, which is not this gateway')],
      ])
    })

    it.each([
      ['that was cut off', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 120))],
      ['that was removed', (file: string) => rmSync(file)],
      ['that became something else', (file: string) => writeFileSync(file, Buffer.from('3082010002010330', 'hex'))],
    ])(
      'a certificate or key %s leaves every listener answering, and nothing advises a restart that would fail',
      async (_, spoil) => {
        const { callbacks, api } = site.configuration
        const tls = { certificate: 'certs/server.pem', privateKey: 'certs/server.key' }
        site.write({ api: { ...api, ...tls, clientCa: 'certs/root.crt', clientCertificates: 'required' } })
        await startTestGateway(site)
        for (const name of [callbacks.certificate, callbacks.privateKey]) {
          const file = join(site.folder, name)
          const before = readFileSync(file)
          spoil(file)
          const findings = await findingsAt(site, { ca })
          writeFileSync(file, before)
          expect(troubleIn(findings, 'certificates').map(([what]) => what)).toContain('callbacks: key and chain')
          expect(troubleIn(findings, 'listeners')).toEqual([])
          expect(findings.map(({ nextStep }) => nextStep).join()).not.toContain('restart')
          if (name === callbacks.certificate)
            expect(findings.find(({ area, what }) => area === 'listeners' && what === 'callbacks')?.found).toMatch(
              /answers with the certificate in use; .* cannot be used now/,
            )
        }
        const port = await reservePort()
        site.write({ callbacks: { ...callbacks, port } })
        spoil(join(site.folder, callbacks.certificate))
        const [silent] = troubleIn(await findingsAt(site, { ca }), 'listeners')
        expect(silent?.[3]).toMatch(/^correct the files first .* the gateway would not start again$/)
      },
    )

    it('a limit of open files that is too low for all connections, or for any; then nothing starts', async () => {
      const openFiles = async (limit: number) => {
        const checked = await inShell(site, `ulimit -n ${limit}; portaria check --ca ${ca} --json`)
        return linesOf(checked).find(({ what }) => what === 'open files')
      }
      expect(await openFiles(1024)).toMatchObject({
        level: 'warning',
        found: expect.stringMatching(
          /limit of 1024 lowers the connections: callbacks \d+ instead of 2000, api \d+ instead/,
        ),
        nextStep: expect.stringContaining('LimitNOFILE='),
      })
      expect(await openFiles(200)).toMatchObject({
        level: 'problem',
        found: expect.stringContaining('needs at least 288'),
      })
      const served = await inShell(site, 'ulimit -n 200; portaria serve')
      expect([served.code, served.stderr]).toEqual([1, expect.stringContaining('needs at least 288: raise the limit')])
    })

    it('an API that lets no one in without a certificate: it is looked at, and asked on the control socket', async () => {
      const { api } = site.configuration
      const strict = {
        certificate: 'certs/server.pem',
        privateKey: 'certs/server.key',
        clientCa: 'certs/root.crt',
        clientCertificates: 'required',
      }
      site.write({ api: { ...api, ...strict } })
      await startTestGateway(site)
      const findings = (await findingsAt(site, { ca })).filter(({ what }) => what === 'api')
      expect(findings.map(({ level, found }) => [level, found])).toEqual([
        ['good', `127.0.0.1:${api.port} shows the configured certificate, and refuses a caller without one`],
        ['good', `${site.folder}/data/control.sock answers: ready`],
      ])
    })

    it('an API that lets callers in without a certificate, though the configuration asks for one', async () => {
      const { api } = site.configuration
      const own = { certificate: 'certs/server.pem', privateKey: 'certs/server.key', clientCa: 'certs/root.crt' }
      site.write({ api: { ...api, ...own } })
      await startTestGateway(site)
      site.write({ api: { ...api, ...own, clientCertificates: 'required' } })
      expect(troubleIn(await findingsAt(site, { ca }), 'listeners').map((row) => row.slice(0, 3))).toEqual([
        ['api', 'problem', `127.0.0.1:${api.port} accepts a caller that has no certificate`],
      ])
    })

    it.each([
      ['over TLS', { certificate: 'certs/server.pem', privateKey: 'certs/server.key' }],
      ['by plain http', {}],
    ])('a charge listener %s whose allowed addresses leave this machine out is good', async (_, tls) => {
      writeFileSync(join(site.folder, 'charge-token'), 'charge-token-of-a-test-0123456789', { mode: 0o600 })
      const tokens = [{ environment: 'production', tokenFile: 'charge-token' }]
      const charges = { host: '127.0.0.1', port: await reservePort(), tokens, ...tls }
      const { callbacks } = site.configuration
      const kinds = { ...callbacks.kinds, charge: { path: '/callbacks/charge' } }
      const allow = (address: string) =>
        site.write({
          callbacks: { ...callbacks, kinds },
          chargeNotifications: { ...charges, allowedAddresses: [address] },
        })
      allow('192.0.2.0/24')
      await startTestGateway(site)
      const isCharges = ({ area, what }: Finding) => area === 'listeners' && what === 'chargeNotifications'
      expect((await findingsAt(site, { ca })).find(isCharges)).toMatchObject({
        level: 'good',
        nextStep: null,
        found: `127.0.0.1:${charges.port} closes connections of this machine, whose address is not in chargeNotifications.allowedAddresses: nothing more is known of it`,
      })
      // The gateway has the earlier list.
      allow('127.0.0.1')
      expect((await findingsAt(site, { ca })).find(isCharges)?.code).toBe('listener.silent')
    })

    it('a certificate that the gateway has not taken up', async () => {
      await startTestGateway(site)
      const next = { issuer: certificates.intermediate, extensions: SERVER_EXTENSIONS, days: 200 }
      const renewed = certificates.authority.issue({ name: 'renewed', ...next })
      // Under another name, so that a gateway that watches its files goes on with the old one.
      writeFileSync(join(site.certs, 'renewed.pem'), renewed.cert + certificates.intermediate.cert)
      writeFileSync(join(site.certs, 'renewed.key'), readFileSync(renewed.keyFile), { mode: 0o600 })
      const { callbacks } = site.configuration
      site.write({ callbacks: { ...callbacks, certificate: 'certs/renewed.pem', privateKey: 'certs/renewed.key' } })
      expect(troubleIn(await findingsAt(site, { ca }), 'listeners').map((row) => row.slice(0, 3))).toEqual([
        [
          'callbacks',
          'problem',
          `127.0.0.1:${site.port} sends another certificate than ${site.certs}/renewed.pem: "CN=server"`,
        ],
      ])
    })
  })

  describe('destinations', () => {
    const found = async (...destinations: object[]) => {
      site.write({ destinations })
      return troubleIn(await findingsAt(site, { ca }), 'destinations').map((row) => row.slice(0, 3))
    }

    it('are connected to as deliveries are, and get none', async () => {
      const { cert, key } = { cert: certificates.server.chain, key: readFileSync(certificates.server.keyFile) }
      const server = await startServer({ cert, key })
      const closed = await reservePort()
      const url = `https://localhost:${server.port}/hook`
      const rows = await found(
        { name: 'good', url, ca: certificates.root.certFile },
        { name: 'unknown-authority', url },
        { name: 'closed', url: `http://127.0.0.1:${closed}/` },
        { name: 'forbidden', url: 'https://10.1.2.3/' },
      )
      // An address that is forbidden is a mistake of the configuration already, and then no one is called.
      expect(rows).toEqual([])
      expect(server.seen).toEqual([])
      expect(
        await found(
          { name: 'good', url, ca: certificates.root.certFile },
          { name: 'unknown-authority', url },
          { name: 'closed', url: `http://127.0.0.1:${closed}/` },
        ),
      ).toEqual([
        [
          'unknown-authority',
          'warning',
          expect.stringMatching(
            /: TLS handshake failed: self-signed certificate in certificate chain; .*name that authority: ca: FILE/,
          ),
        ],
        ['closed', 'warning', `http://127.0.0.1:${closed}: connection refused`],
      ])
      expect(server.seen).toEqual(['HEAD /'])

      const offline = await findingsAt(site, { ca, offline: true })
      expect([troubleIn(offline, 'destinations'), server.seen]).toEqual([[], ['HEAD /']])
      await expect(findingsAt(site, { offline: true, url: site.url })).rejects.toThrow('--offline makes no connection')
      const good = (await findingsAt(site, { ca })).find(({ what }) => what === 'good')
      expect(good?.found).toBe(`https://localhost:${server.port} answers over TLSv1.3`)
    })

    it('a certificate of theirs that ends soon, and one of ours that cannot be shown', async () => {
      const leaf = certificates.authority.issue({
        name: 'receiver',
        issuer: certificates.intermediate,
        extensions: SERVER_EXTENSIONS,
        notBefore: new Date(Date.now() - 81 * 86_400_000),
        notAfter: new Date(Date.now() + 8.5 * 86_400_000),
      })
      const server = await startServer({ cert: leaf.chain, key: readFileSync(leaf.keyFile) })
      const books = { name: 'books', url: `https://localhost:${server.port}/`, ca: certificates.root.certFile }
      expect(await found(books)).toEqual([
        ['books: dates', 'warning', expect.stringContaining('"CN=receiver" expires in 8 days')],
      ])
      const { forwarding } = site.configuration
      const clientCertificate = { certificate: 'certs/none.crt', privateKey: 'certs/none.key' }
      site.write({ destinations: [books], forwarding: { ...forwarding, clientCertificate } })
      expect(troubleIn(await findingsAt(site, { ca }), 'destinations').map((row) => row.slice(0, 3))).toEqual([
        ['books', 'problem', expect.stringContaining('the client certificate cannot be used')],
      ])
    })

    it('those of the database count too, and paused ones are noted', async () => {
      const server = await listening(0)
      const { api } = await startTestGateway(site)
      for (const name of ['app', 'late']) {
        const settings = { name, url: `http://127.0.0.1:${server}/` }
        const created = await callApi(api, '/v1/destinations', { method: 'POST', body: settings })
        const { id } = JSON.parse(created.body)
        if (name === 'late') await callApi(api, `/v1/destinations/${id}/pause`, { method: 'POST', body: {} })
      }
      const findings = (await findingsAt(site, { ca })).filter(({ area }) => area === 'destinations')
      expect(findings.map(({ what, level }) => [what, level])).toEqual([
        ['app', 'good'],
        ['late', 'warning'],
        ['late', 'good'],
      ])
    })
  })
})

/** Something else than a gateway. */
async function listening(port: number): Promise<number> {
  const server: Server = createServer((_request, response) => response.end('hello'))
  onTestFinished(() => void server.close())
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}
