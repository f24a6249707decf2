import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../../simulator/src/interfaces.ts'
import { receiverCaFile } from '../../../simulator/test/receiver.ts'
import { type RunningSimulator, simulatorForTest } from '../../../simulator/test/running.ts'
import { subscriptionClient } from '../../../simulator/test/subscriptions/subscription-client.ts'
import type { Address } from '../../../src/gateway/addresses.ts'
import { type Answer, callApi } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { reservePort } from '../../support/ports.ts'
import { startReceiver, type TestReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

export interface RoutingWorld {
  readonly gateway: TestGateway
  readonly running: RunningSimulator
  /** Charges and subscriptions of the gateway's account at the service, in production. */
  readonly service: ReturnType<typeof subscriptionClient>
  /** What the service calls for charge notifications. */
  readonly ownAddress: string
  readonly token: string
  startApp(name: string, environment?: Environment | 'any'): Promise<App>
  /** A destination of the operator, for everything. */
  everything(): Promise<TestReceiver>
  /** Resolves when the service has sent all that it has, and the gateway has forwarded it. */
  settled(): Promise<void>
}

/** An app with a client of its own and an endpoint for notifications. */
export interface App {
  readonly clientId: string
  readonly clientSecret: string
  readonly receiver: TestReceiver
  call(method: string, path: string, body?: object): Promise<Answer>
  /** The metadata of a charge, with the app's own address unless `metadata` says otherwise. */
  route(charge: number, metadata?: object): Promise<Answer>
  /** The same app at another gateway with the same database. */
  at(api: Address): App
  /** `[charge_id, status]` of the entries that it received. */
  entries(): [number, string][]
}

const ENVIRONMENT = 'production'

export interface RoutingChanges {
  readonly service?: object
  readonly chargeNotifications?: object
  readonly config?: object
  readonly form?: 'json' | 'token'
}

/** A simulated service and the configuration of a gateway, each other's client over TLS. @param changes of the gateway's configuration */
export async function prepareRouting(changes: RoutingChanges = {}) {
  const running = await simulatorForTest({}, { receiverCaFile: receiverCaFile() })
  const { simulator } = running
  // It is part of the public address, which the configuration says before the gateway listens.
  const port = await reservePort()
  const token = randomBytes(32).toString('hex')
  const publicUrl = `https://localhost:${port}`
  const { clientId, clientSecret } = simulator.sites[ENVIRONMENT].applications.list()[0] as {
    clientId: string
    clientSecret: string
  }
  const site = await createSite({
    chargeNotifications: {
      host: '127.0.0.1',
      port,
      certificate: 'certs/server.crt',
      privateKey: 'certs/server.key',
      publicUrl,
      tokens: ['retired-token', 'token'].map((tokenFile) => ({ environment: ENVIRONMENT, tokenFile })),
      ...changes.chargeNotifications,
    },
    service: [
      {
        environment: ENVIRONMENT,
        baseAddresses: { charges: running.baseOf('charges', ENVIRONMENT) },
        clientId,
        clientSecret: 'secret',
        authorities: 'service-root.pem',
        ...changes.service,
      },
    ],
    ...changes.config,
  })
  const files = {
    token,
    'retired-token': randomBytes(32).toString('hex'),
    secret: clientSecret,
    'service-root.pem': simulator.folder.root,
  }
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(site.folder, name), `${text.trim()}\n`, { mode: 0o600 })
  const service = subscriptionClient(() => running, ENVIRONMENT)
  await service.setTime('2026-03-02T15:00:00Z')
  await service.control('PUT', `/applications/${clientId}/notifications`, { form: changes.form ?? 'json' })
  return { site, running, service, token, ownAddress: `${publicUrl}/charges/${token}` }
}

/** The same with a running gateway. */
export async function startRouting(changes: RoutingChanges = {}): Promise<RoutingWorld> {
  const { site, ...prepared } = await prepareRouting(changes)
  const gateway = await startTestGateway(site)
  return {
    ...prepared,
    gateway,
    startApp: (name, environment = ENVIRONMENT) => startApp(gateway.api, name, environment),
    async everything() {
      const receiver = await startReceiver()
      await callApi(gateway.api, '/v1/destinations', {
        method: 'POST',
        body: { url: receiver.url, name: 'everything' },
      })
      return receiver
    },
    async settled() {
      await prepared.running.simulator.sites[ENVIRONMENT].tasks.settled()
      await until(async () => {
        const { body } = await callApi(gateway.api, '/v1/deliveries?state=pending')
        return (JSON.parse(body) as { data: unknown[] }).data.length === 0
      })
    },
  }
}

const SCOPES = ['charges.metadata.write', 'events.read', 'destinations.read', 'destinations.write']

export async function startApp(api: Address, name: string, environment: string): Promise<App> {
  const client = { name, environment, scopes: SCOPES }
  const made = JSON.parse((await callApi(api, '/v1/clients', { method: 'POST', body: client })).body)
  const { clientId, clientSecret } = made as { clientId: string; clientSecret: string }
  const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const given = await callApi(api, '/charges/v1/authorize', { method: 'POST', body, token: null })
  const { access_token: token } = JSON.parse(given.body) as { access_token: string }
  const receiver = await startReceiver()
  function at(api: Address): App {
    const call: App['call'] = (method, path, body) =>
      callApi(api, path, { method, token, ...(body !== undefined && { body }) })
    return {
      clientId,
      clientSecret,
      receiver,
      call,
      at,
      route: (charge, metadata = { notification_url: receiver.url }) =>
        call('PUT', `/charges/v1/charge/${charge}/metadata`, metadata),
      entries: () => entriesAt(receiver),
    }
  }
  return at(api)
}

interface Entry {
  readonly charge_id?: number
  readonly identifiers?: { readonly charge_id?: number }
  readonly status: string | { readonly current: string }
}

/** `[charge_id, status]` of the entries that a receiver got. */
export function entriesAt({ received }: TestReceiver): [number, string][] {
  return received.flatMap(({ body }) => {
    const { notification } = JSON.parse(body.toString()) as { notification: { entries: Entry[] } }
    return notification.entries.map(({ charge_id, identifiers, status }): [number, string] => [
      charge_id ?? identifiers?.charge_id ?? 0,
      typeof status === 'string' ? status : status.current,
    ])
  })
}
