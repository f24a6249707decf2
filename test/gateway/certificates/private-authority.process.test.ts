import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createAuthority, openAuthority, readAuthority } from '../../../src/certificates/authority/authority.ts'
import { issueCertificate } from '../../../src/certificates/authority/issuing.ts'
import { writeRevocationList } from '../../../src/certificates/authority/list.ts'
import { addRevocation, recordsOf } from '../../../src/certificates/authority/records.ts'
import { problemOfRenewal, renewIssued, renewList, renewPair } from '../../../src/certificates/authority/renewing.ts'
import { issueWithKey } from '../../../src/cli/certs/issued-files.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { linesOf, portaria } from '../../cli/program.ts'
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
      const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
      const files = { certificate, privateKey: key, pkcs12: null, passwordFile: null }
      const content = { use: use as 'app' | 'forwarding', name, publicKey, alternativeNames: [], client: null, files }
      const record = await issueCertificate(authority, content, { days }, issuedAt)
      writeFileSync(certificate, `${record.certificate}${authority.certificate}`)
      writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
      return { serial: record.serial, files: { certificate, key } }
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
    expect(problems).toMatchObject([
      { problem: expect.stringContaining('contains no revocation list'), use: 'earlier' },
    ])
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
    const app = await ours.issue('books', { ...due, use: 'app' })
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
    await happened('authority.renewed', /books\.pem$/)
    expect(leafOf(app.files.certificate).serialNumber.toLowerCase()).not.toBe(app.serial)
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
    const replaced = ['issued replaced', 'issued replaced', 'issued valid', 'issued valid']
    expect(issued.sort()).toEqual(['authority valid', ...replaced])
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
    const earlier = readFileSync(pair.certificate)
    const renewed = await Promise.all([1, 2, 3, 4].map(() => renewPair(ours.at, pair, now)))
    expect([renewed.filter((one) => one !== null).length, isPair()]).toEqual([1, true])
    const later = leafOf(pair.certificate).serialNumber

    // It had recorded the certificate and written the key.
    writeFileSync(pair.certificate, earlier)
    expect(isPair()).toBe(false)
    expect((await renewPair(ours.at, pair, now))?.what).toBe(pair.certificate)
    expect([isPair(), leafOf(pair.certificate).serialNumber]).toEqual([true, later])
    expect(recordsOf(ours.authority)).toHaveLength(2)

    // Nothing was issued for this key: a person has put it there.
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    writeFileSync(pair.privateKey, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    expect([await renewPair(ours.at, pair, now), isPair()]).toEqual([null, false])
    expect(readdirSync(ours.at).sort()).toEqual(['ca.key', 'ca.pem', 'issued', 'revoked'])
  })

  it('a lock that was left counts for minutes of its own, whatever the clock and its file say', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const folder = temporaryFolder()
    const ours = await privateAuthority(siteIn(folder))
    await ours.issue('gateway', due)
    const pair = files(siteIn(folder))
    const lock = join(ours.at, 'renewal.lock')
    const renew = async () => (await renewPair(ours.at, pair, now)) !== null
    for (const days of [-365, 365]) {
      await ours.issue('gateway', due)
      writeFileSync(lock, `killed ${days}`)
      const date = new Date(Date.now() + days * DAY_MS)
      utimesSync(lock, date, date)
      expect(await renew()).toBe(false)
      vi.advanceTimersByTime(9 * 60_000)
      expect(await renew()).toBe(false)
      // Another process is at it now.
      writeFileSync(lock, `alive ${days}`)
      vi.advanceTimersByTime(2 * 60_000)
      expect(await renew()).toBe(false)
      vi.advanceTimersByTime(11 * 60_000)
      expect([await renew(), existsSync(lock)]).toEqual([true, false])
    }
  })
})

