import type { Realm } from '../domain/realm.ts'
import type { NotificationTokenReads } from '../domain/service/notification-token.ts'
import type { ServiceStatus } from '../domain/service/service-status.ts'
import { iso } from '../platform/time.ts'
import type { ServiceClients } from './service-clients.ts'
import type { ServiceInUse } from './service-in-use.ts'

export interface ServiceStatusOptions {
  readonly realms: readonly Realm[]
  readonly service: (environment: Realm) => ServiceInUse | null
  readonly clients: Pick<ServiceClients, 'of'>
  readonly store: Pick<NotificationTokenReads, 'budgetUsed' | 'countWaitingTokens'>
  readonly now: () => number
}

/** Reads how the gateway gets on with the service: one status per environment that the section `service` has, or of which tokens wait. */
export function createServiceStatus({ realms, service, clients, store, now }: ServiceStatusOptions) {
  return async function readServiceStatus(): Promise<readonly ServiceStatus[]> {
    const day = iso(now()).slice(0, 10)
    const backlogs = await store.countWaitingTokens()
    const waiting = backlogs.map(({ environment }) => environment)
    const all = [...new Set([...realms, ...waiting])].map(async (environment): Promise<ServiceStatus[]> => {
      const inUse = service(environment)
      const backlog = backlogs.find((one) => one.environment === environment)
      if (inUse === null && backlog === undefined) return []
      const used = await store.budgetUsed(environment, 'notifications', day)
      return [
        {
          environment,
          interfaces: clients.of(environment)?.state() ?? [],
          ...filesOf(inUse, now()),
          resolvesTokens: inUse?.settings.resolveTokens ?? false,
          notificationBudget: { limit: inUse?.settings.dailyBudgets.notifications ?? null, used },
          waitingTokens: { count: backlog?.waiting ?? 0, oldestAt: backlog?.oldestAt ?? null },
        },
      ]
    })
    return (await Promise.all(all)).flat()
  }
}

function filesOf(inUse: ServiceInUse | null, now: number): Pick<ServiceStatus, 'certificate' | 'authoritiesProblem'> {
  if (inUse === null) return { certificate: null, authoritiesProblem: null }
  const { certificate, authoritiesProblem } = inUse.files
  if (certificate === null) return { certificate, authoritiesProblem }
  const { subject, notAfter } = certificate
  return { certificate: { subject, notAfter, problem: certificate.problem(now) }, authoritiesProblem }
}
