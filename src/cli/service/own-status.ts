import { interfaceView, type ServiceStatusView, statusView } from '../../api/service/endpoints.ts'
import { type ConfigWithServiceSecrets, realmsOf } from '../../config/config.ts'
import { realmOf } from '../../domain/realm.ts'
import type { ServiceInterface } from '../../domain/service/service-interfaces.ts'
import { createServiceStatus, type ServiceStatusOptions } from '../../gateway/service-status.ts'
import { ServiceFailure } from '../../service/failure.ts'
import { readIfThere } from '../reader.ts'
import { type OpenedService, openService } from './connection.ts'

type Stored = ServiceStatusOptions['store']

/** Without a running gateway: asks the service for a token of every interface, within the limit, and the database for the rest. */
export async function askService(
  config: ConfigWithServiceSecrets,
  timeoutMs: number,
): Promise<readonly ServiceStatusView[]> {
  return withServices(config, timeoutMs, async (services) => {
    await Promise.all([...services.values()].map((one) => signIn(one, () => true)))
    const read = (store: Stored) =>
      createServiceStatus({
        realms: realmsOf(config),
        service: (environment) => services.get(environment) ?? null,
        clients: { of: (environment) => services.get(environment)?.client ?? null },
        store,
        now: Date.now,
      })()
    const statuses = await readIfThere(config, (reader) => read(reader ?? EMPTY))
    return statuses.map(statusView)
  })
}

/** Nothing waits where there is no database yet. */
const EMPTY: Stored = { budgetUsed: async () => 0, countWaitingTokens: async () => [] }

/** The same states, in which the interfaces that the gateway has not called since its start were asked for a token from here. */
export async function tryUncalled(
  config: ConfigWithServiceSecrets,
  { statuses, timeoutMs }: { readonly statuses: readonly ServiceStatusView[]; readonly timeoutMs: number },
): Promise<readonly ServiceStatusView[]> {
  return withServices(config, timeoutMs, async (services) => {
    const tried = statuses.map(async (status) => {
      const service = services.get(realmOf(status.institution, status.environment))
      if (service === undefined) return status
      const uncalled = status.interfaces.filter(isUncalled).map((one) => one.interface)
      await signIn(service, (on) => uncalled.includes(on))
      const own = service.client.state().map(interfaceView)
      const interfaces = status.interfaces.map((one) => {
        const mine = isUncalled(one) ? own.find((other) => other.interface === one.interface) : undefined
        return mine ?? one
      })
      return { ...status, interfaces }
    })
    return Promise.all(tried)
  })
}

export function isUncalled({ lastSuccessAt, lastFailure }: ServiceStatusView['interfaces'][number]): boolean {
  return lastSuccessAt === null && lastFailure === null
}

async function withServices<T>(
  config: ConfigWithServiceSecrets,
  timeoutMs: number,
  use: (services: ReadonlyMap<string, OpenedService>) => Promise<T>,
): Promise<T> {
  const limits = { timeoutMs, callTimeoutMs: timeoutMs }
  const services = new Map(config.service.map((entry) => [entry.environment, openService(config, entry, limits)]))
  try {
    return await use(services)
  } finally {
    await Promise.all([...services.values()].map(({ client }) => client.close()))
  }
}

/** The client remembers failures for its state. */
async function signIn({ client }: OpenedService, isMeant: (on: ServiceInterface) => boolean): Promise<void> {
  const meant = client.state().filter((one) => isMeant(one.interface))
  await Promise.all(meant.map((one) => client.signIn(one.interface).catch(unlessFailure)))
}

function unlessFailure(error: unknown): void {
  if (!(error instanceof ServiceFailure)) throw error
}
