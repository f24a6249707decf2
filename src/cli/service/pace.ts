import { setTimeout as wait } from 'node:timers/promises'

/** Lets requests begin at most `perSecond` times a second, evenly. */
export function createPace(perSecond: number): () => Promise<void> {
  const stepMs = 1000 / perSecond
  let next = performance.now()
  return async function turn() {
    const now = performance.now()
    const startsAt = Math.max(next, now)
    next = startsAt + stepMs
    if (startsAt > now) await wait(startsAt - now)
  }
}
