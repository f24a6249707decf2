import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAuthority, openAuthority } from '../../../src/certificates/authority/authority.ts'
import { issueCertificate } from '../../../src/certificates/authority/issuing.ts'
import { writeRevocationList } from '../../../src/certificates/authority/list.ts'
import { addRevocation, recordsOf } from '../../../src/certificates/authority/records.ts'
import { renewList, renewPair } from '../../../src/certificates/authority/renewing.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { portaria } from '../../cli/program.ts'
import { callApi, callBack } from '../../support/calls.ts'
import { createSite, OPERATOR_TOKEN, startTestGateway, type TestSite } from '../../support/gateway.ts'
import { callByOpenssl, hasOpenssl, openssl } from '../../support/openssl.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const DAY_MS = 86_400_000
const TLS_API = {
  host: '127.0.0.1',
  port: 0,
  operatorTokenFile: 'operator-token',
  certificate: 'certs/server.crt',
  privateKey: 'certs/server.key',
}

/** An authority of two months ago, as a folder of the site. */
async function privateAuthority({ folder }: TestSite, now = new Date()) {
  const at = join(folder, 'authority')
  await createAuthority({
    folder: at,
    name: 'ours',
    days: 3652,
    keyType: 'p256',
    now: new Date(now.getTime() - 60 * DAY_MS),
  })
  const authority = await openAuthority(at, now)
  return {
    at,
    authority,
    /** Files of a certificate with a new key. */
    async issue(name: string, { use = 'app', issuedAt = now, days = 90 } = {}) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const content = { use: use as 'app' | 'forwarding', name, publicKey, alternativeNames: [], client: null }
      const record = await issueCertificate(authority, content, { days }, issuedAt)
      const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
      writeFileSync(certificate, `${record.certificate}${authority.certificate}`)
      writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
      return { ...record, files: { certificate, key } }
    },
    revoke: (serial: string) => addRevocation(authority, { serial, revokedAt: now.toISOString(), reason: 'ended' }),
    list: (issuedAt = now) => writeRevocationList(authority, issuedAt),
  }
}

interface Files {
  readonly certificate: string
  readonly key: string
}

/** The status of an answer over a connection of openssl's with this certificate; 0: there was none. */
async function statusFor({ certs }: TestSite, port: number, { certificate, key }: Files): Promise<number> {
  const args = ['-cert', certificate, '-key', key, '-CAfile', join(certs, 'server-ca.crt')]
  const headers = `Host: localhost\r\nAuthorization: Bearer ${OPERATOR_TOKEN}\r\nConnection: close\r\n\r\n`
  const answer = await callByOpenssl(port, args, `GET /v1/events HTTP/1.1\r\n${headers}`)
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
}

async function openConnection({ certs }: TestSite, port: number, { certificate, key }: Files): Promise<TLSSocket> {
  const [cert, secret, ca] = [certificate, key, join(certs, 'server-ca.crt')].map((file) => readFileSync(file))
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', cert, key: secret, ca: ca as Buffer })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  socket.on('error', () => undefined)
  // Only an answer shows that the server has looked at the certificate.
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'data')
  return socket
}

