import { PortariaError } from './errors.ts'
import { say } from './said.ts'

/** Lets a few at a time do what takes much memory, and the others wait. */
export interface Turns {
  /**
   * One of the places. The request that waits longest comes first, unless its key has enough of them.
   * @param key whose turn it is
   * @returns how to give the place back; further calls do nothing
   * @throws PortariaError `queue_full` where too many wait already
   */
  take(key: string): Promise<() => void> | (() => void)
}

export interface TurnLimits {
  readonly places: number
  readonly placesOfKey: number
  /** How many may wait, of one key. */
  readonly waitingOfKey: number
}

export function createTurns({ places, placesOfKey, waitingOfKey }: TurnLimits): Turns {
  let taken = 0
  const keys = new Map<string, { taken: number; readonly waiting: (() => void)[] }>()

  function enter(key: string): () => void {
    let isOver = false
    taken++
    stateOf(key).taken++
    return function leave() {
      if (isOver) return
      isOver = true
      taken--
      stateOf(key).taken--
      goOn()
    }
  }

  function stateOf(key: string) {
    const known = keys.get(key)
    if (known !== undefined) return known
    const added = { taken: 0, waiting: [] }
    keys.set(key, added)
    return added
  }

  /** The keys take turns: the one that was served last goes behind the others. */
  function goOn(): void {
    for (const [key, state] of keys) {
      if (taken >= places) return
      const next = state.taken < placesOfKey ? state.waiting.shift() : undefined
      if (state.taken === 0 && state.waiting.length === 0) keys.delete(key)
      if (next === undefined) continue
      keys.delete(key)
      keys.set(key, state)
      next()
    }
  }

  return {
    take(key) {
      const state = stateOf(key)
      if (taken < places && state.taken < placesOfKey) return enter(key)
      if (state.waiting.length >= waitingOfKey)
        throw new PortariaError(
          'queue_full',
          say`${{ count: waitingOfKey }} requests of this client wait already: ask again later`,
        )
      return new Promise((resolve) => state.waiting.push(() => resolve(enter(key))))
    },
  }
}

/**
 * Performs one at a time. Who asks while one is under way gets the next one; further callers share it, because it begins after all of them asked.
 * @returns rejects as that one does
 */
export function oneBehind(perform: () => Promise<void>): () => Promise<void> {
  let latest: Promise<void> = Promise.resolve()
  /** The latest has not begun yet. */
  let isWaiting = false

  async function performNext(): Promise<void> {
    isWaiting = false
    await perform()
  }

  return function ask() {
    if (isWaiting) return latest
    isWaiting = true
    latest = latest.catch(() => undefined).then(performNext)
    return latest
  }
}
