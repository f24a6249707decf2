import type { Realm } from '../realm.ts'
import type { ServiceInterface } from './service-interfaces.ts'

/** An interface of the service that the gateway calls, and how the last calls went. Times are ms since 1970. */
export interface ServiceInterfaceStatus {
  readonly interface: ServiceInterface
  readonly baseAddress: string
  /** Until when the current access token is used; null: there is none. */
  readonly tokenUntil: number | null
  /** null: no call has succeeded since the start. */
  readonly lastSuccessAt: number | null
  /** True: the service has answered no call since the last failure. A refusal of a call is an answer, except 401 and 403. */
  readonly isFailing: boolean
  readonly lastFailure: {
    readonly at: number
    readonly code: string
    /** Cause and next step. */
    readonly text: string
    /** True: calls fail until somebody changes something. */
    readonly isFinal: boolean
  } | null
}

/** The gateway as the service's client, in one environment. */
export interface ServiceStatus {
  readonly environment: Realm
  /** Empty: the section `service` has no entry for the environment, but tokens of it wait. */
  readonly interfaces: readonly ServiceInterfaceStatus[]
  /** The account's certificate; null: none is configured. */
  readonly certificate: {
    readonly subject: string | null
    readonly notAfter: number | null
    /** Why it cannot be used, with the next step; null: it can. */
    readonly problem: string | null
  } | null
  /** Why the configured authorities cannot be used; null: they can, or none are configured. */
  readonly authoritiesProblem: string | null
  readonly resolvesTokens: boolean
  /** Queries of notification tokens on this UTC day. */
  readonly notificationBudget: {
    /** null: unlimited. */
    readonly limit: number | null
    readonly used: number
  }
  readonly waitingTokens: {
    readonly count: number
    /** When the first of those that are no events yet was received; null: there is none. */
    readonly oldestAt: number | null
  }
}

/** Queries that are left today; null: unlimited. */
export function budgetLeft({
  notificationBudget: { limit, used },
}: Pick<ServiceStatus, 'notificationBudget'>): number | null {
  return limit === null ? null : Math.max(0, limit - used)
}
