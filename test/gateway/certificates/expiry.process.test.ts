import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { portaria } from '../../cli/program.ts'
import { type Authority, createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { allEvents, callApi, callBack } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestGateway, type TestSite } from '../../support/gateway.ts'
import { startReceiver } from '../../support/receiver.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const SERVER = [
  'basicConstraints = critical,CA:FALSE',
  'keyUsage = critical,digitalSignature',
  'extendedKeyUsage = serverAuth',
  'subjectAltName = DNS:localhost,IP:127.0.0.1',
]
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

interface Listed {
  readonly set: string
  readonly where: string
  readonly subject: string
  readonly daysLeft: number
  readonly state: string
}

/** An integrator's system over TLS that takes everything. */
async function startSecureReceiver(own: IssuedCertificate): Promise<string> {
  const server = createServer({ cert: own.chain, key: readFileSync(own.keyFile) }, (request, response) => {
    request.resume().on('end', () => response.end('ok'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

function installServerCertificate(site: TestSite, own: IssuedCertificate): void {
  copyFileSync(own.keyFile, join(site.certs, 'server.key'))
  copyFileSync(own.certFile, join(site.certs, 'server.crt'))
}

/** A certificate for a year, of which these days are left. */
function ofAYear(days: number) {
  const notAfter = new Date(Date.now() + days * 86_400_000)
  return { notBefore: new Date(notAfter.getTime() - 365 * 86_400_000), notAfter }
}

/** The service's production chain, and a caller of it. */
function installService({ issue }: Authority, site: TestSite, days: { issuing: number; caller: number }): void {
  const root = issue({ name: 'service-root', ca: true, days: 400 })
  const issuing = issue({ name: 'service-issuing', ca: true, issuer: root, ...ofAYear(days.issuing) })
  const caller = issue({ name: 'service-caller', issuer: issuing, ...ofAYear(days.caller) })
  writeFileSync(join(site.certs, 'trust/production.pem'), issuing.chain)
  writeFileSync(join(site.certs, 'service/production-client.crt'), caller.cert + issuing.cert)
  copyFileSync(caller.keyFile, join(site.certs, 'service/production-client.key'))
}

/** A certificate of each set, each of which ends at another time. */
async function siteThatExpires() {
  const authority = createAuthority(temporaryFolder())
  const root = authority.issue({ name: 'root', ca: true, days: 400 })
  const server = authority.issue({ name: 'server', issuer: root, extensions: SERVER, ...ofAYear(6.5) })
  const client = authority.issue({ name: 'client', issuer: root, ...ofAYear(0.5) })
  const books = authority.issue({ name: 'books', issuer: root, extensions: SERVER, ...ofAYear(20.5) })
  const alarms = await startReceiver()
  const others = await startReceiver()
  const site = await createSite({
    forwarding: {
      allowedNetworks: ['127.0.0.0/8'],
      schedule: ['0s'],
      timeout: '2s',
      clientCertificate: { certificate: client.chainFile, privateKey: client.keyFile },
    },
    destinations: [
      { name: 'alarms', url: alarms.url, kinds: ['operator'], secret: SECRET },
      { name: 'books', url: await startSecureReceiver(books), kinds: ['payment'], ca: root.certFile },
      { name: 'others', url: others.url },
    ],
  })
  installServerCertificate(site, server)
  writeFileSync(join(site.certs, 'server-ca.crt'), root.cert)
  installService(authority, site, { issuing: 13.5, caller: 2.5 })
  return { authority, root, site, alarms, others }
}

const warningsOf = ({ lines }: TestGateway) =>
  lines
    .filter(({ event }) => event === 'certificate.expiring')
    .map(({ level, set, subject, warning }) => [level, set, subject, warning])

/** Deliveries overtake each other; ids of the first events are in their order. */
const byPosition = (one: { id: unknown }, two: { id: unknown }) => (String(one.id) < String(two.id) ? -1 : 1)

const SERVER_WARNING = ['error', 'server', 'CN=server', 7]
const CHAIN_WARNING = ['warn', 'service-chain', 'CN=service-issuing', 14]
const CLIENT_WARNING = ['error', 'client', 'CN=client', 1]
const CALLER_WARNING = ['error', 'service-client', 'CN=service-caller', 3]
const DESTINATION_WARNING = ['warn', 'destination', 'CN=books', 30]

it('warns of all five sets, once each; callers and destinations are known by what they showed', async () => {
  const { authority, root, site, alarms, others } = await siteThatExpires()
  const first = await startTestGateway(site)
  await until(() => alarms.received.length === 3)
  expect(warningsOf(first)).toEqual([CLIENT_WARNING, SERVER_WARNING, CHAIN_WARNING])
  await callBack(first, { body: '{"identificador":"1"}' })
  const sets = async () =>
    (JSON.parse((await callApi(first.api, '/v1/certificates')).body).data as Listed[]).map(({ set }) => set)
  await until(sets, (found) => found.includes('destination'))
  await first.stop()

  const second = await startTestGateway(site)
  await until(() => alarms.received.length === 5)
  expect(warningsOf(second)).toEqual([CALLER_WARNING, DESTINATION_WARNING])

  // A new certificate is looked at when it is taken up.
  const renewed = authority.issue({ name: 'server-2', issuer: root, extensions: SERVER, ...ofAYear(1.5) })
  installServerCertificate(site, renewed)
  await until(() => alarms.received.length === 6)
  expect(warningsOf(second).slice(2)).toEqual([['error', 'server', 'CN=server-2', 3]])

  const operatorEvents = await allEvents(second.api, '&kind=operator')
  const told = alarms.received.map(({ body, headers }) => {
    expect(new Webhook(SECRET).verify(body.toString(), headers as Record<string, string>)).toBeTruthy()
    expect(headers).toMatchObject({ 'portaria-kind': 'operator', 'portaria-authentication': 'none' })
    return { id: headers['webhook-id'], data: JSON.parse(body.toString()) }
  })
  expect(operatorEvents.map(({ id, data }) => ({ id, data }))).toEqual(told.toSorted(byPosition))
  expect(told.at(-1)?.data).toMatchObject({
    type: 'certificate.expiring',
    set: 'server',
    where: join(site.certs, 'server.crt'),
    subject: 'CN=server-2',
    daysLeft: 1,
    warning: 3,
  })
  expect(await allEvents(second.api)).toMatchObject([{ kind: 'payment' }])
  await until(() => others.received.length > 0)
  expect(others.received.map(({ headers }) => headers['portaria-kind'])).toEqual(['payment'])
})

it('certs check and GET /v1/certificates tell the same, and without a gateway the files and the database do', async () => {
  const { site } = await siteThatExpires()
  const gateway = await startTestGateway(site)
  await callBack(gateway, { body: '{"identificador":"1"}' })
  const listed = async () => JSON.parse((await callApi(gateway.api, '/v1/certificates')).body).data as Listed[]
  const all = await until(listed, (found) => found.some(({ set }) => set === 'destination'))
  expect(all.slice(0, 5).map(({ set, daysLeft, state }) => [set, daysLeft, state])).toEqual([
    ['client', 0, 'expiring'],
    ['service-client', 2, 'expiring'],
    ['server', 6, 'expiring'],
    ['service-chain', 13, 'expiring'],
    ['destination', 20, 'expiring'],
  ])
  const check = async () => {
    const { code, stdout } = await portaria(site, 'certs', 'check', '--json')
    return {
      code,
      listed: stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Listed),
    }
  }
  expect(await check()).toEqual({ code: 1, listed: all })
  await gateway.stop()
  expect(await check()).toEqual({ code: 1, listed: all })

  const { stdout, code } = await portaria(site, 'events', 'list', '--kind', 'operator')
  expect(code).toBe(0)
  expect(stdout).toMatch(/ operator +production +[0-9a-f]{64} +expiring +/)
})

it('a running gateway tells what it uses, although its file is another one by now or is gone', async () => {
  const { site } = await siteThatExpires()
  const gateway = await startTestGateway(site)
  rmSync(join(site.certs, 'server.crt'))
  const { data } = JSON.parse((await callApi(gateway.api, '/v1/certificates')).body) as { data: Listed[] }
  expect(data.filter(({ set }) => set === 'server')).toMatchObject([
    { where: join(site.certs, 'server.crt'), state: 'unreadable', problem: expect.stringContaining('does not exist') },
    { where: 'in use; no file has it any more', subject: 'CN=server', state: 'expiring' },
  ])
})
