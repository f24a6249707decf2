import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAuthority, openAuthority } from '../../../src/certificates/authority/authority.ts'
import { issueCertificate } from '../../../src/certificates/authority/issuing.ts'
import { writeRevocationList } from '../../../src/certificates/authority/list.ts'
import { addRevocation } from '../../../src/certificates/authority/records.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { createSite, OPERATOR_TOKEN, startTestGateway, type TestSite } from '../../support/gateway.ts'
import { callByOpenssl, hasOpenssl } from '../../support/openssl.ts'
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
