import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { join } from 'node:path'
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { expect, inject, it, onTestFinished } from 'vitest'
import { readRemoteCertificate } from '../../../src/certificates/live/remote-certificate.ts'
import { serverWithOddKey } from '../../support/odd-keys.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { refusalOf } from '../files/bundles.ts'

const laboratory = inject('testCa')
const pem = (name: string) => readFileSync(join(laboratory, name))
const own = { cert: pem('server.crt'), key: pem('server.key') }

async function serve(
  options: TlsOptions,
  greet = (_: TLSSocket) => {},
): Promise<{ host: string; port: number; names: string[] }> {
  const names: string[] = []
  const SNICallback: TlsOptions['SNICallback'] = (name, proceed) => {
    names.push(name)
    proceed(null)
  }
  const server = createServer({ ...own, SNICallback, ...options }, (socket) => {
    greet(socket.on('error', () => {}).resume())
  })
  server.on('tlsClientError', () => {})
  return { ...(await listen(server)), names }
}

async function listen(server: Server): Promise<{ host: string; port: number }> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => new Promise((done) => server.close(() => done())))
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
}

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const

it.each(VERSIONS)(
  'what a server sends in %s is read without trusting it, without a local root behind it',
  async (version) => {
    const { host, port } = await serve({ minVersion: version, maxVersion: version })
    const { certificates, ...rest } = await readRemoteCertificate({ host, port })
    expect(certificates.map(({ subject }) => subject.split('\n')[0])).toEqual([
      'CN=localhost',
      'CN=Portaria development server CA',
    ])
    expect(rest).toEqual({ protocol: version, clientCertificate: 'not asked for', isNamed: true })
  },
)

it.skipIf(!hasOpenssl)(
  'a server that sends a key on a curve without a NIST name does not end the process',
  async () => {
    const { cert, key } = serverWithOddKey('localhost')
    const { certificates } = await readRemoteCertificate(await serve({ cert, key }))
    expect(certificates.map(({ subject }) => subject)).toEqual(['CN=localhost', 'CN=authority'])
  },
)

it.each(VERSIONS)(
  'whether a server asks for a client certificate, and insists, gets the reason in %s',
  async (version) => {
    const asked = {
      minVersion: version,
      maxVersion: version,
      requestCert: true,
      ca: pem('trust/production.pem'),
    } as const
    const [optional, required] = await Promise.all([serve({ ...asked, rejectUnauthorized: false }), serve(asked)])
    const [one, two] = await Promise.all([
      readRemoteCertificate(optional, { refusalMs: 300 }),
      readRemoteCertificate(required, { refusalMs: 9_000 }),
    ])
    expect([one.clientCertificate, two.clientCertificate]).toEqual(['asked for', 'required'])
    expect([one.certificates.length, two.certificates.length]).toEqual([2, 2])
  },
)

it('a server that hangs up on a caller without a certificate insists on one, too', async () => {
  const asked = { requestCert: true, rejectUnauthorized: false, ca: pem('trust/production.pem') }
  const server = await serve(asked, (socket) => socket.end())
  const { clientCertificate } = await readRemoteCertificate(server, { refusalMs: 9_000 })
  expect(clientCertificate).toBe('required')
})

it('the server name is sent, and is what the certificate must name', async () => {
  const { host, port, names } = await serve({})
  const seen = [
    await readRemoteCertificate({ host, port, servername: 'localhost' }),
    await readRemoteCertificate({ host, port, servername: 'bank.example' }),
    await readRemoteCertificate({ host, port, servername: '' }),
  ]
  expect(seen.map(({ isNamed }) => isNamed)).toEqual([true, false, true])
  expect(names).toEqual(['localhost', 'bank.example'])
})

it('a server that does not answer, speaks no TLS or is not there is reported in words', async () => {
  const silent = await listen(createTcpServer((socket) => socket.on('error', () => {}).resume()))
  const plain = await listen(
    createTcpServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end('HTTP/1.1 400\r\n\r\n'),
    ),
  )
  const expected: [number, RegExp][] = [
    [silent.port, /no answer within 300 ms/],
    [plain.port, /wrong version number/],
    [1, /ECONNREFUSED/],
  ]
  for (const [port, reason] of expected) {
    const error = await refusalOf(() => readRemoteCertificate({ host: '127.0.0.1', port }, { timeoutMs: 300 }))
    expect([error.code, error.message]).toEqual(['not_found', expect.stringMatching(reason)])
    expect(error.message).toMatch(/shows no certificate .*: check host and port/)
  }
})
