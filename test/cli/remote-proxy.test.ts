import { expect, it, vi } from 'vitest'
import { openTransport } from '../../src/cli/remote/transport.ts'

it('a gateway that cannot be reached past a proxy of the environment: it is said that none is used, without its address', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://user:proxy-password@proxy.example:3128')
  const textFor = async (api: string) => {
    const transport = await openTransport({ api, ca: null, certificate: null }, '')
    const failed = await transport.exchange('/', { method: 'GET' }, null).catch((error: Error) => error.message)
    await transport.close()
    return failed
  }
  const far = await textFor('https://far.invalid:8080')
  expect(far).toMatch(/; HTTPS_PROXY is set, but no proxy of the environment is used: connect without it$/)
  expect(far).not.toContain('proxy-password')
  expect(await textFor('https://127.0.0.1:1')).not.toContain('HTTPS_PROXY')
})