describe.skipIf(!hasOpenssl)('certificates of a private authority (with openssl)', () => {
  const api = { ...TLS_API, clientCa: 'authority/ca.pem', clientCrl: ['authority/crl.pem'] }

  it('a revoked app is refused and its connections are closed, without a restart; others stay', async () => {
    const site = await createSite({ api })
    const { issue, revoke, list } = await privateAuthority(site)
    const [books, shop] = [await issue('books'), await issue('shop')]
    await list()
    const gateway = await startTestGateway(site)
    const { port } = gateway.api
    expect([await statusFor(site, port, books.files), await statusFor(site, port, shop.files)]).toEqual([200, 200])
    const [ofBooks, ofShop] = [
      await openConnection(site, port, books.files),
      await openConnection(site, port, shop.files),
    ]

    revoke(books.serial)
    await list()
    await until(() => ofBooks.destroyed, Boolean)
    expect([await statusFor(site, port, books.files), await statusFor(site, port, shop.files)]).toEqual([0, 200])
    expect(ofShop.closed).toBe(false)
    await until(() => gateway.lines.some((line) => line.code === 'certificate_revoked'), Boolean)
  })

  it.each([
    ['warn', 200],
    ['refuse', 0],
  ])('a list that has ended: %s gives %d', async (clientCrlExpired, status) => {
    const site = await createSite({ api: { ...api, clientCrlExpired } })
    const { issue, list } = await privateAuthority(site)
    const books = await issue('books')
    await list(new Date(Date.now() - 40 * DAY_MS))
    const gateway = await startTestGateway(site)
    expect(await statusFor(site, gateway.api.port, books.files)).toBe(status)
    await list()
    await gateway.reload(loadConfig(site.configFile))
    expect(await statusFor(site, gateway.api.port, books.files)).toBe(200)
  })

  it('a list of another authority keeps the gateway from starting, and a running one keeps the earlier list', async () => {
    const site = await createSite({ api })
    const { issue, list, revoke } = await privateAuthority(site)
    const books = await issue('books')
    revoke(books.serial)
    const { file } = await list()
    const mine = readFileSync(file)
    const other = await privateAuthority({ ...site, folder: join(site.folder, 'certs') })
    writeFileSync(file, readFileSync((await other.list()).file))
    await expect(startTestGateway(site)).rejects.toThrow(/remove it from api.clientCrl/)
    writeFileSync(file, mine)
    const gateway = await startTestGateway(site)
    expect(await statusFor(site, gateway.api.port, books.files)).toBe(0)
    writeFileSync(file, 'none')
    const { problems } = await gateway.reload(loadConfig(site.configFile))
    expect(problems).toEqual([expect.stringContaining('contains no revocation list')])
    expect(await statusFor(site, gateway.api.port, books.files)).toBe(0)
  })
})

