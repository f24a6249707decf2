import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createServer, type SecureVersion, type TlsOptions } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { allEvents } from '../../support/calls.ts'
import { startTestGateway, type TestGateway, type TestSite } from '../../support/gateway.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { until } from '../../support/until.ts'

/** The alert that says "no certificate was sent": handshake_failure (RFC 5246), certificate_required (RFC 8446). */
const VERSIONS = [
  { version: 'TLSv1.2', flag: '-tls1_2', alert: 40 },
  { version: 'TLSv1.3', flag: '-tls1_3', alert: 116 },
]
const PATHS = ['/', '/callbacks/payment', '/callbacks/payment/pix', '/callbacks/registration', '/charges/x', '/nowhere']
const SHA1 = 'ECDSA+SHA1:RSA+SHA1'
const NOTHING_SHARED = 'no common signature algorithm'
const ANY_STRENGTH = ['-cipher', 'DEFAULT@SECLEVEL=0']

describe.skipIf(!hasOpenssl)('the two requests of the service, made by the openssl command line', () => {
  describe.each(VERSIONS)('in $version', ({ version, flag, alert }) => {
    it('refuses a caller without a certificate in the handshake, with the alert that says so', async () => {
      const gateway = await startTestGateway()

      const { output } = await call(gateway.callbacks.port, [flag], '')

      expect(output).toContain(`SSL alert number ${alert}\n`)
      expect(await refusalsOf(gateway, 1)).toEqual(['no client certificate'])
    })

    it('refuses a caller without a certificate on every path, however early it writes', async () => {
      const gateway = await startTestGateway()
      const requests = PATHS.map((path) => post(path))
      for (const path of ['/healthz', '/readyz', '/metrics', '/']) requests.push(get(path))

      const outcomes = await Promise.all(requests.map((request) => call(gateway.callbacks.port, [flag], request)))

      expect(outcomes.filter(({ output }) => output.includes('HTTP/1.1'))).toEqual([])
      expect(new Set(await refusalsOf(gateway, requests.length))).toEqual(new Set(['no client certificate']))
      expect(await allEvents(gateway.api)).toEqual([])
    })

    it('takes up no session again: each connection is a full handshake, with a certificate', async () => {
      const gateway = await startTestGateway()
      const session = join(gateway.site.folder, 'session.pem')
      const service = [flag, ...asService(gateway.site)]

      const first = await call(gateway.callbacks.port, [...service, '-sess_out', session], post('/callbacks/payment'))
      const resume = existsSync(session) ? ['-sess_in', session] : []
      const second = await call(gateway.callbacks.port, [...service, ...resume], post('/callbacks/registration'))

      for (const { output } of [first, second]) {
        expect(output).toContain(`New, ${version}, Cipher is`)
        expect(output).not.toMatch(/^Reused/m)
      }
    })

    it('answers 200 to a caller with the certificate of the service, and keeps what it sent', async () => {
      const gateway = await startTestGateway()

      const { output } = await call(
        gateway.callbacks.port,
        [flag, ...asService(gateway.site)],
        post('/callbacks/payment'),
      )

      expect(output).toContain(`New, ${version}, Cipher is`)
      expect(output).toContain('Verify return code: 0 (ok)')
      expect(output).toMatch(/HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n200/)
      expect(await allEvents(gateway.api)).toMatchObject([{ kind: 'payment', authentication: 'mutual-tls' }])
    })

    it('resumes no session, so a caller without a certificate cannot live on that of another', async () => {
      const gateway = await startTestGateway()
      const lenient = await startLenientServer(gateway.site)
      const file = (port: number) => join(gateway.site.folder, `session-${port}`)
      const begin = (port: number) =>
        call(port, [flag, ...asService(gateway.site), '-sess_out', file(port)], post('/callbacks/payment'))
      const resume = async (port: number, args: string[]) => {
        await begin(port)
        const session = existsSync(file(port)) ? ['-sess_in', file(port)] : []
        return (await call(port, [flag, ...args, ...session], post('/callbacks/payment'))).output
      }

      expect(await resume(lenient, asService(gateway.site))).toContain(`Reused, ${version}, Cipher is`)
      expect(await resume(lenient, [])).toContain('HTTP/1.1 200')
      const again = await resume(gateway.callbacks.port, asService(gateway.site))
      expect(again).toContain(`New, ${version}, Cipher is`)
      expect(again).not.toContain('Reused,')
      expect(await resume(gateway.callbacks.port, [])).not.toMatch(/HTTP\/1\.1|Reused,/)
      expect(await refusalsOf(gateway, 1)).toEqual(['no client certificate'])
      expect(await countEvents(gateway)).toBe(3)
    })
  })

  it.each([
    ['that knows nothing but SHA-1, in TLS 1.2', ['-tls1_2', '-sigalgs', SHA1], NOTHING_SHARED],
    ['that knows nothing but SHA-1, with TLS 1.3 on offer', ['-no_tls1', '-sigalgs', SHA1], NOTHING_SHARED],
    ['that proves its key with SHA-1', ['-tls1_2', '-client_sigalgs', SHA1], 'no client certificate'],
  ])('refuses a caller %s', async (_name, sha1, reason) => {
    const gateway = await startTestGateway()
    const lenient = await startLenientServer(gateway.site, { maxVersion: 'TLSv1.2' })
    const args = [...sha1, ...ANY_STRENGTH, ...asService(gateway.site)]

    expect((await call(lenient, args, get('/'))).output).toContain('HTTP/1.1 200')
    const { output } = await call(gateway.callbacks.port, args, post('/callbacks/payment'))

    expect(output).not.toContain('HTTP/1.1')
    expect(await refusalsOf(gateway, 1)).toEqual([reason])
  })

  it.each([
    ['TLS 1.0', '-tls1'],
    ['TLS 1.1', '-tls1_1'],
  ])('does not speak %s', async (_name, flag) => {
    const gateway = await startTestGateway()
    const lenient = await startLenientServer(gateway.site)
    const args = [flag, ...ANY_STRENGTH, ...asService(gateway.site)]

    expect((await call(lenient, args, get('/'))).output).toContain('HTTP/1.1 200')
    const { output } = await call(gateway.callbacks.port, args, post('/callbacks/payment'))

    expect(output).not.toContain('HTTP/1.1')
    expect(output).toContain('SSL alert number 70\n')
    expect(await refusalsOf(gateway, 1)).toEqual(['TLS too old: 1.2 and 1.3 are spoken here'])
  })

  it.each([
    ['CBC', 'ECDHE-ECDSA-AES128-SHA256'],
    ['CBC with SHA-1', 'ECDHE-ECDSA-AES256-SHA'],
    ['CCM with a short tag', 'ECDHE-ECDSA-AES128-CCM8'],
  ])('takes no cipher with %s in TLS 1.2', async (_name, cipher) => {
    const gateway = await startTestGateway()
    const lenient = await startLenientServer(gateway.site)
    const args = ['-tls1_2', '-cipher', `${cipher}:@SECLEVEL=0`, ...asService(gateway.site)]

    expect((await call(lenient, args, get('/'))).output).toContain(`Cipher is ${cipher}\n`)
    const { output } = await call(gateway.callbacks.port, args, post('/callbacks/payment'))

    expect(output).not.toContain('HTTP/1.1')
    expect(output).toContain('SSL alert number 40\n')
    expect(await refusalsOf(gateway, 1)).toEqual(['no common cipher'])
  })

  it.each(['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-CHACHA20-POLY1305'])(
    'takes %s in TLS 1.2',
    async (cipher) => {
      const gateway = await startTestGateway()
      const args = ['-tls1_2', '-cipher', cipher, ...asService(gateway.site)]

      const { output } = await call(gateway.callbacks.port, args, post('/callbacks/payment'))

      expect(output).toContain(`New, TLSv1.2, Cipher is ${cipher}\n`)
      expect(output).toContain('HTTP/1.1 200 OK')
    },
  )

  it('renegotiates nothing, and is not held up by a caller who tried', async () => {
    const gateway = await startTestGateway()
    const lenient = await startLenientServer(gateway.site, { renegotiates: true })
    const renegotiate = (port: number) =>
      call(port, ['-tls1_2', '-msg', ...asService(gateway.site)], 'R\n', { commands: true })

    const [willing, refusing] = [await renegotiate(lenient), await renegotiate(gateway.callbacks.port)]

    const handshakes = (output: string) => output.match(/<<< .*Handshake .*ServerHello$/gm)?.length
    expect(handshakes(willing.output)).toBe(2)
    expect(refusing.output).toContain('RENEGOTIATING')
    expect(refusing.output).toContain('no renegotiation')
    expect(handshakes(refusing.output)).toBe(1)
    // Whatever is still open when it stops gets four seconds.
    expect(await Promise.race([gateway.stop().then(() => 'stopped'), wait(3900, 'held up')])).toBe('stopped')
  })

  it('tells production from sandbox by the issuing certificate, though one root is above both', async () => {
    const gateway = await startTestGateway()
    const roots = ['production', 'sandbox'].map((name) => lastCertificateOf(gateway.site, `trust/${name}.pem`))
    expect(roots[0]).toBe(roots[1])

    for (const environment of ['production', 'sandbox'] as const) {
      const args = ['-tls1_3', ...asService(gateway.site, environment)]
      await call(gateway.callbacks.port, args, post('/callbacks/payment', `{"identificador":"from ${environment}"}`))
    }

    expect(await allEvents(gateway.api)).toMatchObject([
      { subject: 'from production', environment: 'production' },
      { subject: 'from sandbox', environment: 'sandbox' },
    ])
  })
})

