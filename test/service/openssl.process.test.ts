import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createServiceClient } from '../../src/service/client.ts'
import { createAuthority } from '../support/authority.ts'
import { issuePair, issuePairs, type Pair } from '../support/issued-pairs.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { makeRevocationList } from '../support/revocation-lists.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { certificateOf, collectLines, failureOf, guardedConnect } from './service.ts'

let pairs: { authority: Pair; server: Pair; client: Pair }
let other: Pair
beforeAll(async () => {
  pairs = await issuePairs()
  other = await issuePair('Other Authority')
})

/** `openssl s_server` that demands a certificate of this authority, and answers with the HTTP text. */
async function startServer(authority: Pair, options: readonly string[], answer = '') {
  const folder = temporaryFolder()
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const child: ChildProcessWithoutNullStreams = spawn('openssl', [
    ...['s_server', '-accept', '127.0.0.1:0', '-Verify', '2', '-verify_return_error'],
    ...['-cert', write('crt', pairs.server.cert), '-key', write('key', pairs.server.key)],
    ...['-CAfile', write('ca', authority.cert), ...options],
  ])
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined)
  const lines: string[] = []
  const { promise: port, resolve } = Promise.withResolvers<number>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    const [, found] = /^ACCEPT .*:(\d+)$/.exec(line) ?? []
    if (found !== undefined) resolve(Number(found))
    // The body of the request for a token is its last line, without an end.
    if (line === '') child.stdin.write(answer)
  })
  return { port: await port, lines }
}

function clientOf(port: number, account: Pair = pairs.client) {
  const base = `https://127.0.0.1:${port}`
  const client = createServiceClient({
    environment: 'sandbox',
    clientId: 'id',
    clientSecret: 'of-the-service',
    servicePathSegment: 'svc',
    baseAddresses: { account: null, payment: `${base}/payment`, registration: null, openBanking: null, charges: base },
    certificate: certificateOf(account),
    authorities: pairs.authority.cert,
    connect: guardedConnect(),
    now: Date.now,
    random: () => 0,
    retryMs: 1,
    timeoutMs: 5000,
    callTimeoutMs: 5000,
    log: collectLines().log,
  })
  onTestFinished(() => client.close())
  return client
}

describe.skipIf(!hasOpenssl)('against openssl s_server', () => {
  it('a token is fetched with the certificate of the account', async () => {
    const body = '{"access_token":"t","expires_in":60}'
    const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const { port, lines } = await startServer(pairs.authority, ['-tls1_2'], answer)
    await clientOf(port).signIn('payment')
    expect(lines).toContain('POST /payment/v1/oauth/token HTTP/1.1')
    expect(lines.join('\n')).toMatch(/subject=CN ?= ?client/)
    expect(lines).toContain('content-length: 35')
  })

  it.each(['-tls1_2', '-tls1_3'])(
    'an alert about the certificate (%s) is final, and names the alert',
    async (version) => {
      const { port } = await startServer(other, [version])
      const failure = await failureOf(clientOf(port).signIn('payment'))
      expect(failure).toMatchObject({ code: 'certificate_refused', isFinal: true })
      expect(failure.message).toMatch(
        /does not accept the client certificate \(TLS alert \d+ \((unknown_ca|bad_certificate|certificate_\w+)\)\)/,
      )
    },
  )

  it.each(['-tls1_2', '-tls1_3'])('a revoked certificate (%s) is final, and the failure says so', async (version) => {
    const folder = temporaryFolder()
    const { issue } = createAuthority(folder)
    const issuer = issue({ name: 'accounts', ca: true })
    const account = issue({ name: 'account', issuer })
    const list = join(folder, 'list.pem')
    writeFileSync(list, makeRevocationList(folder, { issuer, revoked: [account] }))
    const { port } = await startServer({ cert: issuer.cert, key: '' }, [version, '-crl_check', '-CRL', list])
    const key = readFileSync(account.keyFile, 'utf8')
    const failure = await failureOf(clientOf(port, { cert: account.cert, key }).signIn('payment'))
    expect(failure).toMatchObject({ code: 'certificate_refused', isFinal: true })
    expect(failure.message).toContain('(TLS alert 44 (certificate_revoked))')
  })

  it('the charges interface is shown no certificate, also where it demands one', async () => {
    const { port } = await startServer(pairs.authority, ['-tls1_3'])
    const failure = await failureOf(clientOf(port).signIn('charges'))
    expect([failure.code, failure.message]).toEqual(['handshake', expect.stringContaining('certificate_required')])
  })

  it('TLS 1.1 is not spoken', async () => {
    const { port } = await startServer(pairs.authority, ['-tls1_1', '-cipher', 'DEFAULT@SECLEVEL=0'])
    const failure = await failureOf(clientOf(port).signIn('charges'))
    expect([failure.code, failure.message]).toEqual([
      'handshake',
      expect.stringMatching(/protocol_version|unsupported/),
    ])
  })
})
