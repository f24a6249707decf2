import { partsOf } from '../../domain/realm.ts'
import { budgetLeft, type ServiceInterfaceStatus, type ServiceStatus } from '../../domain/service/service-status.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import { endpoint } from '../http/endpoint.ts'
import type { View } from '../http/schema-parts.ts'
import {
  serviceStatusListSchema as listSchema,
  type serviceStatusListSchema,
  type serviceStatusSchema,
} from './schema.ts'

export interface ServiceOptions {
  /** null: not served, because no gateway runs that would call the service. */
  readonly readServiceStatus: (() => Promise<readonly ServiceStatus[]>) | null
}

export type ServiceStatusView = View<typeof serviceStatusSchema>
export type ServiceStatusListView = View<typeof serviceStatusListSchema>

export function serviceEndpoints(readServiceStatus: NonNullable<ServiceOptions['readServiceStatus']>) {
  return { showService: showService(readServiceStatus) }
}

function showService(readServiceStatus: NonNullable<ServiceOptions['readServiceStatus']>) {
  return endpoint({
    method: 'get',
    path: '/v1/service',
    access: ['operations.read'],
    tag: 'Operations',
    errors: 'problem',
    takesTurn: false,
    summary: "Show the state of the gateway's calls to the service",
    description:
      'For each environment of the section `service`: access tokens, certificate, last calls, budget, waiting tokens.',
    answers: { 200: { description: 'The environments.', schema: listSchema } },
    async run() {
      const data = (await readServiceStatus()).map(statusView)
      return { json: { data } satisfies ServiceStatusListView }
    },
  })
}

/** As the API and `portaria service status` show it. */
export function statusView(status: ServiceStatus): ServiceStatusView {
  const { certificate, authoritiesProblem, notificationBudget, waitingTokens } = status
  return {
    ...partsOf(status.environment),
    interfaces: status.interfaces.map(interfaceView),
    certificate: certificate && { ...certificate, notAfter: isoOrNull(certificate.notAfter) },
    authoritiesProblem,
    resolveTokens: status.resolvesTokens,
    notificationBudget: { ...notificationBudget, left: budgetLeft(status) },
    waitingTokens: { count: waitingTokens.count, oldestAt: isoOrNull(waitingTokens.oldestAt) },
  }
}

export function interfaceView(status: ServiceInterfaceStatus): ServiceStatusView['interfaces'][number] {
  const { baseAddress, tokenUntil, lastSuccessAt, isFailing, lastFailure } = status
  return {
    interface: status.interface,
    baseAddress,
    tokenUntil: isoOrNull(tokenUntil),
    lastSuccessAt: isoOrNull(lastSuccessAt),
    failing: isFailing,
    lastFailure: lastFailure && {
      at: iso(lastFailure.at),
      code: lastFailure.code,
      error: lastFailure.text,
      final: lastFailure.isFinal,
    },
  }
}
