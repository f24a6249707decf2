import { namedParts, type Realm } from '../domain/realm.ts'
import type { ServiceInterface } from '../domain/service/service-interfaces.ts'
import { budgetLeft, type ServiceStatus } from '../domain/service/service-status.ts'
import { secondsSince } from './destination-metrics.ts'
import type { Exposition } from './exposition.ts'

/** One request to the service, or one fetch of a token. */
interface Observed {
  readonly on: ServiceInterface
  /** `success`, or why not. */
  readonly outcome: string
}

/** Counts of requests to the service, since the start. */
export interface ServiceTraffic {
  requested(environment: Realm, request: Observed): void
  tokenFetched(environment: Realm, request: Observed): void
}

export interface ServiceSources {
  /** null: unknown. */
  readonly status: () => readonly ServiceStatus[] | null
  readonly now: () => number
}

const ENVIRONMENT = ['institution', 'environment'] as const
const INTERFACE = [...ENVIRONMENT, 'interface'] as const

/** Counters of the requests to the service. Every interface that is used has its series of `success`, at 0 before the first. */
export function createServiceTraffic(exposition: Exposition, used: () => readonly ServiceStatus[]): ServiceTraffic {
  function createCounter(name: string, help: string): (environment: Realm, request: Observed) => void {
    const counts = new Map<string, number>()
    exposition.counter({ name, help }, [...INTERFACE, 'outcome'], (emit) => {
      const expected = used().flatMap(({ environment, interfaces }) =>
        interfaces.map((one) => keyOf(environment, { on: one.interface, outcome: 'success' })),
      )
      for (const key of new Set([...expected, ...counts.keys()])) emit(labelsOf(key), counts.get(key) ?? 0)
    })
    return function count(environment, request) {
      const key = keyOf(environment, request)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  return {
    requested: createCounter(
      'portaria_service_requests_total',
      'Requests to the service by outcome: success, refused, unauthorized (a token had ended), or why they failed. Repetitions count.',
    ),
    tokenFetched: createCounter(
      'portaria_service_token_fetches_total',
      'Access tokens that were asked for, by outcome: success, or why there was none.',
    ),
  }
}

function keyOf(environment: Realm, { on, outcome }: Observed): string {
  return [environment, on, outcome].join(' ')
}

function labelsOf(key: string) {
  const [environment = '', on = '', outcome = ''] = key.split(' ')
  return { ...namedParts(environment as Realm), interface: on, outcome }
}

/** The gateway as the service's client. */
export function exposeService(exposition: Exposition, { status, now }: ServiceSources): void {
  exposition.gauge(
    {
      name: 'portaria_service_last_success_timestamp_seconds',
      help: 'Time of the last successful call of an interface of the service; 0: none since the start.',
    },
    INTERFACE,
    (emit) => {
      for (const { environment, interfaces } of status() ?? [])
        for (const one of interfaces)
          emit({ ...namedParts(environment), interface: one.interface }, (one.lastSuccessAt ?? 0) / 1000)
    },
  )
  exposition.gauge(
    {
      name: 'portaria_service_failing',
      help: '1 while an interface of the service has answered no call since its last failure. A refused call is an answer.',
    },
    INTERFACE,
    (emit) => {
      for (const { environment, interfaces } of status() ?? [])
        for (const one of interfaces)
          emit({ ...namedParts(environment), interface: one.interface }, Number(one.isFailing))
    },
  )
  exposeTokens(exposition, { status, now })
}

function exposeTokens(exposition: Exposition, { status, now }: ServiceSources): void {
  exposition.gauge(
    {
      name: 'portaria_service_budget_left',
      help: 'Queries of charge tokens that are left on this UTC day (service.dailyBudgets.notifications); only where they are limited.',
    },
    ENVIRONMENT,
    (emit) => {
      for (const one of status() ?? []) {
        const left = budgetLeft(one)
        if (left !== null) emit(namedParts(one.environment), left)
      }
    },
  )
  exposition.gauge(
    {
      name: 'portaria_service_tokens_waiting',
      help: 'Charge tokens whose entries the service was not asked for yet, or did not give.',
    },
    ENVIRONMENT,
    (emit) => {
      for (const { environment, waitingTokens } of status() ?? []) emit(namedParts(environment), waitingTokens.count)
    },
  )
  exposition.gauge(
    {
      name: 'portaria_service_token_age_seconds',
      help: 'Age of the oldest charge token that waits and is no event yet; 0: none.',
    },
    ENVIRONMENT,
    (emit) => {
      for (const { environment, waitingTokens } of status() ?? [])
        emit(namedParts(environment), secondsSince(waitingTokens.oldestAt, now()))
    },
  )
}
