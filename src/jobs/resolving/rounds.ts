import { setTimeout as sleep } from 'node:timers/promises'

/** Work that is done in rounds, with a rest after each. */
export interface Rounds {
  /** Ends the rest under way, or leaves out the one after the round under way. */
  wake(): void
  /** Resolves after the round under way at the signal. */
  readonly ended: Promise<void>
}

/** @param round returns how long there is nothing more to do, in ms; must not be rejected */
export function startRounds(round: () => Promise<number>, signal: AbortSignal): Rounds {
  let isWoken = false
  let resting = new AbortController()

  function wake(): void {
    isWoken = true
    resting.abort()
  }

  async function rest(ms: number): Promise<void> {
    if (isWoken) return
    resting = new AbortController()
    await sleep(ms, undefined, { signal: resting.signal }).catch(() => undefined)
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      isWoken = false
      await rest(await round())
    }
  }

  signal.addEventListener('abort', wake)
  return { wake, ended: run() }
}
