import type { Destination } from '../domain/destination.ts'
import type { RetryPolicy } from '../domain/retry-schedule.ts'
import type { Store } from '../domain/store.ts'
import type { DestinationTotals } from '../domain/store-snapshot.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { type CircuitPolicy, createCircuit, isDestinationTrouble } from './circuit.ts'
import { isGone, retryAfterMs } from './outcome.ts'
import { createProbes, type Probes } from './probes.ts'
import type { AttemptResult } from './send.ts'
import { createAttemptCounts, type WorkerStats } from './worker-stats.ts'

/** What attempts say about their destination: its circuit, when it is probed, and its counts. */
export interface DestinationHealth {
  /** null: the circuit is closed. */
  readonly circuitOpenedAt: number | null
  /** For an open circuit. */
  readonly probes: Probes
  attempted(deliveryId: number, result: AttemptResult): void
  /** Deliveries ended as exhausted, with or without an attempt. */
  exhausted(count: number): void
  stats(): WorkerStats & { readonly circuitOpenedAt: number | null }
  totals(): Pick<DestinationTotals, 'delivered' | 'failed' | 'exhausted' | 'circuitOpenedAt' | 'isFailing'>
}

export interface DestinationHealthOptions {
  readonly store: Pick<Store, 'setCircuit'>
  readonly circuit: CircuitPolicy
  readonly policy: RetryPolicy
  readonly now: () => number
  readonly log: Log
}

/** @param onCircuit the circuit has opened (true) or closed */
export function createDestinationHealth(
  { id, circuitOpenedAt }: Pick<Destination, 'id' | 'circuitOpenedAt'>,
  nameOf: () => string,
  { store, circuit: limits, policy, now, log }: DestinationHealthOptions,
  onCircuit: (isOpen: boolean) => void,
): DestinationHealth {
  const counts = createAttemptCounts()
  const probes = createProbes(limits.probeIntervalMs, now)
  const circuit = createCircuit(limits, { openedAt: circuitOpenedAt, now, onChange: circuitChanged })
  /** False: the database has another state, which the API shows, and by which the writer hands deliveries over. */
  let isRecorded = true

  function circuitChanged(openedAt: number | null): void {
    const destination = nameOf()
    const { probeIntervalMs } = limits
    if (openedAt !== null) probes.restart()
    onCircuit(openedAt !== null)
    if (openedAt === null) log.warn({ destination }, 'destination.recovered')
    else log.error({ destination, probeIntervalMs }, 'destination.circuit_opened')
    record()
  }

  function record(): void {
    isRecorded = true
    store.setCircuit(id, circuit.openedAt).catch((error: unknown) => {
      isRecorded = false
      log.warn({ destination: nameOf(), error: messageOf(error) }, 'destination.circuit_not_recorded')
    })
  }

  return {
    get circuitOpenedAt() {
      return circuit.openedAt
    },
    probes,
    attempted(deliveryId, result) {
      counts.attempted(result.durationMs, result.error === null)
      if (!isRecorded) record()
      // 410 pauses the destination and says nothing about its circuit.
      if (isDestinationTrouble(result)) circuit.failed(deliveryId)
      else if (!isGone(result)) circuit.succeeded()
      // Retry-After is about the destination as a whole: a probe of any delivery waits for it.
      if (circuit.openedAt !== null) probes.delay(retryAfterMs(result, policy))
    },
    exhausted: counts.exhausted,
    stats: () => ({ ...counts.stats(), circuitOpenedAt: circuit.openedAt }),
    totals: () => ({ ...counts.totals(), circuitOpenedAt: circuit.openedAt, isFailing: circuit.isFailing }),
  }
}
