import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectPlain, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { refusalView } from '../../../src/api/refusals/view.ts'
import type { Address } from '../../../src/gateway/addresses.ts'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { allEvents, callApi, callBack } from '../../support/calls.ts'
import { BASE_CALLBACKS, createSite, type LogLine, spawnGateway, startTestGateway } from '../../support/gateway.ts'
import { callByOpenssl, hasOpenssl } from '../../support/openssl.ts'
import { openRawCaller } from '../../support/raw-calls.ts'
import { until } from '../../support/until.ts'

type Refusal = ReturnType<typeof refusalView>

const DAY_MS = 86_400_000
const POST = 'POST /callbacks/payment HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'
const TOKEN = 'a-secret-path-token-of-the-charge-listener-0123'

/** Waits for this many refusals in the record. */
async function refusalsOf(gateway: { api: Address }, count: number, query = ''): Promise<Refusal[]> {
  const read = async () => {
    const { body } = await callApi(gateway.api, `/v1/refusals?limit=1000${query}`)
    return (JSON.parse(body) as { data: Refusal[] }).data
  }
  return until(read, (refusals) => refusals.length >= count)
}

function refusedLines(lines: readonly LogLine[]): LogLine[] {
  return lines.filter((line) => line.event === 'caller.refused')
}

