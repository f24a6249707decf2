import { type DeliveryState, type DeliveryWait, wordOf } from './delivery.ts'

/** A delivery as the API shows it. Times are RFC 3339. */
export interface ShownDelivery {
  readonly destinationName: string
  readonly state: DeliveryState
  readonly waitsFor: DeliveryWait | null
  readonly nextAttemptAt: string | null
  readonly nextProbeAt: string | null
  readonly lastStatus: number | null
  readonly lastError: string | null
}

/** The state of a payment at a destination. What needs a person comes first; of several deliveries to one destination the first of these counts. */
export const STANDINGS = [
  'exhausted',
  'refused',
  'unreached',
  'paused',
  'stopped',
  'behind',
  'onItsWay',
  'delivered',
  'canceled',
] as const
export type Standing = (typeof STANDINGS)[number]

export interface Whereabouts {
  readonly standing: Standing
  /** Of the destinations; one, except where there is nothing else to say. */
  readonly names: readonly string[]
  /** The HTTP status of the last answer that was no success; null: there was none. */
  readonly status: number | null
  /** When the gateway tries again; null: it does not, or the time is unknown. */
  readonly nextAt: string | null
}

/** Where the events of a payment are, by their deliveries; empty: no destination wants them. */
export function whereaboutsOf(deliveries: readonly ShownDelivery[]): Whereabouts[] {
  const all = deliveries
    .map((delivery) => ({ delivery, standing: standingOf(delivery) }))
    .toSorted((one, other) => STANDINGS.indexOf(one.standing) - STANDINGS.indexOf(other.standing))
  const firsts = [...Map.groupBy(all, ({ delivery }) => delivery.destinationName).values()].flatMap(
    (one) => one[0] ?? [],
  )
  return [...Map.groupBy(firsts, ({ standing }) => standing)].flatMap(([standing, found]): Whereabouts[] => {
    const names = found.map(({ delivery }) => delivery.destinationName).toSorted()
    if (standing === 'delivered' || standing === 'canceled') return [{ standing, names, status: null, nextAt: null }]
    return found.map(({ delivery }) => ({
      standing,
      names: [delivery.destinationName],
      status: delivery.lastStatus,
      nextAt: hasNext(standing) ? (delivery.nextProbeAt ?? delivery.nextAttemptAt) : null,
    }))
  })
}

function standingOf(delivery: ShownDelivery): Standing {
  const { state, waitsFor, lastStatus } = delivery
  const word = wordOf(delivery)
  if (state === 'delivered' || state === 'exhausted' || state === 'canceled') return state
  if (waitsFor === 'resume') return 'paused'
  if (waitsFor === 'subject') return 'behind'
  if (word === 'failing') return lastStatus === null ? 'unreached' : 'refused'
  return waitsFor === 'circuit' ? 'stopped' : 'onItsWay'
}

function hasNext(standing: Standing): boolean {
  return standing === 'refused' || standing === 'unreached' || standing === 'stopped'
}
