/** The time of this process: its own clock, moved to that of the database where several nodes use it. */
export interface SharedTime {
  /** In ms since 1970. */
  now(): number
  /** @param database what the clock of the database showed between the two moments of this process's clock */
  follow(database: number, begunAt: number, endedAt: number): void
}

/** Clocks that differ by less are taken as equal, so that no time of this process goes back for the noise of a measurement. */
const TOLERANCE_MS = 250

/**
 * Leases of consumers, access tokens and due times are compared on other nodes than the one that set them, and clocks of machines differ.
 * @param own the clock of this process
 */
export function createSharedTime(own: () => number = Date.now): SharedTime {
  let offsetMs = 0
  return {
    now: () => own() + offsetMs,
    follow(database, begunAt, endedAt) {
      const measuredMs = Math.round(database - (begunAt + endedAt) / 2)
      const uncertainMs = (endedAt - begunAt) / 2
      const differenceMs = Math.abs(measuredMs - offsetMs)
      if (differenceMs > uncertainMs + TOLERANCE_MS) offsetMs = measuredMs
    },
  }
}
