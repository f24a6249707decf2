import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createSite, spawnGateway, type TestSite } from '../support/gateway.ts'

const hasTestssl = spawnSync('testssl', ['--version']).status === 0
const LISTENERS = ['callbacks', 'charges', 'api'] as const
const TLS = { certificate: 'certs/server.crt', privateKey: 'certs/server.key' }
/** Protocols, kinds of ciphers, forward secrecy, what the server prefers and shows, headers, known attacks; all but the simulated browsers. */
const CHECKS = ['-p', '-s', '-f', '-P', '-S', '-h', '-U']
/** Each takes half a minute by itself. */
const TIME_LIMIT_MS = 500_000

async function site(): Promise<TestSite> {
  const made = await createSite({
    chargeNotifications: {
      host: '127.0.0.1',
      port: 0,
      ...TLS,
      tokens: [{ environment: 'production', tokenFile: 'charge-token' }],
    },
    api: { host: '127.0.0.1', port: 0, ...TLS },
  })
  writeFileSync(join(made.folder, 'charge-token'), 'aaaa'.repeat(16), { mode: 0o600 })
  return made
}

/** Debian's testssl has no option for a client certificate: its openssl shows one in every handshake, so that it gets as far as an answer. */
function opensslWithCertificate({ folder, certs }: TestSite): string {
  const file = join(folder, 'openssl')
  const service = join(certs, 'service/production-client')
  const script = `#!/bin/sh
if [ "$1" = s_client ]; then shift; exec openssl s_client -cert '${service}.crt' -key '${service}.key' "$@"; fi
exec openssl "$@"
`
  writeFileSync(file, script, { mode: 0o755 })
  return file
}

interface Finding {
  readonly id: string
  readonly severity: string
  readonly finding: string
}

async function findingsOf(at: TestSite, port: number, more: readonly string[]): Promise<readonly Finding[]> {
  const report = join(at.folder, `testssl-${port}.json`)
  const how = ['--quiet', '--color', '0', '--warnings', 'off', '--nodns', 'none', '--ip', '127.0.0.1']
  const trust = ['--add-ca', join(at.certs, 'server-ca.crt')]
  const args = [...how, ...trust, ...more, ...CHECKS, '--jsonfile', report, `localhost:${port}`]
  await promisify(execFile)('testssl', args, { timeout: TIME_LIMIT_MS, maxBuffer: 1 << 26 }).catch((error: unknown) => {
    // Its exit code counts checks that it could not make, such as a resumption without tickets.
    if (typeof (error as { code?: unknown }).code !== 'number') throw error
  })
  if (!existsSync(report)) throw new Error(`testssl wrote no report of port ${port}`)
  return JSON.parse(readFileSync(report, 'utf8')) as Finding[]
}

/** A private authority, as the development one is, has no place where revocations could be looked up. */
const OF_PRIVATE_AUTHORITY = ['cert_revocation']
const TOO_BAD = ['MEDIUM', 'HIGH', 'CRITICAL', 'FATAL']

it.skipIf(!hasTestssl)(
  'testssl finds nothing above LOW on any listener',
  { timeout: TIME_LIMIT_MS + 20_000 },
  async () => {
    const at = await site()
    const gateway = await spawnGateway(at)
    const portOf = (listener: (typeof LISTENERS)[number]) => (gateway[listener] as { port: number }).port
    const all = await Promise.all(
      LISTENERS.map((listener) =>
        findingsOf(at, portOf(listener), listener === 'callbacks' ? ['--openssl', opensslWithCertificate(at)] : []),
      ),
    )
    for (const [index, findings] of all.entries()) {
      const bad = findings.filter(
        ({ id, severity }) => TOO_BAD.includes(severity) && !OF_PRIVATE_AUTHORITY.includes(id),
      )
      expect([LISTENERS[index], bad]).toEqual([LISTENERS[index], []])
      // It got through to the end, and to an answer behind the handshake.
      const found = (id: string) => findings.find((one) => one.id === id)?.finding
      expect([found('TLS1_3'), found('HTTP_status_code'), found('LUCKY13')]).toEqual([
        expect.stringContaining('offered'),
        // The API answers GET / with the way to its pages.
        expect.stringMatching(/^4\d\d |^Unexpected 303 /),
        expect.stringContaining('not vulnerable'),
      ])
    }
  },
)
