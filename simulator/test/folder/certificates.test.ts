import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { hasOpenssl, openssl } from '../support/openssl.ts'
import { firstStart } from './support.ts'

const HOST = 'pagamentos.example.com'
const first = firstStart([HOST])
const ENVIRONMENTS = ['production', 'sandbox'] as const
const run = (...args: string[]) => openssl(args, { cwd: first.path })

it.skipIf(!hasOpenssl)('openssl accepts the server certificate strictly, for its names only', () => {
  const verify = (...args: string[]) =>
    run('verify', '-x509_strict', '-CAfile', 'server-ca.crt', '-untrusted', 'server.crt', ...args, 'server.crt')
  for (const name of ['localhost', HOST]) {
    expect(verify('-purpose', 'sslserver', '-verify_hostname', name)).toBe('server.crt: OK\n')
  }
  for (const address of ['127.0.0.1', '::1']) {
    expect(verify('-purpose', 'sslserver', '-verify_ip', address)).toBe('server.crt: OK\n')
  }
  expect(() => verify('-purpose', 'sslclient')).toThrow(/unsuitable certificate purpose/)
  expect(() => verify('-verify_hostname', 'example.com')).toThrow(/hostname mismatch/)
})

it.skipIf(!hasOpenssl).each(ENVIRONMENTS)('openssl accepts the client certificate of %s strictly', (environment) => {
  const client = `service/${environment}-client.crt`
  const verify = (chain: string, purpose: string) =>
    run('verify', '-x509_strict', '-CAfile', `chains/${chain}.pem`, '-purpose', purpose, client)
  expect(verify(environment, 'sslclient')).toBe(`${client}: OK\n`)
  expect(() => verify(environment, 'sslserver')).toThrow(/unsuitable certificate purpose/)
  const other = environment === 'production' ? 'sandbox' : 'production'
  expect(() => verify(other, 'sslclient')).toThrow(/unable to get local issuer certificate/)
  // The file ends with the intermediate, which callers send along.
  expect(run('verify', '-CAfile', 'server-ca.crt', '-untrusted', client, client)).toBe(`${client}: OK\n`)
})

it.skipIf(!hasOpenssl).each(ENVIRONMENTS)('openssl accepts the account certificates of %s strictly', (environment) => {
  const authority = `authority/accounts-${environment}.pem`
  const account = `accounts/${environment}-second.crt`
  const args = ['-x509_strict', '-CAfile', 'server-ca.crt', '-untrusted', authority, '-purpose', 'sslclient', account]
  expect(run('verify', ...args)).toBe(`${account}: OK\n`)
  expect(run('x509', '-in', account, '-noout', '-text')).toContain('Public-Key: (2048 bit)')
})

it.skipIf(!hasOpenssl)('openssl reads each .p12 with an empty password, and finds the same certificate and key', () => {
  for (const name of ['production-integrator', 'sandbox-second']) {
    const read = (...args: string[]) =>
      run('pkcs12', '-in', `accounts/${name}.p12`, '-passin', 'pass:', '-nodes', ...args)
    const text = (ending: string) => readFileSync(join(first.path, `accounts/${name}.${ending}`), 'utf8')
    expect(read('-nokeys')).toContain(text('crt').trim())
    expect(read('-nocerts')).toContain(text('key').trim())
    expect(text('pem')).toBe(text('crt') + text('key'))
  }
})

it.skipIf(!hasOpenssl)(
  'every authority below the root is P-256 with SHA-256, key identifiers, pathlen 0 and ten years',
  () => {
    const names = ['server', 'production', 'sandbox', 'accounts-production', 'accounts-sandbox']
    for (const name of names) {
      const text = run('x509', '-in', `authority/${name}.pem`, '-noout', '-text')
      expect(text).toMatch(/CA:TRUE, pathlen:0/)
      expect(text).toMatch(/ASN1 OID: prime256v1[\s\S]*Subject Key Identifier[\s\S]*Authority Key Identifier/)
      expect(text).toContain('Signature Algorithm: ecdsa-with-SHA256')
      const { validFromDate, validToDate } = new X509Certificate(
        readFileSync(join(first.path, `authority/${name}.pem`)),
      )
      expect((validToDate.getTime() - validFromDate.getTime()) / 86_400_000).toBe(3_652)
    }
  },
)

it.each(ENVIRONMENTS)(
  'a TLS connection of Node with an account .p12 of %s is verified on both sides',
  async (environment) => {
    const { server, root, environments } = await first.open()
    const { accounts, accountAuthorities } = environments[environment]
    const { port, peers } = await listen({ ...server, ca: [...accountAuthorities] })
    for (const { files, certificateFingerprint256 } of accounts) {
      const socket = await connected({ port, ca: root, pfx: readFileSync(files.p12), servername: HOST })
      expect(socket.authorized).toBe(true)
      expect(await peers.next()).toEqual({ authorized: true, fingerprint256: certificateFingerprint256 })
      socket.destroy()
    }
  },
)

/** A TLS server that asks for a certificate and reports what it got. */
async function listen(options: { cert: string; key: string; ca: string[] }) {
  const found: { authorized: boolean; fingerprint256: string }[] = []
  const waiting: ((peer: (typeof found)[number]) => void)[] = []
  const server = createServer({ ...options, requestCert: true, rejectUnauthorized: false }, (socket) => {
    socket.on('error', () => undefined)
    const peer = { authorized: socket.authorized, fingerprint256: socket.getPeerCertificate().fingerprint256 }
    const next = waiting.shift()
    if (next === undefined) found.push(peer)
    else next(peer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const next = () =>
    new Promise<(typeof found)[number]>((resolve) => {
      const peer = found.shift()
      if (peer === undefined) waiting.push(resolve)
      else resolve(peer)
    })
  return { port: (server.address() as AddressInfo).port, peers: { next } }
}

function connected(options: { port: number; ca: string; pfx: Buffer; servername: string }): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', passphrase: '', ...options }, () => resolve(socket))
    socket.on('error', reject)
  })
}
