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
  /** True: no call has succeeded since the last failure. A refused call says nothing about the next one, so it does not count. */
  readonly isFailing: boolean
}

/** The last calls of each interface. It outlives a client that is replaced because its configuration changed. */
export interface ServiceHistory {
  of(on: ServiceInterface): InterfaceHistory
  /** Returns whether the interface had failed before. */
  succeeded(on: ServiceInterface, at: number): boolean
  /** Returns whether it is another failure than before. */
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
    failed({ on, code, message, isFinal }, at) {
      const lastFailure = { at, code, text: message, isFinal }
      const isRefused = code === 'refused'
      known.set(on, { ...of(on), lastFailure, isFailing: of(on).isFailing || !isRefused })
      if (isRefused) return false
      const isNew = failing.get(on) !== code
      failing.set(on, code)
      return isNew
    },
  }
}
