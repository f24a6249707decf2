import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { SecureVersion } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../../src/config/load-config.ts'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { createSite, type LogLine, OPERATOR_TOKEN, recordingLog, type TestSite } from '../../support/gateway.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { until } from '../../support/until.ts'

interface Running {
  readonly site: TestSite
  readonly port: number
  readonly lines: readonly LogLine[]
  readonly shop: IssuedCertificate
  readonly books: IssuedCertificate
  readonly untrusted: IssuedCertificate
  /** A certificate of the known authority. */
  issue(name: string, notAfter: Date): IssuedCertificate
  /** Takes up the files as they are now. */
  reload(): Promise<unknown>
}

/** A gateway whose API has TLS and knows the authority of `shop` and `books`. */
async function startWithTls(api: Record<string, unknown> = {}): Promise<Running> {
  const site = await createSite({
    api: {
      host: '127.0.0.1',
      port: 0,
      operatorTokenFile: 'operator-token',
      certificate: 'certs/server.crt',
      privateKey: 'certs/server.key',
      ...api,
    },
  })
  const { issue } = createAuthority(join(site.folder, 'authority'))
  const root = issue({ name: 'apps', ca: true })
  const other = issue({ name: 'others', ca: true })
  writeFileSync(join(site.folder, 'apps.pem'), root.cert)
  const config = loadConfig(site.configFile)
  const lines: LogLine[] = []
  const gateway = await startGateway(config, { log: recordingLog(lines), onLost: () => undefined })
  onTestFinished(() => gateway.stop())
  return {
    site,
    lines,
    port: gateway.addresses.api.port,
    shop: issue({ name: 'shop', issuer: root }),
    books: issue({ name: 'books', issuer: root }),
    untrusted: issue({ name: 'untrusted', issuer: other }),
    issue: (name, notAfter) => issue({ name, notAfter, issuer: root }),
    reload: () => gateway.reload(config),
  }
}

interface Asked {
  readonly method?: string
  readonly token?: string
  readonly body?: object
  readonly certificate?: IssuedCertificate | null
  readonly agent?: Agent
  readonly version?: SecureVersion
}

function optionsOf({ site, port }: Running, path: string, asked: Asked): RequestOptions {
  const { method = 'GET', token, body, certificate = null, agent = false, version = 'TLSv1.3' } = asked
  return {
    host: '127.0.0.1',
    port,
    path,
    method,
    agent,
    servername: 'localhost',
    maxVersion: version,
    ca: readFileSync(join(site.certs, 'server-ca.crt')),
    ...(certificate !== null && { cert: certificate.cert, key: readFileSync(certificate.keyFile) }),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
  }
}

