import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type RunningSimulator, runSimulator } from '../../../simulator/test/running.ts'
import { loadServiceFiles } from '../../../src/certificates/live/service-files.ts'
import type { ServiceWithSecret } from '../../../src/config/config.ts'
import { createReplaceableRules } from '../../../src/domain/address-rules.ts'
import { ENVIRONMENTS, type Environment, type Realm } from '../../../src/domain/realm.ts'
import { createServiceClients } from '../../../src/gateway/service-clients.ts'
import type { ServiceInUse } from '../../../src/gateway/service-in-use.ts'
import { baseAddressesOf, collectLines, failureOf } from '../../service/service.ts'
import { callApi } from '../../support/calls.ts'
import { createSite, startTestGateway } from '../../support/gateway.ts'

let running: RunningSimulator
beforeAll(async () => {
  running = await runSimulator()
})
afterAll(() => running.stop())

const LIST = { method: 'GET', path: '/v1/webhooks' } as const

function settingsOf(environment: Environment, changes: Partial<ServiceWithSecret> = {}): ServiceWithSecret {
  const application = running.simulator.sites[environment].applications.list()[0]
  if (application === undefined) throw new Error('the simulator has no application')
  return {
    environment,
    clientId: application.clientId,
    clientSecret: application.clientSecret,
    // The tests give the secret itself.
    clientSecretFile: '/nowhere',
    baseAddresses: baseAddressesOf(running, environment),
    authorities: running.simulator.folder.rootFile,
    certificate: pem(environment),
    dailyBudgets: { notifications: null, payment: null, registration: null, charges: null },
    resolveTokens: true,
    resolveWithinMs: 1000,
    reconcile: {
      payments: null,
      openings: null,
      charges: null,
      statement: null,
      everyMs: 1000,
      readCredentials: false,
      silentAfterMs: null,
      giveUpAfterMs: 1000,
      retries: 'short',
    },
    ...changes,
  }
}

const accountFile = (name: string) => join(running.simulator.folder.path, 'accounts', name)
const pem = (environment: Environment, account = 'integrator') => ({
  certificate: accountFile(`${environment}-${account}.crt`),
  privateKey: accountFile(`${environment}-${account}.key`),
})
const pkcs12 = (environment: Environment) => ({
  pkcs12: accountFile(`${environment}-integrator.p12`),
  passwordFile: null,
})

/** The clients of these entries, which a test can change. */
function createWorld(...entries: readonly ServiceWithSecret[]) {
  const used = new Map<Realm, ServiceInUse>()
  const use = (settings: ServiceWithSecret) =>
    used.set(settings.environment, { settings, files: loadServiceFiles(settings) })
  for (const settings of entries) use(settings)
  const rules = createReplaceableRules(['loopback'])
  const { lines, log } = collectLines()
  const tokens: string[] = []
  const met: string[] = []
  const clients = createServiceClients({
    realms: ENVIRONMENTS,
    service: (environment) => used.get(environment) ?? null,
    servicePathSegment: 'svc',
    rules,
    log,
    onTokenFetched: (environment, { on, outcome }) => tokens.push(`${environment} ${on} ${outcome}`),
    onCertificate: (environment, host, { fingerprint256 }) => met.push(`${environment} ${host} ${fingerprint256}`),
  })
  onTestFinished(() => clients.close())
  const request = (environment: Environment) => clients.of(environment)?.request('registration', LIST)
  return { clients, used, use, rules, lines, tokens, met, request }
}

it('each environment has a client with its own credentials, from PEM or .p12 files; one without an entry has none', async () => {
  const { clients, request, tokens, met } = createWorld(
    settingsOf('sandbox'),
    settingsOf('production', { certificate: pkcs12('production') }),
  )
  expect([(await request('sandbox'))?.status, (await request('production'))?.status]).toEqual([200, 200])
  expect(tokens).toEqual(['sandbox registration success', 'production registration success'])
  const { fingerprint256 } = new X509Certificate(running.simulator.folder.server.cert)
  const { sandbox, production } = running.simulator.ports
  expect([...new Set(met)]).toEqual([
    `sandbox localhost:${sandbox} ${fingerprint256}`,
    `production localhost:${production} ${fingerprint256}`,
  ])
  expect(createWorld(settingsOf('sandbox')).clients.of('production')).toBeNull()
  expect(clients.of('production')?.certificate?.subject).toContain('CN=')
})

it('changed files take effect for the next call; what is known of earlier calls stays', async () => {
  const { clients, use, request, tokens } = createWorld(settingsOf('sandbox', { certificate: pem('production') }))
  const failure = await failureOf(request('sandbox') ?? Promise.resolve())
  expect(failure.code).toBe('certificate_refused')
  use(settingsOf('sandbox', { certificate: pkcs12('sandbox') }))
  clients.renew('sandbox')
  expect((await request('sandbox'))?.status).toBe(200)
  expect(tokens).toEqual(['sandbox registration certificate_refused', 'sandbox registration success'])
  const state = clients
    .of('sandbox')
    ?.state()
    .find((one) => one.interface === 'registration')
  expect(state).toMatchObject({ isFailing: false, lastFailure: { code: 'certificate_refused' } })
})

