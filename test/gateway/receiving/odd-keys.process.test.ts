import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createAuthority } from '../../support/authority.ts'
import { callApi } from '../../support/calls.ts'
import { createSite, serviceCredentials, spawnGateway } from '../../support/gateway.ts'
import { greet, greetWithOddKeys } from '../../support/odd-keys.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { until } from '../../support/until.ts'

describe.skipIf(!hasOpenssl)('a caller that sends a key on a curve without a NIST name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const { issue } = createAuthority(folder)

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'in a CA certificate is let in or refused as without it, and ends no process, in %s',
    async (version) => {
      const odd = issue({ name: `odd-${version}`, ca: true, keyType: 'ec:secp256k1' })
      const untrusted = issue({ name: `untrusted-${version}`, issuer: odd })
      const site = await createSite()
      const { cert, key } = serviceCredentials(site)
      const gateway = await spawnGateway(site)

      const refused = { cert: untrusted.chain, key: readFileSync(untrusted.keyFile, 'utf8') }
      expect(await greet(gateway.callbacks.port, version, refused)).toBe('')
      expect(await greet(gateway.callbacks.port, version, { cert: `${cert}${odd.cert}`, key: `${key}` })).toMatch(
        /^HTTP\/1.1 404 /,
      )

      const refusals = async () =>
        (JSON.parse((await callApi(gateway.api, '/v1/refusals')).body) as { data: object[] }).data
      const [refusal] = await until(refusals, ({ length }) => length === 2)
      const shown = [
        { subject: `CN=untrusted-${version}` },
        { subject: `CN=odd-${version}`, issuer: `CN=odd-${version}` },
      ]
      expect(refusal).toMatchObject({ code: 'unknown_issuer', chain: shown })
      expect(gateway.process.exitCode).toBeNull()
    },
  )

  it('in its own certificate ends no process', async () => {
    const gateway = await spawnGateway(await createSite())
    await greetWithOddKeys(gateway.callbacks.port)
    await greetWithOddKeys(gateway.api.port)
    expect((await callApi(gateway.api, '/v1/refusals')).status).toBe(200)
    expect(gateway.process.exitCode).toBeNull()
  })
})
