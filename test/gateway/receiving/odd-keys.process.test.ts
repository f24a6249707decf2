import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type SecureVersion } from 'node:tls'
import { afterAll, describe, expect, it } from 'vitest'
import { createAuthority } from '../../support/authority.ts'
import { callApi } from '../../support/calls.ts'
import { createSite, type SpawnedGateway, serviceCredentials, spawnGateway } from '../../support/gateway.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { until } from '../../support/until.ts'

describe.skipIf(!hasOpenssl)('a caller that sends a CA certificate with a key on a curve without a NIST name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const { issue } = createAuthority(folder)

  function greet(gateway: SpawnedGateway, version: SecureVersion, who: { cert: string; key: string }): Promise<string> {
    const { port } = gateway.callbacks
    const versions = { minVersion: version, maxVersion: version }
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...versions, ...who })
    let answer = ''
    socket.on('data', (bytes) => (answer += bytes.toString()))
    socket.on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
    return new Promise((resolve) => socket.once('close', () => resolve(answer)))
  }

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'is let in or refused as without it, and ends no process, in %s',
    async (version) => {
      const odd = issue({ name: `odd-${version}`, ca: true, keyType: 'ec:secp256k1' })
      const stranger = issue({ name: `stranger-${version}`, issuer: odd })
      const site = await createSite()
      const { cert, key } = serviceCredentials(site)
      const gateway = await spawnGateway(site)

      const refused = { cert: stranger.chain, key: readFileSync(stranger.keyFile, 'utf8') }
      expect(await greet(gateway, version, refused)).toBe('')
      expect(await greet(gateway, version, { cert: `${cert}${odd.cert}`, key: `${key}` })).toMatch(/^HTTP\/1.1 404 /)

      const refusals = async () =>
        (JSON.parse((await callApi(gateway.api, '/v1/refusals')).body) as { data: object[] }).data
      const [refusal] = await until(refusals, ({ length }) => length === 2)
      const shown = [
        { subject: `CN=stranger-${version}` },
        { subject: `CN=odd-${version}`, issuer: `CN=odd-${version}` },
      ]
      expect(refusal).toMatchObject({ code: 'unknown_issuer', chain: shown })
      expect(gateway.process.exitCode).toBeNull()
    },
  )
})
