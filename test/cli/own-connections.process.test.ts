import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { refusalView } from '../../src/api/refusals/view.ts'
import { readRemoteCertificate } from '../../src/certificates/live/remote-certificate.ts'
import { callApi } from '../support/calls.ts'
import {
  BASE_CALLBACKS,
  createSite,
  OPERATOR_TOKEN,
  type SpawnedGateway,
  spawnGateway,
  type TestSite,
} from '../support/gateway.ts'
import { scrape } from '../support/metrics.ts'
import { reservePorts } from '../support/ports.ts'
import { until } from '../support/until.ts'
import { portaria } from './program.ts'

const TOKEN = 'a-secret-path-token-of-the-charge-listener-0123'

/** A gateway with fixed ports, whose charge listener takes no connection from this machine. @param proxyProtocol of every listener */
async function startSite(
  proxyProtocol: readonly string[] = [],
): Promise<{ site: TestSite; gateway: SpawnedGateway; url: string; flags: string[] }> {
  const [port = 0, charges = 0, api = 0] = await reservePorts(3)
  const site = await createSite({
    callbacks: { ...BASE_CALLBACKS, port, proxyProtocol },
    chargeNotifications: {
      host: '127.0.0.1',
      port: charges,
      allowedAddresses: ['192.0.2.0/24'],
      proxyProtocol,
      tokens: [{ environment: 'production', tokenFile: 'token' }],
    },
    api: { host: '127.0.0.1', port: api, operatorTokenFile: 'operator-token', proxyProtocol },
  })
  writeFileSync(join(site.folder, 'token'), TOKEN, { mode: 0o600 })
  const file = (name: string) => join(site.certs, name)
  const flags = ['--cert', file('service/production-client.crt'), '--key', file('service/production-client.key')]
  return {
    site,
    gateway: await spawnGateway(site),
    url: `https://localhost:${port}`,
    flags: [...flags, '--ca', file('server-ca.crt')],
  }
}

async function refusalsAt({ api }: SpawnedGateway): Promise<readonly ReturnType<typeof refusalView>[]> {
  const { body } = await callApi(api, '/v1/refusals?limit=1000')
  return (JSON.parse(body) as { data: ReturnType<typeof refusalView>[] }).data
}

/** A caller without a certificate. Resolves when its refusal is recorded, and with it all earlier ones. */
async function refuseStranger(gateway: SpawnedGateway): Promise<void> {
  const before = (await refusalsAt(gateway)).length
  await readRemoteCertificate({ host: '127.0.0.1', port: gateway.callbacks.port })
  await until(
    () => refusalsAt(gateway),
    (rows) => rows.length > before,
  )
}

async function countedAt(gateway: SpawnedGateway): Promise<Record<string, number>> {
  const samples = await scrape(gateway)
  return Object.fromEntries(Object.entries(samples).filter(([name]) => /^portaria_refusals_total/.test(name)))
}

const warnings = ({ lines }: SpawnedGateway) =>
  lines.filter(({ level }) => level === 'warn' || level === 'error').map(({ event, code }) => `${event} ${code}`)

it('check and probe leave no refusal, no warning and no count, and an untrusted caller at the same time does', async () => {
  const { site, gateway, url, flags } = await startSite()
  await refuseStranger(gateway)
  const [counted, warned] = [await countedAt(gateway), warnings(gateway)]

  const runs = [
    ['check', '--url', `${url}/callbacks/payment`, ...flags],
    ['check', '--url', `${url}/wrong`, ...flags],
    ['probe', `${url}/wrong`, ...flags],
  ]
  const [byApi, , ...ended] = await Promise.all([
    callApi(gateway.api, '/v1/check', { token: OPERATOR_TOKEN }),
    refuseStranger(gateway),
    ...runs.map((args) => portaria(site, ...args)),
  ])
  expect([byApi.status, ...ended.map(({ code }) => code)]).toEqual([200, 1, 1, 1])

  await refuseStranger(gateway)
  expect((await refusalsAt(gateway)).map(({ code }) => code)).toEqual(Array(3).fill('no_certificate'))
  const name = 'portaria_refusals_total{listener="callbacks",code="no_certificate"}'
  expect(await countedAt(gateway)).toEqual({ ...counted, [name]: 3 })
  expect(warnings(gateway)).toEqual([...warned, ...Array(2).fill('caller.refused no_certificate')])
})

it('check and probe need no PROXY protocol header where this machine is a load balancer, and others do', async () => {
  const { site, gateway, url, flags } = await startSite(['loopback'])
  const check = await portaria(site, 'check', '--json', '--url', `${url}/callbacks/payment`, ...flags)
  const findings = check.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { area?: string; level: string; what: string })
  const ofListeners = findings.filter(({ area }) => area === 'listeners' || area === 'outside')
  expect(ofListeners.filter(({ level }) => level === 'problem')).toEqual([])
  expect(ofListeners.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['callbacks', 'chargeNotifications', 'api', 'certificate']),
  )
  expect(await portaria(site, 'probe', `${url}/callbacks/payment`, ...flags)).toMatchObject({ code: 0 })
  expect(gateway.lines.filter(({ event }) => event === 'caller.refused')).toEqual([])

  await expect(fetch(`http://127.0.0.1:${gateway.api.port}/healthz`)).rejects.toThrow()
  await until(() => gateway.lines.some(({ code, listener }) => code === 'proxy_header_missing' && listener === 'api'))
})
