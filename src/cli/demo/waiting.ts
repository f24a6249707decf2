import { setTimeout as wait } from 'node:timers/promises'

/** A broken promise: the message says what was expected and what happened instead. */
export class DemoFailure extends Error {
  override name = 'DemoFailure'
}

/** @throws DemoFailure */
export function mustHold(isTrue: boolean, otherwise: string): asserts isTrue {
  if (!isTrue) throw new DemoFailure(otherwise)
}

const PAUSE_MS = 25
const LIMIT_MS = 10_000

/** Polls until the condition is true; false if it is not within 10 s. @throws when `signal` is aborted */
export async function becomesTrue(condition: () => boolean | Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + LIMIT_MS
  while (!(await condition())) {
    if (performance.now() > deadline) return false
    await wait(PAUSE_MS, undefined, { signal })
  }
  return true
}
