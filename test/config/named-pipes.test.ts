import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { operatorToken } from '../../src/api/auth/operator-token.ts'
import { readBundle } from '../../src/certificates/files/bundle.ts'
import { replaceFiles } from '../../src/certificates/files/written-files.ts'
import { loadServerCertificate } from '../../src/certificates/live/server-certificate.ts'
import { loadTrust } from '../../src/certificates/trust/trust.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { PortariaError } from '../../src/platform/errors.ts'
import { createSite } from '../support/gateway.ts'

/** All words of the error. */
async function refusalOf(read: () => unknown): Promise<string> {
  try {
    await read()
  } catch (error) {
    if (error instanceof PortariaError) return [error.message, ...error.details].join('\n')
    throw error
  }
  throw new Error('it was read')
}

it('a named pipe in the place of any configured file is refused in words, and nothing waits for a caller that writes to it', async () => {
  const destination = { name: 'app', url: 'https://app.example/', secretFile: 'pipe' }
  const charges = { host: '127.0.0.1', port: 0, certificate: 'certs/server.crt', privateKey: 'certs/server.key' }
  const tokens = [{ environment: 'production', tokenFile: 'pipe' }]
  const withSecret = await createSite({ destinations: [destination] })
  const withToken = await createSite({ chargeNotifications: { ...charges, tokens } })
  const withAuthority = await createSite({ destinations: [{ name: 'app', url: destination.url, ca: 'pipe' }] })
  for (const { folder } of [withSecret, withToken, withAuthority]) execFileSync('mkfifo', [join(folder, 'pipe')])
  const pipe = join(withSecret.folder, 'pipe')
  const certificate = join(withSecret.certs, 'server.crt')
  const now = new Date()

  const refusals = await Promise.all(
    [
      () => loadConfig(pipe),
      () => loadConfig(withSecret.configFile),
      () => loadConfig(withToken.configFile),
      () => loadConfig(withAuthority.configFile),
      () => operatorToken(pipe, false),
      () => operatorToken(pipe, true),
      () => loadServerCertificate({ certificate: pipe, privateKey: pipe }, now),
      () => loadServerCertificate({ certificate, privateKey: pipe }, now),
      () => loadTrust([{ environment: 'production', chain: pipe }], now),
      () => readBundle(pipe, async () => ''),
      () => replaceFiles([{ path: pipe, content: 'new', mode: 0o600 }]),
    ].map(refusalOf),
  )

  for (const words of refusals) expect(words).toMatch(/is a named pipe and not a regular file: write its content/)
})
