import type { Interface } from '../interfaces.ts'
import type { Records } from '../records.ts'
import type { ApiFault, CallbackFault, Fault } from './fault.ts'

/** A fault that was ordered, and what it has done. */
export interface OrderedFault {
  readonly id: number
  readonly fault: Fault
  /** Calls that it met, whether it changed them or not. */
  readonly met: number
  /** Calls that it changed. */
  readonly changed: number
}

/** The faults of one environment, in the order in which they were ordered. */
export interface Faults {
  order(fault: Fault): OrderedFault
  list(): readonly OrderedFault[]
  /** False: there is none with this id. */
  delete(id: number): boolean
  /** The first fault that changes this callback; it counts as done. @param isAllowed leaves faults out that cannot change it */
  takeForCallback(
    call: { readonly interface: Interface; readonly url: string },
    isAllowed: (fault: CallbackFault) => boolean,
  ): CallbackFault | undefined
  /** The first fault that changes this request; it counts as done. */
  takeForApi(request: {
    readonly interface: Interface
    readonly method: string
    readonly path: string
  }): ApiFault | undefined
}

export function createFaults(records: Records, environment: string): Faults {
  const ordered = records.collection<OrderedFault>(`${environment}.faults`)

  function take<F extends Fault>(isMet: (fault: Fault) => fault is F): F | undefined {
    for (const one of ordered.list()) {
      const { fault, met, changed } = one
      if (isUsedUp(one) || !isMet(fault)) continue
      const isChanged = fault.probability === undefined || chance(fault.seed, met) < fault.probability
      ordered.put(one.id, { ...one, met: met + 1, changed: changed + (isChanged ? 1 : 0) })
      if (isChanged) return fault
    }
    return undefined
  }

  return {
    order(fault) {
      const id = records.nextNumber(`${environment}.faults`)
      const one = { id, fault, met: 0, changed: 0 }
      ordered.put(id, one)
      return one
    },
    list: () => ordered.list(),
    delete: (id) => ordered.delete(id),
    takeForCallback: (call, isAllowed) =>
      take(
        (fault): fault is CallbackFault =>
          fault.on === 'callback' && meets(fault.interface, call.interface, fault.url, call.url) && isAllowed(fault),
      ),
    takeForApi: (request) =>
      take(
        (fault): fault is ApiFault =>
          fault.on === 'api' &&
          meets(fault.interface, request.interface, fault.path, request.path) &&
          (fault.method ?? request.method) === request.method,
      ),
  }
}

export function isUsedUp({ fault, changed }: OrderedFault): boolean {
  const { count = fault.probability === undefined ? 1 : null } = fault
  return count !== null && changed >= count
}

function meets(on: Interface | undefined, called: Interface, part: string | undefined, whole: string): boolean {
  return (on ?? called) === called && (part === undefined || whole.includes(part))
}

/** A number from 0 to below 1 that depends on nothing else: the steps of mulberry32, so that a sequence can be repeated. */
function chance(seed: number, index: number): number {
  let state = (seed + Math.imul(index + 1, 0x6d2b79f5)) | 0
  state = Math.imul(state ^ (state >>> 15), state | 1)
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61)
  return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32
}