async function plainSocket(port: number, bytes = ''): Promise<Socket> {
  const socket = connectPlain(port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.resume()
  if (bytes !== '') socket.write(Buffer.from(bytes, 'latin1'))
  return socket
}

describe.skipIf(!hasOpenssl)('a caller that is refused in the handshake', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const { issue } = createAuthority(folder)
  const client = (name: string, options: Partial<Parameters<typeof issue>[0]> = {}) =>
    issue({ name, subject: `/O=TestCA/CN=${name}`, ...options })
  let chains: { production: IssuedCertificate; sandbox: IssuedCertificate }
  let callers: Record<string, string[]>

  beforeAll(() => {
    const root = issue({ name: 'root', ca: true })
    const sibling = issue({ name: 'sibling', issuer: root, ca: true })
    const production = issue({ name: 'production', issuer: root, ca: true })
    const sandbox = issue({ name: 'sandbox', ca: true })
    const [yesterday, tomorrow] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS)]
    chains = { production, sandbox }
    callers = {
      unknown: shown(client('unknown', { issuer: issue({ name: 'untrusted', ca: true }) })),
      sibling: [...shown(client('of-sibling', { issuer: sibling })), '-cert_chain', sibling.certFile],
      expired: shown(
        client('expired', { issuer: sandbox, notBefore: new Date(Date.now() - 9 * DAY_MS), notAfter: yesterday }),
      ),
      early: shown(client('early', { issuer: production, notBefore: tomorrow })),
      server: shown(client('server', { issuer: production, extensions: ['extendedKeyUsage = serverAuth'] })),
      ca: shown(
        client('ca', {
          issuer: sandbox,
          extensions: ['basicConstraints = critical,CA:TRUE', 'keyUsage = keyCertSign'],
        }),
      ),
      weak: shown(client('weak', { issuer: production, keyType: 'rsa:1024' })),
    }
  })

  function shown({ certFile, keyFile }: IssuedCertificate): string[] {
    return ['-cert', certFile, '-key', keyFile]
  }

  async function start() {
    const trust = Object.entries(chains).map(([environment, { chainFile }]) => ({ environment, chain: chainFile }))
    const site = await createSite({ callbacks: { ...BASE_CALLBACKS, trust } })
    return startTestGateway(site)
  }

  const NAME = ['-servername', 'calls.example']
  const FINGERPRINT = expect.stringMatching(/^[0-9a-f]{64}$/)
  /** Its own certificate, and those that it sent with it. */
  const chainOf = (name: string, ...above: [subject: string, issuer: string][]) => [
    { subject: `O=TestCA, CN=${name}`, issuer: above[0]?.[0] ?? expect.any(String), fingerprint: FINGERPRINT },
    ...above.map(([subject, issuer]) => ({ subject, issuer, fingerprint: FINGERPRINT })),
  ]

  it.each(['TLSv1.2', 'TLSv1.3'])('is on record with what it showed, in %s', async (tlsVersion) => {
    const gateway = await start()
    const version = tlsVersion === 'TLSv1.2' ? '-tls1_2' : '-tls1_3'
    const call = (...args: string[]) => callByOpenssl(gateway.callbacks.port, [version, ...NAME, ...args], POST)
    const shownBy = (key: keyof typeof callers) => callers[key] as string[]

    expect(await call()).toBe('')
    for (const key of Object.keys(callers)) expect(await call(...shownBy(key))).toBe('')

    const common = { listener: 'callbacks', remoteAddress: '127.0.0.1', tlsVersion, serverName: 'calls.example' }
    const rows = await refusalsOf(gateway, 8)
    expect(rows).toMatchObject([
      { ...common, code: 'no_certificate', reason: 'no client certificate', environment: null, chain: [] },
      { code: 'unknown_issuer', rawCode: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', chain: chainOf('unknown') },
      {
        ...common,
        code: 'sibling_issuer',
        reason: 'issued by no installed issuing certificate (sibling issuer under an installed root)',
        environment: null,
        chain: chainOf('of-sibling', ['CN=sibling', 'CN=root']),
      },
      {
        ...common,
        code: 'expired',
        reason: 'its certificate has expired',
        rawCode: 'CERT_HAS_EXPIRED',
        environment: 'sandbox',
        chain: chainOf('expired'),
      },
      { code: 'not_yet_valid', environment: 'production', chain: chainOf('early') },
      { code: 'wrong_usage', rawCode: 'INVALID_PURPOSE', environment: 'production' },
      {
        code: 'caller_is_ca',
        reason: expect.stringContaining('a CA certificate is not a caller'),
        chain: chainOf('ca'),
      },
      { code: 'weak_certificate', reason: 'its certificate is too weak: EE certificate key too weak' },
    ])
    expect(rows).toHaveLength(8)
    expect(refusedLines(gateway.lines).map((line) => line.reason)).toEqual(rows.map((row) => row.reason))
    expect(refusedLines(gateway.lines)[3]).toMatchObject({
      ...common,
      code: 'expired',
      subject: 'O=TestCA, CN=expired',
      fingerprint: rows[3]?.chain[0]?.fingerprint,
    })
    expect(await allEvents(gateway.api, '&kind=payment,probe')).toEqual([])
  })

  it('is on record when it speaks otherwise than the gateway', async () => {
    const gateway = await start()
    const calls: [code: string, args: string[]][] = [
      ['tls_too_old', ['-tls1_1']],
      ['no_common_cipher', ['-tls1_2', '-cipher', 'AES128-SHA:@SECLEVEL=0']],
      ['no_common_cipher', ['-tls1_3', '-ciphersuites', 'TLS_AES_128_CCM_SHA256']],
      ['no_common_signature', ['-sigalgs', 'ECDSA+SHA1:RSA+SHA1', ...(callers.early as string[])]],
      ['no_common_protocol', ['-alpn', 'h2']],
      ['own_certificate_refused', ['-verify_return_error']],
    ]
    for (const [, args] of calls) expect(await callByOpenssl(gateway.callbacks.port, args, POST)).toBe('')
    await once(await plainSocket(gateway.callbacks.port, 'GET / HTTP/1.1\r\n\r\n'), 'close')
    await once(await plainSocket(gateway.callbacks.port, 'SSH-2.0-OpenSSH_9.6\r\n'), 'close')

    for (const header of PROXY_HEADERS) await once(await plainSocket(gateway.callbacks.port, header), 'close')

    const rows = await refusalsOf(gateway, 10)
    expect(rows.map((row) => row.code)).toEqual([
      ...calls.map(([code]) => code),
      'plain_http',
      ...['not_tls', 'not_tls', 'not_tls'],
    ])
    for (const { reason } of rows.slice(8)) expect(reason).toContain('PROXY protocol before TLS, switch it off there')
    expect(new Set(rows.map((row) => row.remoteAddress))).toEqual(new Set(['127.0.0.1']))
  })

  it('is on record when it hangs up in the middle, but not when it closes without a byte', async () => {
    const gateway = await start()
    for (let i = 0; i < 5; i++) {
      const probing = await plainSocket(gateway.callbacks.port)
      if (i % 2 === 0) probing.end()
      else probing.resetAndDestroy()
      await once(probing, 'close')
    }
    const socket = await plainSocket(gateway.callbacks.port, '\x16\x03\x01')
    socket.end()
    expect(await refusalsOf(gateway, 1)).toMatchObject([
      { code: 'hung_up', reason: 'it closed the connection during the handshake', remoteAddress: '127.0.0.1' },
    ])
    expect(refusedLines(gateway.lines)).toHaveLength(1)
  })
})

