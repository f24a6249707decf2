import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Authority, createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { callApi, callBack } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { reservePort } from '../../support/ports.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const SERVER = [
  ...['basicConstraints = critical,CA:FALSE', 'keyUsage = critical,digitalSignature'],
  ...['extendedKeyUsage = serverAuth', 'subjectAltName = IP:127.0.0.1'],
]
const FORWARDING = { allowedNetworks: ['127.0.0.0/8'], schedule: ['0s'], timeout: '3s' }

/** An app: its server's certificate and the authority of that, and whom it lets in. */
interface App {
  readonly url: string
  readonly authority: IssuedCertificate
  /** Common names of the clients that it took something from. */
  readonly callers: readonly string[]
}

function serverOf({ issue }: Authority) {
  const authority = issue({ name: 'app-ca', ca: true })
  return { authority, own: issue({ name: 'app', issuer: authority, extensions: SERVER }) }
}

/** A Node receiver that trusts what it is given and nothing else. */
async function startNodeApp(from: Authority, trusted: string): Promise<App> {
  const { authority, own } = serverOf(from)
  const callers: string[] = []
  const server = createServer(
    { cert: own.chain, key: readFileSync(own.keyFile), ca: trusted, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      callers.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN))
      request.resume().on('end', () => response.end('ok'))
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, authority, callers }
}

/** A receiver on OpenSSL alone, as nginx and others are. */
async function startOpensslApp(from: Authority, trusted: string): Promise<App> {
  const { authority, own } = serverOf(from)
  const file = join(temporaryFolder(), 'chain.pem')
  writeFileSync(file, trusted)
  const port = await reservePort()
  const child = spawn('openssl', [
    ...['s_server', '-quiet', '-accept', `127.0.0.1:${port}`, '-cert', own.certFile, '-key', own.keyFile],
    ...['-Verify', '1', '-verify_return_error', '-CAfile', file, '-no-CApath', '-no-CAstore'],
  ])
  onTestFinished(() => void child.kill('SIGKILL'))
  const callers: string[] = []
  child.stdout.on('data', (bytes: Buffer) => {
    if (!bytes.includes('POST /')) return
    callers.push('somebody')
    child.stdin.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
  })
  let words = ''
  child.stderr.on('data', (bytes: Buffer) => (words += bytes.toString()))
  await until(() => isOpen(port), Boolean).catch(() => expect.fail(words))
  return { url: `https://127.0.0.1:${port}/`, authority, callers }
}

/** Without connecting: the program serves one connection after the other. */
function isOpen(port: number): boolean {
  const hexadecimal = port.toString(16).toUpperCase().padStart(4, '0')
  return readFileSync('/proc/net/tcp', 'utf8').includes(`0100007F:${hexadecimal} 00000000:0000 0A`)
}

const CERTIFICATES: Record<string, (authority: Authority) => IssuedCertificate> = {
  'of a root': ({ issue }) => issue({ name: 'gateway', issuer: issue({ name: 'root', ca: true }) }),
  'of an intermediate': ({ issue }) => {
    const root = issue({ name: 'root', ca: true })
    return issue({ name: 'gateway', issuer: issue({ name: 'issuing', ca: true, issuer: root }) })
  },
  'that is self-signed': ({ issue }) => issue({ name: 'gateway' }),
}

async function startShowing(own: IssuedCertificate): Promise<TestGateway> {
  const clientCertificate = { certificate: own.chainFile, privateKey: own.keyFile }
  return startTestGateway(await createSite({ forwarding: { ...FORWARDING, clientCertificate } }))
}

const chainOf = (gateway: TestGateway) => callApi(gateway.api, '/certificates/chain.pem', { token: null })

/** An app registers as it would with the service; its certificate is from an authority of its own, which the operator names. */
async function register(gateway: TestGateway, app: App): Promise<void> {
  const made = await callApi(gateway.api, '/payment/v1/webhook', { method: 'PUT', body: { url: app.url } })
  expect(made.status).toBe(201)
  const { data } = JSON.parse((await callApi(gateway.api, '/v1/destinations')).body) as { data: { id: string }[] }
  const path = `/v1/destinations/${data.at(-1)?.id}`
  const changed = await callApi(gateway.api, path, { method: 'PATCH', body: { authorities: app.authority.cert } })
  expect(changed.status).toBe(200)
}

async function endsOf(gateway: TestGateway, count: number) {
  const deliveries = () =>
    callApi(gateway.api, '/v1/deliveries').then(({ body }) => (JSON.parse(body) as { data: { state: string }[] }).data)
  const ended = await until(deliveries, (all) => all.length === count && all.every(({ state }) => state !== 'pending'))
  return ended.map(({ state }) => state)
}

describe.skipIf(!hasOpenssl)('a client certificate (with openssl)', () => {
  for (const [program, startApp] of Object.entries({ Node: startNodeApp, OpenSSL: startOpensslApp })) {
    it.each(Object.entries(CERTIFICATES))(
      `%s is known to an app on ${program} that trusts chain.pem and nothing else`,
      async (_what, issueOwn) => {
        const authority = createAuthority(temporaryFolder())
        const gateway = await startShowing(issueOwn(authority))
        const { status, headers, body } = await chainOf(gateway)
        expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/x-pem-file/)])
        expect(body).not.toContain('PRIVATE KEY')
        const app = await startApp(authority, body)
        await register(gateway, app)
        await callBack(gateway, { body: '{"identificador":"1"}' })
        expect([await endsOf(gateway, 1), app.callers.length]).toEqual([['delivered'], 1])
      },
    )

    it(`of somebody else is refused by an app on ${program} that trusts chain.pem`, async () => {
      const authority = createAuthority(temporaryFolder())
      const gateway = await startShowing(authority.issue({ name: 'gateway' }))
      const app = await startApp(authority, authority.issue({ name: 'other', ca: true }).cert)
      await register(gateway, app)
      await callBack(gateway, { body: '{"identificador":"1"}' })
      expect([await endsOf(gateway, 1), app.callers]).toEqual([['exhausted'], []])
    })
  }

  it('that is renewed from another authority changes chain.pem, for everybody and for HEAD', async () => {
    const authority = createAuthority(temporaryFolder())
    const first = authority.issue({ name: 'gateway', issuer: authority.issue({ name: 'root', ca: true }) })
    const gateway = await startShowing(first)
    const root = authority.issue({ name: 'root-2', ca: true })
    const second = authority.issue({ name: 'gateway-2', issuer: root })
    writeFileSync(first.keyFile, readFileSync(second.keyFile))
    writeFileSync(first.chainFile, second.chain)
    await until(async () => (await chainOf(gateway)).body === root.cert)
    const app = await startNodeApp(authority, (await chainOf(gateway)).body)
    await register(gateway, app)
    await callBack(gateway, { body: '{"identificador":"1"}' })
    expect([await endsOf(gateway, 1), app.callers]).toEqual([['delivered'], ['gateway-2']])
    const head = await callApi(gateway.api, '/certificates/chain.pem', { token: null, method: 'HEAD' })
    expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', String(root.cert.length)])
  })
})

it('without a client certificate there is no chain, and what to set is reported', async () => {
  const gateway = await startTestGateway()
  const { status, headers, body } = await chainOf(gateway)
  expect([status, headers['content-type'], JSON.parse(body)]).toEqual([
    404,
    expect.stringMatching(/^application\/problem\+json/),
    expect.objectContaining({ code: 'not_found', detail: expect.stringContaining('set forwarding.clientCertificate') }),
  ])
})
