import { X509Certificate } from 'node:crypto'
import type { RunningSimulator, Tls } from '../../simulator/test/running.ts'
import { createGuardedConnector } from '../../src/delivery/guarded-connect.ts'
import { createNameResolver } from '../../src/delivery/name-resolver.ts'
import { compileAddressRules } from '../../src/domain/address-rules.ts'
import { type Environment, environmentOf } from '../../src/domain/realm.ts'
import type { ServiceInterface } from '../../src/domain/service/service-interfaces.ts'
import {
  type AccountCertificate,
  createServiceClient,
  type ServiceClient,
  type ServiceClientOptions,
} from '../../src/service/client.ts'
import type { ServiceFailure } from '../../src/service/failure.ts'

export interface Line {
  readonly level: string
  readonly event: string
  readonly fields: object
}

/** Log lines in the order in which they were written. */
export function collectLines() {
  const lines: Line[] = []
  const write = (level: string) => (fields: object, event: string) => void lines.push({ level, event, fields })
  return { lines, log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') } }
}

export function certificateOf(tls: Tls): AccountCertificate {
  const { subject, validToDate } = new X509Certificate(tls.cert)
  return { tls, problem: () => null, subject, notAfter: validToDate.getTime() }
}

/** Connects as the gateway does, and allows addresses of this machine. */
export function guardedConnect(networks: readonly string[] = ['loopback']): ServiceClientOptions['connect'] {
  const guard = { rules: compileAddressRules(networks), resolve: createNameResolver() }
  return (tls) => createGuardedConnector({ ...guard, connectTimeoutMs: 5000, tls })
}

export function baseAddressesOf(running: RunningSimulator, environment: Environment = 'sandbox') {
  const base = (name: Parameters<RunningSimulator['baseOf']>[0]) => running.baseOf(name, environment)
  return {
    account: base('account'),
    payment: base('payment'),
    registration: base('registration'),
    openBanking: base('open-banking'),
    charges: base('charges'),
  } satisfies Record<ServiceInterface, string>
}

/** The client of a simulator's first account. */
export function clientOf(running: RunningSimulator, changes: Partial<ServiceClientOptions> = {}): ServiceClient {
  const environment = environmentOf(changes.environment ?? 'sandbox')
  const application = running.simulator.sites[environment].applications.list()[0]
  if (application === undefined) throw new Error('the simulator has no application')
  return createServiceClient({
    environment,
    clientId: application.clientId,
    clientSecret: application.clientSecret,
    baseAddresses: baseAddressesOf(running, environment),
    authorities: running.simulator.folder.root,
    servicePathSegment: 'svc',
    certificate: certificateOf(running.tlsOf(environment)),
    connect: guardedConnect(),
    now: Date.now,
    random: () => 0,
    retryMs: 1,
    log: collectLines().log,
    ...changes,
  })
}

/** How a call failed. */
export async function failureOf(call: Promise<unknown>): Promise<ServiceFailure> {
  try {
    await call
  } catch (error) {
    return error as ServiceFailure
  }
  throw new Error('the call did not fail')
}