it('a caller that is let in and then refused for what it asks is on record with its environment', async () => {
  const site = await createSite({ callbacks: { ...BASE_CALLBACKS, limits: { body: '1KiB' } } })
  const gateway = await startTestGateway(site)
  const paths: [Parameters<typeof callBack>[1], number][] = [
    [{ path: '/nowhere?secret=1' }, 404],
    [{ path: `/charges/${TOKEN}` }, 404],
    [{ method: 'PUT' }, 405],
    [{ headers: { 'content-encoding': 'gzip' } }, 415],
    [{ body: 'x'.repeat(2000) }, 413],
  ]
  for (const [options, status] of paths) expect((await callBack(gateway, options)).status).toBe(status)
  const caller = await openRawCaller(gateway)
  caller.send('GARBAGE\r\n\r\n')
  await caller.closed()
  const talker = await openRawCaller(gateway)
  talker.send(`POST / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(70_000)}\r\n\r\n`)
  await talker.closed()

  const common = { listener: 'callbacks', environment: 'production', tlsVersion: 'TLSv1.3', serverName: 'localhost' }
  const rows = await refusalsOf(gateway, 7)
  expect(rows).toMatchObject([
    { ...common, code: 'unknown_path', detail: '/nowhere', chain: [{ fingerprint: expect.any(String) }] },
    { ...common, code: 'unknown_path', detail: '/charges/a-se…' },
    { ...common, code: 'wrong_method', detail: '/callbacks/payment' },
    { ...common, code: 'encoded_body', detail: '/callbacks/payment' },
    { ...common, code: 'too_large', reason: 'its body was too large' },
    { ...common, code: 'bad_request', rawCode: 'HPE_INVALID_METHOD', reason: expect.stringContaining('nvalid method') },
    { ...common, code: 'headers_too_large', rawCode: 'HPE_HEADER_OVERFLOW' },
  ])
  expect(rows.filter((row) => /UNSPECIFIED|HPE_|ERR_|[A-Z]{3,}_/.test(row.reason))).toEqual([])
  expect(await allEvents(gateway.api, '&kind=payment,probe')).toEqual([])
})

