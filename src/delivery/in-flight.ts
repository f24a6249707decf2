/** What can be ended from outside while it is under way. */
export interface Endable {
  /** In ms of performance.now(). */
  readonly deadline: number
  readonly signal: AbortSignal
  /** The deadline is over: it ends, or has another deadline from now on. */
  onDeadline(): void
  onAborted(): void
}

/** One timer for all deadlines and one listener for each signal, because almost everything ends before both. */
export interface InFlight {
  add(one: Endable): void
  /** Its deadline is earlier now. */
  advanced(one: Endable): void
  remove(one: Endable): void
}

export function createInFlight(): InFlight {
  const all = new Set<Endable>()
  const heard = new WeakSet<AbortSignal>()
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Number.POSITIVE_INFINITY

  function wakeAt(deadline: number): void {
    if (deadline >= wakesAt) return
    clearTimeout(timer)
    wakesAt = deadline
    // Sockets keep the process alive, not their deadlines.
    timer = setTimeout(endSoon, Math.max(0, Math.ceil(deadline - performance.now()))).unref()
  }

  /** After what has arrived is read: where the thread was busy, an answer that came in time counts. */
  function endSoon(): void {
    setImmediate(endOverdue)
  }

  function endOverdue(): void {
    wakesAt = Number.POSITIVE_INFINITY
    const now = performance.now()
    for (const one of all) {
      if (one.deadline <= now) one.onDeadline()
      if (all.has(one)) wakeAt(one.deadline)
    }
  }

  function hear(signal: AbortSignal): void {
    heard.add(signal)
    signal.addEventListener('abort', () => {
      for (const one of all) if (one.signal === signal) one.onAborted()
    })
  }

  return {
    add(one) {
      all.add(one)
      wakeAt(one.deadline)
      if (!heard.has(one.signal)) hear(one.signal)
    },
    advanced: (one) => wakeAt(one.deadline),
    remove: (one) => void all.delete(one),
  }
}
