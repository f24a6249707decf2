import { expect, it, onTestFinished, vi } from 'vitest'
import { openTransport } from '../../src/cli/remote/transport.ts'
import { createNameResolver } from '../../src/delivery/name-resolver.ts'
import { createAlarmHttp, createAlarmMail } from '../../src/gateway/alarms/alarm-http.ts'
import { createProviderFetch } from '../../src/oidc/provider-fetch.ts'

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

it('an alarm channel and an OpenID provider that cannot be reached past a proxy: the same is said', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://user:proxy-password@proxy.example:3128')
  const request = { method: 'POST', headers: {}, body: '{}' } as const
  const signal = AbortSignal.timeout(10_000)
  const sendAlarm = createAlarmHttp(createNameResolver())
  const provider = createProviderFetch(null)
  onTestFinished(() => provider.close())
  const failing = [
    sendAlarm({ ...request, url: 'https://far.invalid/' }, signal),
    createAlarmMail(createNameResolver())('far.invalid', 25, signal),
    provider.send('https://far.invalid/', { method: 'GET', headers: {} }),
  ]
  const [alarm, mail, signIn] = await Promise.all(failing.map((one) => one.catch((error: unknown) => error)))
  for (const failed of [alarm, mail]) expect(failed).toMatchObject({ code: 'proxy_not_used', words: 'far.invalid' })
  expect(String(signIn)).toMatch(/; HTTPS_PROXY is set, but no proxy of the environment is used: connect without it$/)
  expect(String(signIn)).not.toContain('proxy-password')
  const near = await sendAlarm({ ...request, url: 'https://127.0.0.1:1/' }, signal).catch((error: unknown) => error)
  expect(near).toMatchObject({ code: 'unreachable' })
})
