/** Before this a rate is too uncertain to be shown. */
const FIRST_RATE_MS = 2000

/** Words for the progress of a verification: after a while with its rate, and the time that the rest takes at this rate. */
export function createPace(first: number, last: number, now: () => number = () => performance.now()) {
  const startedAt = now()
  return function paceAt(position: number): string {
    const words = `event ${position} of ${last}`
    const elapsedMs = now() - startedAt
    if (elapsedMs < FIRST_RATE_MS || position <= first) return words
    const perSecond = ((position - first) * 1000) / elapsedMs
    return `${words}, ${Math.round(perSecond)} events/s, ${timeLeft((last - position) / perSecond)} left`
  }
}

function timeLeft(seconds: number): string {
  const whole = Math.ceil(seconds)
  return whole < 120 ? `${whole} s` : `${Math.ceil(whole / 60)} min`
}