describe.skipIf(!hasOpenssl)('what is renewed for apps and institutions (with openssl)', () => {
  const YEAR_MS = 365 * DAY_MS
  const later = new Date(Date.now() + 300 * DAY_MS)
  const keyIn = (file: string) => openssl(['x509', '-in', file, '-noout', '-pubkey'])
  const serialIn = (file: string) => leafOf(file).serialNumber.toLowerCase()

  async function authorityWith(...commands: string[][]) {
    const folder = temporaryFolder()
    const at = join(folder, 'authority')
    await portaria(null, 'certs', 'authority', 'create', '--out', at)
    const run = async (...args: string[]) => {
      const ended = await portaria(null, 'certs', ...args, '--authority', at)
      expect([args, ended.code, ended.stderr]).toEqual([args, 0, ''])
    }
    for (const command of commands) await run(...command.map((part) => part.replace('FOLDER', folder)))
    const renew = (now = later, isClient: (id: string) => boolean = () => true) => renewIssued(at, now, isClient)
    return { folder, at, run, renew, file: (name: string) => join(folder, name) }
  }

  const issueBooks = ['issue', 'books', '--for', 'app', '--out', 'FOLDER']

  it('an app gets a new key and certificate in its files, also as .p12 with the same password', async () => {
    const { folder, renew, file } = await authorityWith([...issueBooks, '--p12', '--key-type', 'rsa2048'])
    const [before, password] = [keyIn(file('books.pem')), readFileSync(file('books.p12-password'), 'utf8')]
    expect(await renew(new Date(Date.now() + 240 * DAY_MS))).toEqual({ renewed: [], problems: [] })
    const { renewed, problems } = await renew()
    expect([renewed.map(({ what }) => what), problems]).toEqual([[file('books.pem')], []])
    expect(await renew()).toEqual({ renewed: [], problems: [] })
    const leaf = leafOf(file('books.pem'))
    expect(leaf.validToDate.getTime() - leaf.validFromDate.getTime()).toBe(YEAR_MS)
    expect(leaf.validFromDate.getTime()).toBeLessThan(later.getTime())
    const text = openssl(['x509', '-in', file('books.pem'), '-noout', '-text'])
    for (const part of [/Subject: CN ?= ?books/, /2048 bit/, /urn:portaria:app/]) expect(text).toMatch(part)
    const key = openssl(['pkey', '-in', file('books.key'), '-pubout'])
    expect([key === before, key]).toEqual([false, keyIn(file('books.pem'))])
    const opened = ['pkcs12', '-in', file('books.p12'), '-passin', `file:${file('books.p12-password')}`, '-nodes']
    openssl([...opened, '-out', file('opened.pem')])
    expect(openssl(['pkey', '-in', file('opened.pem'), '-pubout'])).toBe(key)
    expect(keyIn(file('opened.pem'))).toBe(key)
    expect(readFileSync(file('books.p12-password'), 'utf8')).toBe(password)
    expect(['books.key', 'books.p12'].map((name) => statSync(file(name)).mode & 0o777)).toEqual([0o600, 0o600])
    expect(readdirSync(folder).filter((name) => /previous|^\./.test(name))).toEqual([])
    // Its beginning is in the future of this machine.
    const at = String(Math.floor(later.getTime() / 1000))
    expect(openssl(['verify', '-attime', at, '-CAfile', file('authority/ca.pem'), file('books.pem')])).toContain(': OK')
  })

  it('a signed request is signed again for the same key, subject and names', async () => {
    const { run, renew, file } = await authorityWith()
    const names = ['-addext', 'subjectAltName=DNS:hooks.banco.com.br,email:ti@banco.com.br']
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384', '-keyout', file('banco.key')]
    openssl(['req', '-new', '-nodes', ...made, '-out', file('banco.csr'), '-subj', '/O=Banco São/CN=banco', ...names])
    await run('sign', file('banco.csr'), '--yes')
    const text = () =>
      openssl(['x509', '-in', file('banco.pem'), '-noout', '-subject', '-pubkey', '-ext', 'subjectAltName'])
    const [before, serial] = [text(), serialIn(file('banco.pem'))]
    expect(before).toContain('urn:portaria:institution')
    expect((await renew()).renewed).toHaveLength(1)
    expect([text(), serialIn(file('banco.pem')) === serial]).toEqual([before, false])

    // Its owner has a new key.
    openssl(['req', '-new', '-nodes', ...made, '-out', file('new.csr'), '-subj', '/O=Banco São/CN=banco', ...names])
    await run('sign', file('new.csr'), '--yes', '--replace', '--days', '800')
    expect((await renew(new Date(Date.now() + 600 * DAY_MS))).renewed.map(({ what }) => what)).toEqual([
      file('new.pem'),
    ])
  })

  it('what is not there any more, is revoked or belongs to others is left alone', async () => {
    const names = ['moved', 'revoked', 'anew', 'typed', 'kept']
    const issued = names.map((name) => ['issue', name, '--for', 'app', '--out', 'FOLDER'])
    const { folder, run, renew, file } = await authorityWith(...issued)
    rmSync(file('moved.key'))
    await run('revoke', 'revoked')
    mkdirSync(file('elsewhere'))
    // Another machine of the app.
    await run('issue', 'anew', '--for', 'app', '--out', file('elsewhere'), '--days', '366')
    for (const part of ['pem', 'key']) rmSync(file(`typed.${part}`))
    const password = file('password')
    writeFileSync(password, 'secret')
    await run('issue', 'typed', '--for', 'app', '--out', folder, '--p12', '--password-file', password)
    rmSync(password)
    const listed = linesOf<{ name: string; renewedIn: string | null }>(
      await portaria(null, 'certs', 'authority', 'list', '--authority', join(folder, 'authority'), '--json'),
    )
    expect(Object.fromEntries(listed.map((one) => [one.name, one.renewedIn]))).toEqual({
      moved: null,
      anew: file('elsewhere/anew.pem'),
      typed: null,
      kept: file('kept.pem'),
    })
    const unknown = expect.stringMatching(/^the password of \S+typed.p12 is not known/)
    const root = process.geteuid
    process.geteuid = () => 54_321
    onTestFinished(() => void Object.assign(process, { geteuid: root }))
    const foreign = ['anew', 'elsewhere/anew', 'kept'].map((name) =>
      expect.stringMatching(`${file(name)}.pem does not belong to the user`),
    )
    const byOther = await renew()
    expect([byOther.renewed, byOther.problems.toSorted()]).toEqual([[], [...foreign, unknown]])
    Object.assign(process, { geteuid: root })
    const { renewed, problems } = await renew()
    expect([renewed.map(({ what }) => what).sort(), problems]).toEqual([
      [file('anew.pem'), file('elsewhere/anew.pem'), file('kept.pem')].sort(),
      [unknown],
    ])
    expect(await problemOfRenewal(join(folder, 'authority'), null, later)).toMatch(/typed.p12 is not known/)
    writeFileSync(password, 'secret')
    expect((await renew()).renewed).toEqual([expect.objectContaining({ what: file('typed.pem') })])
    openssl(['pkcs12', '-in', file('typed.p12'), '-passin', 'pass:secret', '-noout'])
  })

  it('the certificate of a client is renewed for it alone, and after its end no more', async () => {
    const folder = temporaryFolder()
    const at = join(folder, 'authority')
    await createAuthority({ folder: at, name: 'ours', days: 3652, keyType: 'p256', now: new Date() })
    const options = { days: 90, out: folder, keyType: 'p256' } as const
    const content = { use: 'app', name: 'shop', alternativeNames: [], client: 'cli_1' } as const
    const { certificate } = await issueWithKey(await openAuthority(at, new Date()), content, options)
    expect(await renewIssued(at, later, () => false)).toEqual({ renewed: [], problems: [] })
    expect((await renewIssued(at, later, (id) => id === 'cli_1')).renewed).toHaveLength(1)
    const names = openssl(['x509', '-in', certificate, '-noout', '-ext', 'subjectAltName']).match(/URI:\S+/g)
    expect(names).toEqual(['URI:urn:portaria:client:cli_1'])
    expect(recordsOf(readAuthority(at)).map(({ client }) => client)).toEqual(['cli_1', 'cli_1'])
  })

  it('who may write to the folder of an app gets no certificate with the name of another', async () => {
    const { at, file } = await authorityWith(issueBooks)
    const content = { use: 'app', name: 'shop', alternativeNames: [], client: 'cli_1' } as const
    const options = { days: 365, out: join(at, '..'), keyType: 'p256' } as const
    await issueWithKey(await openAuthority(at, new Date()), content, options)
    const exchanged = (id: string) => {
      writeFileSync(file('shop.pem'), readFileSync(file('books.pem')))
      openssl(['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', file('shop.key')])
      return id === 'cli_1'
    }
    expect((await renewIssued(at, later, exchanged)).renewed.map(({ what }) => what)).toEqual([file('books.pem')])
    const made = recordsOf(readAuthority(at)).map(({ name, client }) => `${name} ${client}`)
    expect(made.sort()).toEqual(['books null', 'books null', 'shop cli_1'])
  })

  it('a link to the key of another app in the place of its own gives an app nothing', async () => {
    const { renew, file } = await authorityWith(
      [...issueBooks, '--days', '800'],
      ['issue', 'shop', '--for', 'app', '--out', 'FOLDER', '--p12'],
    )
    const other = readFileSync(file('books.key'))
    rmSync(file('shop.key'))
    symlinkSync(file('books.key'), file('shop.key'))
    expect((await renew()).renewed).toHaveLength(1)
    openssl([
      'pkcs12',
      '-in',
      file('shop.p12'),
      '-passin',
      `file:${file('shop.p12-password')}`,
      '-nodes',
      '-out',
      file('opened.pem'),
    ])
    expect(keyIn(file('opened.pem'))).toBe(keyIn(file('shop.pem')))
    expect(leafOf(file('opened.pem')).subject).toBe('CN=shop')
    expect(readFileSync(file('books.key'))).toEqual(other)
  })

  it('a failure is said, leaves the files as they were, and keeps no other from its renewal', async () => {
    const { at, renew, file } = await authorityWith(issueBooks, ['issue', 'shop', '--for', 'app', '--out', 'FOLDER'])
    const key = readFileSync(file('books.key'))
    rmSync(file('books.key'))
    mkdirSync(file('books.key'))
    const { renewed, problems } = await renew()
    expect(renewed.map(({ what }) => what)).toEqual([file('shop.pem')])
    expect(problems).toEqual([expect.stringContaining('books.key')])
    rmSync(file('books.key'), { recursive: true })
    writeFileSync(file('books.key'), key, { mode: 0o600 })
    expect(await problemOfRenewal(at, null, later)).toContain('books.pem is past two thirds of its lifetime')
    expect((await renew()).renewed).toHaveLength(1)
    expect(await problemOfRenewal(at, null, later)).toBeNull()
  })

  it('what a killed process left half is completed, the .p12 file too', async () => {
    const { renew, file } = await authorityWith([...issueBooks, '--p12'])
    const [pem, p12] = [readFileSync(file('books.pem')), readFileSync(file('books.p12'))]
    await renew()
    const serial = serialIn(file('books.pem'))
    writeFileSync(file('books.pem'), pem)
    writeFileSync(file('books.p12'), p12)
    expect((await renew()).renewed).toHaveLength(1)
    expect(serialIn(file('books.pem'))).toBe(serial)
    const opened = ['pkcs12', '-in', file('books.p12'), '-passin', `file:${file('books.p12-password')}`, '-nodes']
    expect(openssl([...opened, '-nokeys', '-clcerts'])).toContain(pemOf(file('books.pem')))
  })
})

