import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { callApi } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { type AskOptions, ask, startApi } from '../api.ts'

const statusFor = async (api: { port: number }, host: string, path = '/healthz', options: AskOptions = {}) =>
  (await ask(api, path, { ...options, headers: { ...options.headers, host } })).status

it('a request that names this machine is answered, on any port and however it is written', async () => {
  const api = await startApi()
  const hosts = [
    ...['localhost', 'localhost:8080', 'LocalHost:1', 'localhost.', 'localhost:', 'portaria.localhost:8080'],
    ...['127.0.0.1', '127.0.0.1:9', '127.8.9.1:8080', '[::1]', '[::1]:8080'],
  ]
  for (const host of hosts) expect([host, await statusFor(api, host)]).toEqual([host, 200])
  expect(api.refused).toEqual([])
})

it('one that names another host is refused, and on record: a page in a browser may have led its own name here', async () => {
  const api = await startApi()
  const hosts = [
    ...['evil.example', 'evil.example:8080', 'localhost.evil.example', '127.0.0.1.evil.example', 'evillocalhost'],
    ...[
      '0.0.0.0:8080',
      '[::]:8080',
      '10.0.0.5',
      '2130706433',
      '127.1',
      '[::ffff:127.0.0.1]',
      'localhost:80:80',
      '[::1',
      'localhost:x',
    ],
  ]
  for (const host of hosts) expect([host, await statusFor(api, host)]).toEqual([host, 421])
  expect(api.refused.map(({ code, remoteAddress }) => [code, remoteAddress])).toEqual(
    hosts.map(() => ['wrong_host', '127.0.0.1']),
  )
  expect(api.refused[1]).toMatchObject({ detail: 'evil.example:8080' })
})

it('one that names no host at all is 400, whatever is in it', async () => {
  const api = await startApi()
  const hosts = ['evil.example@localhost', 'localhost evil.example', 'localhost/x']
  for (const host of hosts) expect([host, await statusFor(api, host)]).toEqual([host, 400])
})

it('that is so before everything else: health, metrics, tokens, the service’s contract, and what is not there', async () => {
  const metrics = { isOpen: true, contentType: 'text/plain', text: async () => 'portaria 1\n' }
  const api = await startApi({ metrics })
  const paths = [
    ...['/healthz', '/readyz', '/metrics', '/openapi.json', '/certificates/chain.pem', '/v1/events', '/v1/nothing'],
    ...['/registration/v1/webhooks', '/payment/v1/webhook', '/registration/v1/nothing'],
  ]
  for (const path of paths) expect([path, await statusFor(api, 'evil.example', path)]).toEqual([path, 421])
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  for (const path of ['/oauth/token', '/payment/v1/oauth/token', '/v1/destinations'])
    expect([path, await statusFor(api, 'evil.example', path, post)]).toEqual([path, 421])
  const answer = await ask(api, '/v1/events', { headers: { host: 'evil.example' } })
  expect(JSON.parse(answer.body)).toMatchObject({
    status: 421,
    code: 'misdirected',
    detail: expect.stringMatching(/names evil\.example,.*api\.hostNames$/),
  })
})

it('a configured name is answered, whatever port and letters it comes with', async () => {
  const api = await startApi({ hostNames: ['portaria.example', '10.0.0.5', 'fd00::5'] })
  for (const host of ['portaria.example', 'Portaria.Example:443', 'portaria.example.', '10.0.0.5:8080', '[fd00::5]'])
    expect([host, await statusFor(api, host)]).toEqual([host, 200])
  for (const host of ['x.portaria.example', 'portaria.example.evil.example'])
    expect([host, await statusFor(api, host)]).toEqual([host, 421])
})

describe('curl asks the gateway', () => {
  const run = promisify(execFile)
  const EVIL = 'evil.example'
  const curl = async (...args: string[]) =>
    (await run('curl', ['--silent', '--max-time', '10', '--write-out', '\n%{http_code}', ...args])).stdout
  /** As a browser does it whose page has led its own name here. */
  const rebound = ({ api }: TestGateway, scheme: string, ...args: string[]) =>
    curl(`${scheme}://${EVIL}:${api.port}/metrics`, '--resolve', `${EVIL}:${api.port}:127.0.0.1`, ...args)

  it('under a name that leads to loopback: it gets nothing, and that leaves a refusal', async () => {
    const gateway = await startTestGateway()
    const answer = await rebound(gateway, 'http')
    expect([answer.endsWith('\n421'), answer.includes('portaria_')]).toEqual([true, false])
    const { data } = await until(
      async () => JSON.parse((await callApi(gateway.api, '/v1/refusals?listener=api')).body) as { data: object[] },
      (page) => page.data.length === 1,
    )
    expect(data).toMatchObject([
      { code: 'wrong_host', remoteAddress: '127.0.0.1', detail: `${EVIL}:${gateway.api.port}` },
    ])
  })

  it('under a name of api.hostNames, and over TLS or the control socket under any', async () => {
    const named = await startTestGateway(await createSite({ api: { ...BASE_API, hostNames: ['Evil.example'] } }))
    expect(await rebound(named, 'http')).toMatch(/portaria_ready.*\n200$/s)
    const socket = join(named.site.folder, 'data', 'control.sock')
    expect(await curl('--unix-socket', socket, 'http://other.example/healthz')).toMatch(/alive.*\n200$/s)
    const tls = { certificate: 'certs/server.crt', privateKey: 'certs/server.key', metrics: 'open' }
    const encrypted = await startTestGateway(await createSite({ api: { ...BASE_API, ...tls } }))
    expect(await rebound(encrypted, 'https', '--insecure')).toMatch(/portaria_ready.*\n200$/s)
  })
})

const BASE_API = { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token' }
