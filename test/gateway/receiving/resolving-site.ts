import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { chargeClient } from '../../../simulator/test/charges/charge-client.ts'
import { receiverCaFile } from '../../../simulator/test/receiver.ts'
import { type RunningSimulator, simulatorForTest } from '../../../simulator/test/running.ts'
import type { ConfigWithSecrets } from '../../../src/config/config.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import type { Environment } from '../../../src/domain/realm.ts'
import { callApi } from '../../support/calls.ts'
import {
  createSite,
  serviceCredentials,
  startTestGateway,
  type TestGateway,
  type TestSite,
} from '../../support/gateway.ts'

/** A gateway's folder, and a simulator that sends charge notifications in token form to its gateway. */
export interface ResolvingSite {
  readonly running: RunningSimulator
  readonly site: TestSite
  readonly sandbox: ReturnType<typeof chargeClient>
  /** Starts the gateway with these settings in the section `service`; null: without the section. */
  start(service?: object | null): Promise<TestGateway>
  /** The configuration with other settings in this section, for a reload. */
  configure(service: object | null): Promise<ConfigWithSecrets>
  /** The address for notifications of a charge. */
  notificationUrl(gateway: TestGateway): string
  /** Posts a token form as the service does. Returns the status. */
  post(gateway: TestGateway, token: string): Promise<number>
  /** The simulator's callbacks with this token: their states. */
  statesOf(token: string): string[]
}

export async function createResolvingSite(environment: Environment = 'sandbox'): Promise<ResolvingSite> {
  const running = await simulatorForTest({ webhooks: { retryMinutes: 'short' } }, { receiverCaFile: receiverCaFile() })
  const secret = randomBytes(32).toString('hex')
  const { clientId, clientSecret } = running.simulator.sites[environment].applications.list()[0] as {
    clientId: string
    clientSecret: string
  }
  const entry = {
    environment,
    clientId,
    clientSecret: 'client-secret',
    authorities: 'service-root.pem',
    baseAddresses: { charges: running.baseOf('charges', environment) },
  }
  const sections = (service: object | null) => ({
    chargeNotifications: {
      host: '127.0.0.1',
      port: 0,
      certificate: 'certs/server.crt',
      privateKey: 'certs/server.key',
      tokens: [{ environment, tokenFile: 'token' }],
    },
    ...(service !== null && { service: [{ ...entry, ...service }] }),
  })
  const site = await createSite(sections({}))
  writeFileSync(join(site.folder, 'token'), `${secret}\n`, { mode: 0o600 })
  writeFileSync(join(site.folder, 'client-secret'), clientSecret, { mode: 0o600 })
  writeFileSync(join(site.folder, 'service-root.pem'), running.simulator.folder.root)
  const sandbox = chargeClient(() => running, environment)
  await sandbox.control('PUT', `/applications/${clientId}/notifications`, { form: 'token' })

  return {
    running,
    site,
    sandbox,
    async start(service = {}) {
      await createSite(sections(service), site.folder)
      return startTestGateway(site)
    },
    async configure(service) {
      await createSite(sections(service), site.folder)
      return loadConfig(site.configFile)
    },
    notificationUrl: (gateway) => `https://localhost:${gateway.charges?.port}/charges/${secret}`,
    post: (gateway, token) => post(gateway, `/charges/${secret}`, `notification=${token}`),
    statesOf: (token) =>
      running.simulator.sites[environment].webhooks.callbacks
        .list()
        .filter((callback) => callback.notification?.token === token)
        .map(({ state }) => state),
  }
}

function post(gateway: TestGateway, path: string, body: string): Promise<number> {
  const { ca } = serviceCredentials(gateway.site)
  const target = { host: '127.0.0.1', port: gateway.charges?.port, servername: 'localhost', path, method: 'POST', ca }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return new Promise((resolve, reject) => {
    request({ ...target, headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
      .on('error', reject)
      .end(body)
  })
}

export interface ResolvedEvent {
  readonly id: string
  readonly subject: string | null
  readonly status: string | null
  readonly authentication: string
  readonly contentType: string | null
  readonly callback: string
  // biome-ignore lint/suspicious/noExplicitAny: bodies are asserted, not typed
  readonly data: any
  readonly [member: string]: unknown
}

export async function eventsOf(gateway: TestGateway): Promise<ResolvedEvent[]> {
  const { body } = await callApi(gateway.api, '/v1/events?kind=charge&limit=500')
  return JSON.parse(body).data
}
