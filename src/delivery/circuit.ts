export interface CircuitPolicy {
  /** The circuit opens when this many different deliveries have failed in a row. */
  readonly failures: number
  /** While the circuit is open, one delivery is sent in each interval, to see whether the destination is back. */
  readonly probeIntervalMs: number
}

/**
 * The circuit breaker of a destination. A single delivery that always fails does not open it, because the delivery is the problem. While the
 * circuit is open, no attempt uses a step of its delivery's schedule.
 */
export interface Circuit {
  readonly openedAt: number | null
  /** A delivery has failed since the last success. */
  readonly isFailing: boolean
  succeeded(): void
  failed(deliveryId: number): void
}

export function createCircuit(
  policy: CircuitPolicy,
  options: { openedAt: number | null; now: () => number; onChange: (openedAt: number | null) => void },
): Circuit {
  const failed = new Set<number>()
  let openedAt = options.openedAt

  function set(at: number | null): void {
    openedAt = at
    failed.clear()
    options.onChange(at)
  }

  return {
    get openedAt() {
      return openedAt
    },
    get isFailing() {
      return openedAt !== null || failed.size > 0
    },
    succeeded() {
      failed.clear()
      if (openedAt !== null) set(null)
    },
    failed(deliveryId) {
      if (openedAt !== null) return
      failed.add(deliveryId)
      if (failed.size >= policy.failures) set(options.now())
    },
  }
}

/** A failure of the destination and not of the delivery: no answer, a server error, a timeout, too many requests. */
export function isDestinationTrouble(result: {
  readonly status: number | null
  readonly error: string | null
}): boolean {
  if (result.error === null) return false
  return result.status === null || result.status >= 500 || result.status === 429 || result.status === 408
}