let bodies = 0

function post(path: string, body = `{"identificador":"${++bodies}"}`): string {
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`
}

function asService({ certs }: TestSite, environment = 'production'): string[] {
  const at = (ending: string) => join(certs, `service/${environment}-client.${ending}`)
  return ['-cert', at('crt'), '-key', at('key'), '-CAfile', join(certs, 'server-ca.crt')]
}

/** s_client until the server ends it; the request waits in its input before the handshake has begun. Standard output and error together. */
function call(port: number, args: string[], input: string, { commands = false } = {}): Promise<{ output: string }> {
  const connect = ['s_client', '-connect', `127.0.0.1:${port}`, '-servername', 'localhost']
  const child = spawn('openssl', [...connect, ...(commands ? [] : ['-ign_eof']), ...args], { timeout: 10_000 })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  // A caller that is refused leaves its input unread.
  child.stdin.on('error', () => undefined)
  child.stdin.write(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (_code, signal) =>
      signal === null ? resolve({ output }) : reject(new Error(`the connection was left open: ${output}`)),
    )
  })
}

/** What the gateway must not be: the same certificate and trust, with all that it switches off. So each attack is seen to work. */
async function startLenientServer(
  site: TestSite,
  { renegotiates = false, maxVersion }: { renegotiates?: boolean; maxVersion?: SecureVersion } = {},
): Promise<number> {
  const options: TlsOptions = {
    cert: readFileSync(join(site.certs, 'server.crt')),
    key: readFileSync(join(site.certs, 'server.key')),
    ca: readFileSync(join(site.certs, 'trust/production.pem')),
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1',
    maxVersion: maxVersion ?? 'TLSv1.3',
    ciphers: 'ALL:@SECLEVEL=0',
    sigalgs: 'ECDSA+SHA256:RSA+SHA256:ECDSA+SHA1:RSA+SHA1',
  }
  const server = createServer(options, (socket) => {
    socket.on('error', () => undefined)
    if (renegotiates) socket.once('secure', () => socket.end())
    else socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n200'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function refusalsOf(gateway: TestGateway, count: number): Promise<unknown[]> {
  const read = () => gateway.lines.filter((line) => line.event === 'caller.refused').map((line) => line.reason)
  return until(read, (reasons) => reasons.length >= count)
}

async function countEvents(gateway: TestGateway): Promise<number> {
  return (await allEvents(gateway.api)).length
}

function lastCertificateOf({ certs }: TestSite, file: string): string | undefined {
  return readFileSync(join(certs, file), 'utf8').split('-----BEGIN').at(-1)
}
