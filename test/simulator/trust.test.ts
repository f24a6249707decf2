import { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { firstStart } from '../../simulator/test/folder/support.ts'
import { loadTrust } from '../../src/certificates/trust/trust.ts'
import { environmentOf } from '../../src/domain/realm.ts'

const first = firstStart()
const ENVIRONMENTS = ['production', 'sandbox'] as const

it('a gateway takes the published chains without a warning, each for its own environment', async () => {
  const { environments } = await first.open()
  const entries = ENVIRONMENTS.map((environment) => ({ environment, chain: environments[environment].chainFile }))
  const { trust, warnings } = loadTrust(entries, new Date())
  expect(warnings).toEqual([])
  expect(trust.issuing).toHaveLength(2)
  for (const { environment, certificate } of trust.issuing) {
    const client = new X509Certificate(environments[environmentOf(environment)].client.cert)
    expect(client.checkIssued(certificate) && client.verify(certificate.publicKey)).toBe(true)
  }
})

it('a gateway takes both chains of one environment at once', async () => {
  const folder = await first.open(first.copy())
  const before = folder.environments.sandbox.chainFile
  await folder.rotate('sandbox')
  const chains = [before, folder.environments.sandbox.chainFile]
  const { trust, warnings } = loadTrust(
    chains.map((chain) => ({ environment: 'sandbox' as const, chain })),
    new Date(),
  )
  expect(warnings).toEqual([])
  expect(trust.issuing).toHaveLength(2)
})
