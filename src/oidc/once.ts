/** Of sign-ins that were completed or refused, in memory. */
const MOST_USED = 10_000

/** Values that count once, in memory and bounded: the oldest are forgotten first. */
export function createOnce(now: () => number) {
  const taken = new Map<string, number>()
  return {
    /** @returns false: it was taken before */
    take(value: string, until: number): boolean {
      for (const [one, end] of taken) {
        if (end > now() && taken.size < MOST_USED) break
        taken.delete(one)
      }
      if (taken.has(value)) return false
      taken.set(value, until)
      return true
    },
  }
}
