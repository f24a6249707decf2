export interface CircuitPolicy {
  /** So many different deliveries failed in a row, and the circuit opens. */
  readonly failures: number
  /** While it is open, one delivery is sent each so many ms, to see whether the destination is back. */
  readonly probeIntervalMs: number
}

/**
 * Whether a destination is worth sending to. One delivery that fails for ever opens nothing: it is the delivery that is bad. While the
 * circuit is open no delivery uses a step of its schedule.
 */
export interface Circuit {
  readonly openedAt: number | null
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

/** Trouble of the destination itself, and not of what was sent to it: no answer, a server error, too many requests. */
export function isDestinationTrouble(result: {
  readonly status: number | null
  readonly error: string | null
}): boolean {
  if (result.error === null) return false
  return result.status === null || result.status >= 500 || result.status === 429 || result.status === 408
}