const pemOf = (file: string) => leafOf(file).toString().trim().split('\n')[1] ?? ''

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
    // That of an institution is for no client, and a request is signed for one.
    async function signed(...forWhom: string[]): Promise<Files> {
      const key = join(site.folder, 'banco.key')
      const [csr, certificate] = [join(site.folder, 'banco.csr'), join(site.folder, `banco${forWhom.length}.pem`)]
      const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-keyout', key]
      openssl(['req', '-new', '-nodes', ...made, '-out', csr, '-subj', `/CN=banco${forWhom.length}`])
      const ended = await portaria(site, 'certs', 'sign', csr, '--yes', '--out', certificate, ...forWhom)
      expect([ended.code, ended.stderr]).toEqual([0, ''])
      return { certificate, key }
    }
    expect(await tokenFor(await signed(), shop)).toContain('or of an institution')
    const ofClient = await signed('--client', 'shop')
    expect(tokenIn(await tokenFor(ofClient, shop))).not.toBe('')
    expect(await tokenFor(ofClient, books)).toMatch(/^HTTP\/1\.1 401/)
    const ofShop = tokenIn(await tokenFor(null, shop))
    expect(await events(null, ofShop)).toMatch(/^HTTP\/1\.1 200/)
    expect(await events(plain.files, ofShop)).toMatch(/^HTTP\/1\.1 200/)
    expect(await events(own, ofShop)).toMatch(/^HTTP\/1\.1 401/)

    const ended = await portaria(site, 'clients', 'revoke', 'shop')
    const [, until = '', serial = ''] = /valid until (\S+) and opens .* certs revoke (\S+)/.exec(ended.stdout) ?? []
    expect(leafOf(ofClient.certificate).validToDate.toISOString().slice(0, 10)).toBe(until)
    expect((await portaria(site, 'certs', 'revoke', serial)).stdout).toContain('revoked banco2 (signed)')
    const late = await portaria(site, 'clients', 'certificate', 'shop', '--out', site.folder)
    expect(late.code).toBe(1)
  })
})
