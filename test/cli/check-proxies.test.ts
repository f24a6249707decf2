import { expect, it } from 'vitest'
import { checkConfiguration } from '../../src/cli/check/configuration.ts'
import { BASE_CALLBACKS, createSite } from '../support/gateway.ts'

it.each([
  [['0.0.0.0/0', '::/0'], ['proxyProtocol has 0.0.0.0/0, ::/0: every caller can claim any address']],
  [['128.0.0.0/1', '0.0.0.0/1', '192.0.2.0/24'], ['proxyProtocol has 128.0.0.0/1, 0.0.0.0/1']],
  [['::ffff:0:0/96'], ['proxyProtocol has ::ffff:0:0/96']],
  [['0.0.0.0/1', '128.0.0.0/2', '8000::/1', '192.0.2.0/24'], []],
  [['192.0.2.0/24'], []],
])('trust in the PROXY headers of %j is a warning where it means everybody', async (proxyProtocol, expected) => {
  const site = await createSite({ callbacks: { ...BASE_CALLBACKS, proxyProtocol } })
  const { findings } = checkConfiguration(site.configFile)
  const found = findings.filter(({ code }) => code === 'listener.proxy_everybody')
  expect(found.map((finding) => finding.found)).toEqual(expected.map((text) => expect.stringContaining(text)))
})