it('a request that HTTP/1.1 does not allow is on record like one that is not HTTP', async () => {
  const gateway = await startTestGateway()
  const path = '/callbacks/payment?secret=1'
  const requests = [
    `POST ${path} HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}`,
    `POST ${path} HTTP/1.1\r\nhost: x\r\nexpect: tea\r\ncontent-length: 2\r\n\r\n{}`,
    'CONNECT 10.0.0.1:22 HTTP/1.1\r\nhost: x\r\n\r\n',
    'POST http://[ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  ]
  for (const request of requests) {
    const caller = await openRawCaller(gateway)
    caller.send(request)
    await caller.closed()
  }

  const common = { listener: 'callbacks', environment: 'production', tlsVersion: 'TLSv1.3', serverName: 'localhost' }
  const chain = [{ fingerprint: expect.any(String) }]
  const rows = await refusalsOf(gateway, requests.length)
  expect(rows).toMatchObject([
    { ...common, code: 'bad_request', reason: 'bad request: no Host header', detail: '/callbacks/payment', chain },
    { ...common, code: 'bad_request', reason: expect.stringContaining('Expect'), detail: '/callbacks/payment', chain },
    { ...common, code: 'bad_request', reason: 'bad request: CONNECT, but this is no proxy', detail: null, chain },
    { ...common, code: 'unknown_path', chain },
  ])
  expect(refusedLines(gateway.lines)).toHaveLength(requests.length)
})

it.each([
  ['goes away', '', ''],
  ['goes on with something else', 'Transfer-Encoding: chunked', `100001\r\n${'x'.repeat(0x100001)}garbage`],
  ['goes away after a refused coding', 'Content-Encoding: br\r\nContent-Length: 9', ''],
])('who is answered before the end of its body and then %s is reported once', async (_what, header, bytes) => {
  const gateway = await startTestGateway()
  for (let round = 0; round < 20; round++) {
    const caller = await openRawCaller(gateway)
    const length = header === '' ? `Content-Length: ${(1 << 20) + 1}` : header
    caller.send(`POST /callbacks/payment HTTP/1.1\r\nhost: x\r\n${length}\r\n\r\n${bytes}`)
    await caller.settled(1)
    caller.finish()
    await caller.closed()
  }
  await gateway.stop()

  expect(refusedLines(gateway.lines).map((line) => line.code)).toEqual(
    Array(20).fill(header.startsWith('Content-E') ? 'encoded_body' : 'too_large'),
  )
})

/** Of version 1 and 2. */
const PROXY_HEADERS = [
  'PROXY TCP4 192.0.2.1 192.0.2.2 40000 8443\r\n',
  '\r\n\r\n\0\r\nQUIT\n!\x11\0\x0c'.padEnd(28, '\x01'),
]

describe('the charge listener', () => {
  async function startWithCharges(changes: object) {
    const charges = { host: '127.0.0.1', port: 0, tokens: [{ environment: 'production', tokenFile: 'token' }] }
    const tls = { certificate: 'certs/server.crt', privateKey: 'certs/server.key' }
    const withCharges = await createSite({ chargeNotifications: { ...charges, ...tls, ...changes } })
    writeFileSync(join(withCharges.folder, 'token'), TOKEN, { mode: 0o600 })
    return startTestGateway(withCharges)
  }

  it('records who knows no token, and nothing of a token but its beginning', async () => {
    const gateway = await startWithCharges({})
    const port = gateway.charges?.port as number
    for (const path of [`/charges/${TOKEN}x`, `/${TOKEN}`]) {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
      socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`)
      socket.resume()
      await once(socket, 'close')
    }
    const rows = await refusalsOf(gateway, 2, '&listener=charges')
    expect(rows).toMatchObject([
      { code: 'unknown_token', reason: 'no such path token', detail: '/charges/a-se…', tlsVersion: 'TLSv1.3' },
      { code: 'unknown_path', detail: null },
    ])
    expect(JSON.stringify([rows, gateway.lines])).not.toContain(TOKEN.slice(0, 10))
  })

  it.each([{}, { certificate: undefined, privateKey: undefined, allowedAddresses: ['127.0.0.1'] }])(
    'records requests that HTTP/1.1 does not allow',
    async (changes) => {
      const gateway = await startWithCharges(changes)
      const port = gateway.charges?.port as number
      const requests = [
        `POST /charges/${TOKEN} HTTP/1.1\r\ncontent-length: 0\r\n\r\n`,
        `POST /charges/${TOKEN} HTTP/1.1\r\nhost: x\r\nexpect: tea\r\ncontent-length: 0\r\n\r\n`,
        `CONNECT ${TOKEN}:1 HTTP/1.1\r\nhost: x\r\n\r\n`,
        `POST /charges/${TOKEN} HTTP/1.1\r\nhost: x\r\nhost: y\r\ncontent-length: 0\r\n\r\n`,
        `POST /charges/${TOKEN}\r\n\r\n`,
      ]
      for (const request of requests) {
        const socket = 'certificate' in changes ? await plainSocket(port) : connect({ port, rejectUnauthorized: false })
        socket.resume().write(request)
        await once(socket, 'close')
      }
      const rows = await refusalsOf(gateway, requests.length, '&listener=charges')
      expect(rows.map((row) => [row.code, row.detail])).toEqual(requests.map(() => ['bad_request', null]))
      const reasons = rows.map((row) => row.reason)
      expect(reasons).toContain('bad request: more than one Host header')
      expect(reasons).toContain('bad request: neither HTTP/1.1 nor HTTP/1.0')
      expect(refusedLines(gateway.lines)).toHaveLength(requests.length)
      expect(JSON.stringify([rows, gateway.lines])).not.toContain(TOKEN.slice(0, 10))
    },
  )

  it('names a PROXY protocol header before plain HTTP', async () => {
    const gateway = await startWithCharges({
      certificate: undefined,
      privateKey: undefined,
      allowedAddresses: ['127.0.0.1'],
    })
    for (const header of PROXY_HEADERS) await once(await plainSocket(gateway.charges?.port as number, header), 'close')
    const rows = await refusalsOf(gateway, 2, '&listener=charges')
    expect(rows.map(({ code }) => code)).toEqual(['proxy_header', 'proxy_header'])
    expect(rows[0]?.reason).toContain(
      'PROXY protocol header, which is not read here: switch it off at the load balancer',
    )
  })

  it('tells once of an address that is not allowed', async () => {
    const gateway = await startWithCharges({ allowedAddresses: ['10.0.0.0/8'] })
    const socket = await plainSocket(gateway.charges?.port as number, '\x16\x03\x01')
    if (!socket.destroyed) await once(socket, 'close')
    expect(await refusalsOf(gateway, 1)).toMatchObject([{ code: 'address_not_allowed', listener: 'charges' }])
    expect(refusedLines(gateway.lines)).toHaveLength(1)
  })
})

it('a stalled handshake whose place was needed is reported once', async () => {
  const site = await createSite({
    callbacks: { ...BASE_CALLBACKS, limits: { maxConnections: 4, connectionsPerAddress: 4 } },
  })
  const gateway = await startTestGateway(site)
  const stalled: Socket[] = []
  for (let i = 0; i < 5; i++) stalled.push(await plainSocket(gateway.callbacks.port, '\x16\x03\x01'))
  await until(() => stalled.filter((socket) => socket.destroyed).length >= 3)
  const rows = await refusalsOf(gateway, 3)
  expect(rows.map((row) => row.reason)).toEqual(Array(3).fill('stalled handshake, its place was needed'))
  expect(refusedLines(gateway.lines)).toHaveLength(3)
})

describe('a scan', () => {
  const withoutCertificate = (port: number) =>
    new Promise<void>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, servername: 'scan.example' })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve())
      socket.resume()
    })

  it('of 1,000 callers leaves bounded rows and lines, and good callers their 200', async () => {
    const gateway = await startTestGateway()
    const answers: number[] = []
    for (let round = 0; round < 20; round++) {
      const scan = Array.from({ length: 50 }, () => withoutCertificate(gateway.callbacks.port))
      answers.push((await callBack(gateway, { body: `{"round":${round}}` })).status)
      await Promise.all(scan)
    }
    await gateway.stop()

    expect(answers).toEqual(Array(20).fill(200))
    const again = await startTestGateway(gateway.site)
    const rows = await refusalsOf(again, 1)
    // Sixty a minute; the scan may go over the full minute, on a slow machine over several.
    expect(rows.length).toBeLessThanOrEqual(5 * 61)
    expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(1000)
    expect(gateway.lines.filter((line) => line.event.startsWith('caller')).length).toBe(rows.length)
    expect((await allEvents(again.api, '&kind=payment')).length).toBe(20)
  }, 30_000)

  it('is on record after a SIGKILL, and the gateway starts as ever', async () => {
    const site = await createSite()
    const gateway = await spawnGateway(site)
    await withoutCertificate(gateway.callbacks.port)
    const before = await refusalsOf(gateway, 1)
    gateway.process.kill('SIGKILL')
    await gateway.exited

    const again = await spawnGateway(site)
    expect(await refusalsOf(again, 1)).toEqual(before)
    expect((await callBack({ ...again, site })).status).toBe(200)
    const [row] = await refusalsOf(again, 1)
    expect(row?.code).toBe('no_certificate')
    await until(async () => (await refusalsOf(again, 1))[0]?.probe)
  }, 30_000)

  it('is no probe; the request without a certificate before a good one is', async () => {
    const gateway = await startTestGateway()
    await withoutCertificate(gateway.callbacks.port)
    expect(await refusalsOf(gateway, 1)).toMatchObject([{ probe: false }])
    expect((await callBack(gateway)).status).toBe(200)
    await until(async () => (await refusalsOf(gateway, 1))[0]?.probe)
    await withoutCertificate(gateway.callbacks.port)
    expect((await refusalsOf(gateway, 2)).map((row) => row.probe)).toEqual([true, false])
  })
})
