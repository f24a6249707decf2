/** The reason with which a time limit aborts. */
export class TimeLimitReached extends Error {}

export interface Limit {
  readonly signal: AbortSignal
  /** Ends the timer and the listeners. */
  end(): void
}

/** A signal that aborts with TimeLimitReached after `limitMs`, or with the reason of the first of `others` that aborts. */
export function limitTime(limitMs: number, others: readonly (AbortSignal | undefined)[]): Limit {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new TimeLimitReached(`${limitMs / 1000} s`)), limitMs)
  const ends = [() => clearTimeout(timer)]
  for (const other of others) {
    if (other === undefined) continue
    const abort = () => controller.abort(other.reason)
    if (other.aborted) abort()
    else {
      other.addEventListener('abort', abort)
      ends.push(() => other.removeEventListener('abort', abort))
    }
  }
  return {
    signal: controller.signal,
    end() {
      for (const endOne of ends) endOne()
    },
  }
}

/** Waits, and rejects with the signal's reason when it aborts. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const abort = () => reject(signal.reason)
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', abort)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

/** The promise's result, or the signal's reason if it aborts earlier. The promise itself continues. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // Its failure after an abort is that of others who wait for it.
  promise.catch(() => undefined)
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
