import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, type SecureVersion } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mutualTlsOptions } from '../../../src/tls/server-tls-options.ts'
import { BASE_CALLBACKS, createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { hasOpenssl } from '../../support/openssl.ts'

const LISTENERS = ['callbacks', 'charges', 'api'] as const
type Listener = (typeof LISTENERS)[number]

/** RSA, for static RSA and CBC suites need such a key. */
const RSA = { certificate: 'certs/rsa.crt', privateKey: 'certs/rsa.key' }
const LIMITS = { handshakeTimeout: '400ms' }

async function startAllWithTls(): Promise<TestGateway> {
  const site = await createSite({
    callbacks: { ...BASE_CALLBACKS, ...RSA, limits: LIMITS },
    chargeNotifications: {
      host: '127.0.0.1',
      port: 0,
      ...RSA,
      tokens: [{ environment: 'production', tokenFile: 'charge-token' }],
    },
    api: { host: '127.0.0.1', port: 0, ...RSA, limits: LIMITS },
  })
  writeFileSync(join(site.folder, 'charge-token'), 'aaaa'.repeat(16), { mode: 0o600 })
  const files = ['-keyout', join(site.certs, 'rsa.key'), '-out', join(site.certs, 'rsa.crt')]
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', ...files, ...name], {
    stdio: 'ignore',
  })
  return startTestGateway(site)
}

/** What openssl says of a handshake with these options, after which it writes the input. */
async function sayings(gateway: TestGateway, listener: Listener, args: readonly string[], input = ''): Promise<string> {
  const { port } = gateway[listener] as { port: number }
  const service = join(gateway.site.certs, 'service/production-client')
  const caller = listener === 'callbacks' ? ['-cert', `${service}.crt`, '-key', `${service}.key`] : []
  const child = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...caller, ...args], { timeout: 10_000 })
  onTestFinished(() => void child.kill())
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  await once(child, 'close')
  return said
}

const old = (suite: string) => ['-tls1_2', '-cipher', `${suite}:@SECLEVEL=0`]

describe.skipIf(!hasOpenssl)('TLS of every listener (with openssl)', () => {
  it('is 1.2 and 1.3 with forward secrecy and authenticated encryption, without tickets and renegotiation', async () => {
    const gateway = await startAllWithTls()
    for (const listener of LISTENERS) {
      const talk = (args: readonly string[], input?: string) => sayings(gateway, listener, args, input)
      const isRefused = async (args: readonly string[], alert: string) => {
        const said = await talk(args)
        return said.includes(alert) && said.includes('Cipher is (NONE)')
      }
      const [modern, spoken, renegotiated] = [
        await talk(['-tls1_3']),
        await talk(['-tls1_2']),
        await talk(['-tls1_2'], 'R\n'),
      ]
      expect({
        listener,
        modern: /Cipher is TLS_AES_/.test(modern),
        forwardSecret: spoken.includes('Cipher is ECDHE-RSA-AES128-GCM-SHA256'),
        tickets: spoken.includes('TLS session ticket:'),
        renegotiationRefused: /RENEGOTIATING.*no renegotiation/s.test(renegotiated),
        cbcRefused: await isRefused(old('ECDHE-RSA-AES128-SHA256:ECDHE-RSA-AES256-SHA'), 'alert handshake failure'),
        staticRsaRefused: await isRefused(old('AES128-GCM-SHA256:AES256-SHA'), 'alert handshake failure'),
        tls11Refused: await isRefused(['-tls1_1', '-cipher', 'ALL:@SECLEVEL=0'], 'alert protocol version'),
      }).toEqual({
        listener,
        modern: true,
        forwardSecret: true,
        tickets: false,
        renegotiationRefused: true,
        cbcRefused: true,
        staticRsaRefused: true,
        tls11Refused: true,
      })
    }
  })

  it('cuts off a handshake that takes too long', async () => {
    const gateway = await startAllWithTls()
    for (const listener of LISTENERS) {
      const socket = connect({ host: '127.0.0.1', port: (gateway[listener] as { port: number }).port })
      onTestFinished(() => void socket.destroy())
      socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]))
      socket.on('error', () => undefined)
      await once(socket.resume(), 'close')
    }
  })
})

/** Who writes nothing reads the alert, and not that the connection was reset. */
async function alertWithoutCertificate(gateway: TestGateway, version: SecureVersion): Promise<string | undefined> {
  const versions = { minVersion: version, maxVersion: version }
  const socket = connectTls({ host: '127.0.0.1', port: gateway.callbacks.port, ...versions, rejectUnauthorized: false })
  onTestFinished(() => void socket.destroy())
  let code: string | undefined
  socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code))
  await new Promise((resolve) => socket.resume().once('close', resolve))
  return code
}

describe('a caller of callbacks', () => {
  it('without a certificate is refused in the handshake, in every version', async () => {
    const gateway = await startTestGateway()
    expect([
      await alertWithoutCertificate(gateway, 'TLSv1.2'),
      await alertWithoutCertificate(gateway, 'TLSv1.3'),
    ]).toEqual(['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'])
  })

  it('with a certificate of a public root is not let in for want of an authority', () => {
    expect(() => mutualTlsOptions({ cert: '', key: '' }, [], 1)).toThrow('needs an authority')
  })
})
