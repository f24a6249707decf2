import { messageOf } from '../platform/errors.ts'

/** Closes what was opened, in reverse order. */
export interface Closing {
  /** The function runs in `close`, before those that were deferred earlier. */
  defer(closePart: () => unknown): void
  /**
   * Runs every deferred function once, also after one that fails. Later calls return the same promise.
   * @throws Error whose `cause` is the first failure
   */
  close(): Promise<void>
}

export function createClosing(): Closing {
  const stack = new AsyncDisposableStack()
  let closed: Promise<void> | undefined
  return {
    defer: (closePart) => stack.defer(async () => void (await closePart())),
    close: () => (closed ??= stack.disposeAsync().catch(throwFirst)),
  }
}

/**
 * Closes parts at the same time and waits for all of them, also where one fails.
 * @throws the failure, or an AggregateError of several in the order of the list
 */
export async function closeTogether(parts: readonly (() => unknown)[]): Promise<void> {
  const results = await Promise.allSettled(parts.map(async (closePart) => closePart()))
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures)
}

function throwFirst(error: unknown): never {
  const failures = failuresOf(error)
  throw new Error(`not closed: ${failures.map(messageOf).join('; ')}`, { cause: failures[0] })
}

/** The disposable stack wraps each failure into the next one, so the first failure is the innermost. */
function failuresOf(error: unknown): unknown[] {
  if (error instanceof SuppressedError) return [...failuresOf(error.suppressed), ...failuresOf(error.error)]
  return error instanceof AggregateError ? error.errors : [error]
}