function ask(running: Running, path: string, asked: Asked = {}) {
  const { body } = asked
  return new Promise<{ status: number; body: Record<string, string> }>((resolve, reject) => {
    const asking = request(optionsOf(running, path, asked), async (response) => {
      const text = Buffer.concat(await response.toArray()).toString()
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Record<string, string> })
    })
    asking.on('error', reject)
    asking.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Resolves when the stream has begun; `ended` then resolves with its text. */
async function openStream(running: Running, asked: Asked): Promise<{ readonly ended: Promise<string> }> {
  const asking = request(optionsOf(running, '/v1/events/stream', asked)).end()
  onTestFinished(() => void asking.destroy())
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  return { ended: response.toArray().then((chunks) => Buffer.concat(chunks).toString()) }
}

async function statusOf(running: Running, path: string, asked: Asked): Promise<number> {
  return (await ask(running, path, asked)).status
}

/** The body of a token request by a new client. */
async function newClient(running: Running, certificate: IssuedCertificate | null = null) {
  const { body } = await ask(running, '/v1/clients', {
    method: 'POST',
    token: OPERATOR_TOKEN,
    certificate,
    body: { name: 'app', environment: 'any', scopes: ['events.read', 'payment.webhook.read'] },
  })
  return { grant_type: 'client_credentials', client_id: body.clientId, client_secret: body.clientSecret }
}

async function tokenOf(running: Running, client: object, certificate: IssuedCertificate | null): Promise<string> {
  const { body } = await ask(running, '/oauth/token', { method: 'POST', body: client, certificate })
  return body.access_token ?? ''
}

const WITH_TRUST = { clientCa: 'apps.pem' }
const CONTRACT = '/payment/v1/nothing'

describe.skipIf(!hasOpenssl)('client certificates of the API (with openssl)', () => {
  it('bind the tokens that are given out beside them: they count with no other and without none', async () => {
    const running = await startWithTls(WITH_TRUST)
    const client = await newClient(running)
    const bound = await tokenOf(running, client, running.shop)
    const free = await tokenOf(running, client, null)
    const statuses = await Promise.all(
      [bound, free].flatMap((token) =>
        [running.shop, running.books, null].map((certificate) =>
          statusOf(running, '/v1/events', { token, certificate }),
        ),
      ),
    )
    expect(statuses).toEqual([200, 401, 401, 200, 200, 200])
    const { body } = await ask(running, '/v1/events', { token: bound, certificate: running.books })
    expect(body.detail).toContain('bound to another client certificate')
  })

  it('are required for the service’s own contract, and so are tokens bound to them', async () => {
    const running = await startWithTls(WITH_TRUST)
    const client = await newClient(running)
    const bound = await tokenOf(running, client, running.shop)
    const free = await tokenOf(running, client, null)
    const { shop } = running
    expect(await statusOf(running, CONTRACT, { token: bound, certificate: shop })).toBe(404)
    expect(await statusOf(running, CONTRACT, { token: OPERATOR_TOKEN, certificate: shop })).toBe(404)
    for (const refused of [
      { token: bound, certificate: running.books },
      { token: bound },
      { token: free, certificate: shop },
      { token: free },
      { token: OPERATOR_TOKEN },
    ])
      expect(await statusOf(running, CONTRACT, refused)).toBe(401)
    for (const path of ['/payment/v1/oauth/token', '/registration/v1/oauth/token']) {
      const without = await ask(running, path, { method: 'POST', body: client })
      expect([without.status, without.body.error]).toEqual([401, 'invalid_client'])
      expect(await statusOf(running, path, { method: 'POST', body: client, certificate: shop })).toBe(200)
    }
  })

  it('of an unknown authority end the connection', async () => {
    const running = await startWithTls(WITH_TRUST)
    await expect(ask(running, '/healthz', { certificate: running.untrusted })).rejects.toThrow()
    expect(await statusOf(running, '/healthz', {})).toBe(200)
  })

  it('are demanded in the handshake where they are required', async () => {
    const running = await startWithTls({ ...WITH_TRUST, clientCertificates: 'required' })
    await expect(ask(running, '/healthz')).rejects.toThrow()
    expect(await statusOf(running, '/healthz', { certificate: running.shop })).toBe(200)
    const client = await newClient(running, running.shop)
    const token = await tokenOf(running, client, running.shop)
    expect(await statusOf(running, CONTRACT, { token, certificate: running.shop })).toBe(404)
  })

  it.each(['off', 'optional'])('are not needed where they are %s', async (clientCertificates) => {
    const running = await startWithTls({ ...(clientCertificates === 'optional' && WITH_TRUST), clientCertificates })
    const client = await newClient(running)
    const { body } = await ask(running, '/payment/v1/oauth/token', { method: 'POST', body: client })
    expect(await statusOf(running, CONTRACT, { token: body.access_token ?? '' })).toBe(404)
  })

  it('cannot be shown without an authority, so the contract is closed until there is one', async () => {
    const running = await startWithTls()
    const client = await newClient(running)
    const token = await tokenOf(running, client, running.shop)
    expect(await statusOf(running, '/v1/events', { token })).toBe(200)
    const refused = await ask(running, CONTRACT, { token, certificate: running.shop })
    expect([refused.status, refused.body.mensagem]).toEqual([401, expect.stringContaining('certificado desta conexão')])
    const toldOf = ({ lines }: Running) => lines.filter(({ set }) => String(set).startsWith('api.clientCa'))
    expect(toldOf(running)).toMatchObject([
      { level: 'warn', event: 'registrations.off', reason: expect.stringContaining('client certificate') },
    ])
    expect(toldOf(await startWithTls(WITH_TRUST))).toEqual([])
    expect(toldOf(await startWithTls({ clientCertificates: 'off' }))).toEqual([])
  })

  it('are judged by another authority as soon as its file has changed, on open connections too', async () => {
    const running = await startWithTls(WITH_TRUST)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { shop } = running
    expect(await statusOf(running, '/healthz', { certificate: shop, agent })).toBe(200)
    writeFileSync(
      join(running.site.folder, 'apps.pem'),
      readFileSync(join(running.site.folder, 'authority/others.crt')),
    )
    await running.reload()
    await expect(ask(running, '/healthz', { certificate: shop, agent })).rejects.toThrow()
    expect(await statusOf(running, '/healthz', { certificate: running.untrusted })).toBe(200)
    agent.destroy()
  })

  it('end their connection with its next request after they have expired, and streams of tokens bound to them', async () => {
    const running = await startWithTls(WITH_TRUST)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const certificate = running.issue('passing', new Date(Date.now() + 5000))
    const token = await tokenOf(running, await newClient(running), certificate)
    expect(await statusOf(running, '/v1/events', { token, certificate, agent })).toBe(200)
    const stream = await openStream(running, { token, certificate })

    await until(() => Date.now() >= Date.parse(new X509Certificate(certificate.cert).validTo))
    await expect(ask(running, '/v1/events', { token: OPERATOR_TOKEN, certificate, agent })).rejects.toThrow()
    expect(await stream.ended).toContain('no longer valid')
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'are judged by the new authority too where the handshake had begun under the earlier one, in %s',
    async (version) => {
      const running = await startWithTls(WITH_TRUST)
      const relay = await startHoldingRelay(running.port)
      const certificate = running.shop
      const asking = ask({ ...running, port: relay.port }, '/healthz', { certificate, version })
      // Handled at once: it may fail before the test waits for it.
      const outcome = asking.then(({ status }) => status).catch(() => 'closed')
      await relay.held
      writeFileSync(
        join(running.site.folder, 'apps.pem'),
        readFileSync(join(running.site.folder, 'authority/others.crt')),
      )
      await running.reload()
      relay.release()
      expect(await outcome).toBe('closed')
    },
  )
})

/** Passes a caller's ClientHello on, and holds back what the caller sends after it until `release`. */
async function startHoldingRelay(port: number) {
  const { promise: held, resolve: onHeld } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const server = createServer((caller) => {
    const gateway = connect(port, '127.0.0.1')
    for (const socket of [caller, gateway]) socket.on('error', () => socket.destroy())
    gateway.pipe(caller)
    caller.once('data', (hello) => {
      gateway.write(hello)
      caller.on('data', (rest) => {
        onHeld()
        void released.then(() => gateway.write(rest))
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, held, release }
}
