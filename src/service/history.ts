import { SERVICE_INTERFACES, type ServiceInterface } from '../domain/service/service-interfaces.ts'
import type { ServiceFailure, ServiceFailureCode } from './failure.ts'

export interface FailedCall {
  /** In ms since 1970. */
  readonly at: number
  readonly code: ServiceFailureCode
  /** Cause and next step. */
  readonly text: string
  readonly isFinal: boolean
}

export interface InterfaceHistory {
  /** When the service last carried out a call; null: never since the start. */
  readonly lastSuccessAt: number | null
  readonly lastFailure: FailedCall | null
  /** True: the service has not answered a call since the last failure. A refusal of a call is an answer, except 401 and 403, which change nothing. */
  readonly isFailing: boolean
}

/** The last calls of each interface. It outlives a client that is replaced because its configuration changed. */
export interface ServiceHistory {
  of(on: ServiceInterface): InterfaceHistory
  /** Returns whether the interface had failed before. */
  succeeded(on: ServiceInterface, at: number): boolean
  /** The refusal of one call. Returns whether the interface had failed before, and does no longer. */
  refused(failure: ServiceFailure, at: number): boolean
  /** Any other failure. Returns whether it is another one than before. */
  failed(failure: ServiceFailure, at: number): boolean
}

const NEVER: InterfaceHistory = { lastSuccessAt: null, lastFailure: null, isFailing: false }

export function createServiceHistory(): ServiceHistory {
  const known = new Map<ServiceInterface, InterfaceHistory>(SERVICE_INTERFACES.map((on) => [on, NEVER]))
  /** The failure of each interface that no success has followed. */
  const failing = new Map<ServiceInterface, ServiceFailureCode>()
  const of = (on: ServiceInterface): InterfaceHistory => known.get(on) ?? NEVER
  return {
    of,
    succeeded(on, at) {
      known.set(on, { ...of(on), lastSuccessAt: at, isFailing: false })
      return failing.delete(on)
    },
    refused(failure, at) {
      const { on, status } = failure
      const isAnswer = status !== 401 && status !== 403
      known.set(on, { ...of(on), lastFailure: failedCall(failure, at), isFailing: of(on).isFailing && !isAnswer })
      return isAnswer && failing.delete(on)
    },
    failed(failure, at) {
      const { on, code } = failure
      known.set(on, { ...of(on), lastFailure: failedCall(failure, at), isFailing: true })
      const isNew = failing.get(on) !== code
      failing.set(on, code)
      return isNew
    },
  }
}

function failedCall({ code, message, isFinal }: ServiceFailure, at: number): FailedCall {
  return { at, code, text: message, isFinal }
}