it('a certificate that is damaged is a failure of its environment alone, in its words', async () => {
  const { request } = createWorld(
    settingsOf('sandbox', { certificate: { pkcs12: accountFile('sandbox-integrator.crt'), passwordFile: null } }),
    settingsOf('production'),
  )
  const failure = await failureOf(request('sandbox') ?? Promise.resolve())
  expect([failure.code, failure.message]).toEqual([
    'not_configured',
    expect.stringContaining('sandbox-integrator.crt is no PKCS#12 file'),
  ])
  expect((await request('production'))?.status).toBe(200)
})

it('calls under way end with the earlier client, and then its connections are closed', async () => {
  const { clients, used, request } = createWorld(settingsOf('sandbox'))
  await request('sandbox')
  await running.control('POST', '/faults', { on: 'api', fault: 'late_answer', delayMs: 200 })
  const earlier = clients.of('sandbox')
  const slow = request('sandbox')
  used.delete('sandbox')
  clients.renew('sandbox')
  expect(clients.of('sandbox')).toBeNull()
  expect((await slow)?.status).toBe(200)
  await expect(earlier?.request('registration', LIST)).rejects.toThrow('was given up')
})

it('networks that are no longer allowed get no further request', async () => {
  const { clients, rules, request } = createWorld(settingsOf('sandbox'))
  await request('sandbox')
  rules.replace([])
  clients.renewAll()
  const failure = await failureOf(request('sandbox') ?? Promise.resolve())
  expect(failure).toMatchObject({ code: 'unreachable', isFinal: true })
})

it('a gateway shows its calls of the service at /v1/service and in /metrics', async () => {
  const { clientId, clientSecret } = running.simulator.sites.sandbox.applications.list()[0] as {
    clientId: string
    clientSecret: string
  }
  const charges = running.baseOf('charges')
  const entry = {
    environment: 'sandbox',
    baseAddresses: { charges },
    clientId,
    clientSecret: 'secret',
    authorities: running.simulator.folder.rootFile,
    dailyBudgets: { notifications: 5 },
  }
  const site = await createSite({ service: [entry] })
  writeFileSync(join(site.folder, 'secret'), clientSecret, { mode: 0o600 })
  const { api, lines } = await startTestGateway(site)
  const metadata = (id: number) =>
    callApi(api, `/charges/v1/charge/${id}/metadata?environment=sandbox`, {
      method: 'PUT',
      body: { custom_id: 'book' },
    })
  const created = await running.ask('charges', {
    method: 'POST',
    path: '/v1/charge',
    body: { items: [{ name: 'Book', value: 100 }] },
  })
  expect((await metadata(created.json.data.charge_id)).status).toBe(200)
  await running.control('POST', '/faults', { on: 'api', fault: 'rate_limited', retryAfter: 3600 })
  expect((await metadata(1)).status).toBe(503)

  const [shown] = JSON.parse((await callApi(api, '/v1/service')).body).data
  expect(shown).toEqual({
    institution: null,
    environment: 'sandbox',
    interfaces: [
      {
        interface: 'charges',
        baseAddress: charges,
        failing: true,
        tokenUntil: expect.any(String),
        lastSuccessAt: expect.any(String),
        lastFailure: {
          at: expect.any(String),
          code: 'rate_limited',
          error: expect.stringContaining('429'),
          final: false,
        },
      },
    ],
    certificate: null,
    authoritiesProblem: null,
    resolveTokens: true,
    notificationBudget: { limit: 5, used: 0, left: 5 },
    waitingTokens: { count: 0, oldestAt: null },
  })
  const { data: certificates } = JSON.parse((await callApi(api, '/v1/certificates')).body)
  const { fingerprint256 } = new X509Certificate(running.simulator.folder.server.cert)
  expect(certificates.filter(({ set }: { set: string }) => set === 'service-server')).toMatchObject([
    { where: `${new URL(charges).host}, sandbox`, fingerprint: fingerprint256.replaceAll(':', '').toLowerCase() },
  ])
  const metrics = (await callApi(api, '/metrics')).body
    .split('\n')
    .filter((line) => line.startsWith('portaria_service'))
  const of = 'environment="sandbox",interface="charges"'
  expect(metrics.filter((line) => !line.includes('timestamp')).sort()).toEqual([
    'portaria_service_budget_left{environment="sandbox"} 5',
    `portaria_service_failing{${of}} 1`,
    'portaria_service_outage_window_seconds 0',
    `portaria_service_requests_total{${of},outcome="rate_limited"} 1`,
    `portaria_service_requests_total{${of},outcome="success"} 1`,
    'portaria_service_token_age_seconds{environment="sandbox"} 0',
    `portaria_service_token_fetches_total{${of},outcome="success"} 1`,
    'portaria_service_tokens_waiting{environment="sandbox"} 0',
  ])
  expect(lines.filter(({ event }) => event.startsWith('service.')).map(({ event }) => event)).toEqual([
    'service.failing',
  ])
})