/** A system of the integrator: it lets in what the authority issued and did not revoke, and notes the serial numbers. */
async function startSystem({ certs }: TestSite, authority: string) {
  const [cert, key] = ['server.crt', 'server.key'].map((name) => readFileSync(join(certs, name)))
  const [ca, crl] = ['ca.pem', 'crl.pem'].map((name) => readFileSync(join(authority, name)))
  const serials: string[] = []
  const server = createServer(
    { cert, key, ca, crl, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      serials.push((request.socket as TLSSocket).getPeerCertificate().serialNumber.toLowerCase())
      request.resume().on('end', () => response.end())
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/`, serials }
}

const leafOf = (file: string) => new X509Certificate(readFileSync(file))

describe.skipIf(!hasOpenssl)('what a private authority renews (with openssl)', () => {
  const now = new Date()
  const files = (site: TestSite) => ({
    certificate: join(site.folder, 'gateway.pem'),
    privateKey: join(site.folder, 'gateway.key'),
  })
  const longAgo = new Date(now.getTime() - 50 * DAY_MS)
  const due = { use: 'forwarding', issuedAt: longAgo, days: 60 }
  const siteIn = (folder: string) => ({ folder, configFile: '', certs: '' })

  it('the gateway renews its own certificate and the list, and shows the new one without a restart', async () => {
    const site = await createSite()
    const ours = await privateAuthority(site)
    const old = await ours.issue('gateway', due)
    await ours.list(new Date(now.getTime() - 20 * DAY_MS))
    const system = await startSystem(site, ours.at)
    const clientCertificate = { certificate: 'gateway.pem', privateKey: 'gateway.key' }
    const destination = { name: 'system', url: system.url, ca: 'certs/server-ca.crt' }
    await createSite(
      {
        certificates: { authority: 'authority' },
        forwarding: { allowedNetworks: ['127.0.0.0/8', '::1'], schedule: ['0s'], clientCertificate },
        destinations: [destination],
      },
      site.folder,
    )
    const gateway = await startTestGateway(site)
    const happened = (name: string, what: RegExp) =>
      until(() => gateway.lines.some(({ event, what: of }) => event === name && what.test(String(of))))
    await happened('authority.renewed', /crl\.pem$/)
    await happened('authority.renewed', /gateway\.pem$/)
    await happened('certificate.renewed', /client certificate for destinations/)
    await callBack(gateway, { body: '{"identificador":"1"}' })
    await until(() => system.serials.length > 0)
    const { serialNumber } = leafOf(files(site).certificate)
    expect(system.serials[0]).toBe(serialNumber.toLowerCase())
    expect(system.serials[0]).not.toBe(old.serial)
    const check = [
      'verify',
      '-x509_strict',
      '-purpose',
      'sslclient',
      '-crl_check',
      '-CRLfile',
      join(ours.at, 'crl.pem'),
    ]
    expect(openssl([...check, '-CAfile', join(ours.at, 'ca.pem'), files(site).certificate])).toContain(': OK')
    expect(readdirSync(site.folder).filter((name) => name.includes('previous'))).toEqual([])
    const { body } = await callApi(gateway.api, '/v1/certificates')
    const { data } = JSON.parse(body) as { data: { set: string; where: string; state: string }[] }
    const issued = data
      .filter(({ set }) => set === 'issued' || set === 'authority')
      .map((one) => `${one.set} ${one.state}`)
    expect(issued.sort()).toEqual(['authority valid', 'issued replaced', 'issued valid'])
  })

  it('nothing before two thirds of the lifetime, of another authority, or after a revocation', async () => {
    const folder = temporaryFolder()
    const ours = await privateAuthority(siteIn(folder))
    const fresh = await ours.issue('gateway', { use: 'forwarding', issuedAt: longAgo, days: 90 })
    const pair = files(siteIn(folder))
    expect(await renewPair(ours.at, pair, now)).toBeNull()
    expect(leafOf(pair.certificate).serialNumber.toLowerCase()).toBe(fresh.serial)
    const other = await privateAuthority(siteIn(temporaryFolder()))
    await ours.issue('gateway', due)
    expect(await renewPair(other.at, pair, now)).toBeNull()
    ours.revoke(leafOf(pair.certificate).serialNumber.toLowerCase())
    await expect(renewPair(ours.at, pair, now)).rejects.toThrow(/was revoked, so it is not renewed/)
    await ours.list()
    expect([await renewList(ours.at, now), existsSync(join(ours.at, 'renewal.lock'))]).toEqual([null, false])
  })

  it('a failure leaves the pair and the records as they were', async () => {
    const folder = temporaryFolder()
    const ours = await privateAuthority(siteIn(folder))
    await ours.issue('gateway', due)
    const pair = files(siteIn(folder))
    const before = [readFileSync(pair.certificate, 'utf8'), readFileSync(pair.privateKey, 'utf8')]
    // A folder is where the key is to be written, so that the write fails for root too.
    await expect(renewPair(ours.at, { ...pair, privateKey: join(folder, 'authority') }, now)).rejects.toThrow()
    const key = readFileSync(join(ours.at, 'ca.key'))
    rmSync(join(ours.at, 'ca.key'))
    await expect(renewPair(ours.at, pair, now)).rejects.toThrow(/ca.key/)
    writeFileSync(join(ours.at, 'ca.key'), key)
    const clock = new Date(now.getTime() - 365 * DAY_MS)
    await expect(openAuthority(ours.at, clock)).rejects.toThrow(/is not valid before .*clock/)
    expect([readFileSync(pair.certificate, 'utf8'), readFileSync(pair.privateKey, 'utf8')]).toEqual(before)
    expect([recordsOf(ours.authority).length, existsSync(join(ours.at, 'renewal.lock'))]).toEqual([1, false])
  })

  it('of nodes that share the files one renews them; what a killed one left half is completed', async () => {
    const folder = temporaryFolder()
    const ours = await privateAuthority(siteIn(folder))
    await ours.issue('gateway', due)
    const pair = files(siteIn(folder))
    const isPair = () => leafOf(pair.certificate).checkPrivateKey(createPrivateKey(readFileSync(pair.privateKey)))
    const renewed = await Promise.all([1, 2, 3, 4].map(() => renewPair(ours.at, pair, now)))
    expect([renewed.filter((one) => one !== null).length, isPair()]).toEqual([1, true])

    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    writeFileSync(pair.privateKey, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const lock = join(ours.at, 'renewal.lock')
    writeFileSync(lock, 'killed')
    expect([await renewPair(ours.at, pair, now), isPair()]).toEqual([null, false])
    const old = new Date(Date.now() - 3_600_000)
    utimesSync(lock, old, old)
    expect([(await renewPair(ours.at, pair, now))?.what, isPair()]).toEqual([pair.certificate, true])
    expect(readdirSync(ours.at).sort()).toEqual(['ca.key', 'ca.pem', 'issued', 'revoked'])
  })
})

describe.skipIf(!hasOpenssl)('clients certificate (with openssl)', () => {
  it('serves its client alone: another one gets no token with it, and cannot use one', async () => {
    const api = { ...TLS_API, clientCa: 'authority/ca.pem', clientCrl: ['authority/crl.pem'] }
    const site = await createSite({ api, certificates: { authority: 'authority' } })
    const ours = await privateAuthority(site)
    await ours.list()
    const plain = await ours.issue('plain')
    const { api: at } = await startTestGateway(site)

    async function createClient(name: string): Promise<string> {
      const args = ['--name', name, '--environment', 'any', '--scopes', 'events.read', '--json']
      const { stdout } = await portaria(site, 'clients', 'create', ...args)
      const { clientId, clientSecret } = JSON.parse(stdout) as { clientId: string; clientSecret: string }
      return Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
    }
    const [books, shop] = [await createClient('books'), await createClient('shop')]
    const made = await portaria(site, 'clients', 'certificate', 'books', '--out', site.folder, '--json')
    expect([made.code, made.stderr]).toEqual([0, ''])
    const { certificate, privateKey, client } = JSON.parse(made.stdout) as Record<string, string>
    const own = { certificate: certificate ?? '', key: privateKey ?? '' }
    expect(openssl(['x509', '-in', own.certificate, '-noout', '-ext', 'subjectAltName'])).toContain(
      `URI:urn:portaria:client:${client}`,
    )

    async function ask(files: Files | null, head: string, body = ''): Promise<string> {
      const shown = files === null ? [] : ['-cert', files.certificate, '-key', files.key]
      const args = [...shown, '-CAfile', join(site.certs, 'server-ca.crt')]
      const length = `Content-Length: ${body.length}\r\n`
      return callByOpenssl(at.port, args, `${head}\r\nHost: localhost\r\n${length}Connection: close\r\n\r\n${body}`)
    }
    const form = 'Content-Type: application/x-www-form-urlencoded'
    const tokenFor = (files: Files | null, basic: string) =>
      ask(
        files,
        `POST /oauth/token HTTP/1.1\r\nAuthorization: Basic ${basic}\r\n${form}`,
        'grant_type=client_credentials',
      )
    const tokenIn = (answer: string) => /"access_token":"([^"]+)"/.exec(answer)?.[1] ?? ''
    const events = (files: Files | null, token: string) =>
      ask(files, `GET /v1/events HTTP/1.1\r\nAuthorization: Bearer ${token}`)

    const ofBooks = tokenIn(await tokenFor(own, books))
    expect(await events(own, ofBooks)).toMatch(/^HTTP\/1\.1 200/)
    expect(await events(plain.files, ofBooks)).toMatch(/^HTTP\/1\.1 401/)
    const refused = await tokenFor(own, shop)
    expect(refused).toMatch(/^HTTP\/1\.1 401/)
    expect(refused).toContain('that of another client')
    // A certificate that names no client is as before.
    expect(tokenIn(await tokenFor(plain.files, shop))).not.toBe('')
    const ofShop = tokenIn(await tokenFor(null, shop))
    expect(await events(null, ofShop)).toMatch(/^HTTP\/1\.1 200/)
    expect(await events(plain.files, ofShop)).toMatch(/^HTTP\/1\.1 200/)
    expect(await events(own, ofShop)).toMatch(/^HTTP\/1\.1 401/)

    await portaria(site, 'clients', 'revoke', 'shop')
    const late = await portaria(site, 'clients', 'certificate', 'shop', '--out', site.folder)
    expect(late.code).toBe(1)
  })
})
