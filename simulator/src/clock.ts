/** The simulated time. It follows the real clock, at a distance, until it is frozen. */
export interface Clock {
  /** The simulated time, in ms since 1970. */
  now(): number
  readonly isFrozen: boolean
  /** Moves the simulated time to an instant, from which it goes on, or at which it stays. */
  set(instant: number, isFrozen: boolean): void
}

/** What a restart has to know of a clock. */
export interface ClockState {
  /** Simulated time minus real time, in ms; of a frozen clock, the simulated time. */
  readonly value: number
  readonly isFrozen: boolean
}

export const REAL_TIME: ClockState = { value: 0, isFrozen: false }

/** @param realNow the real time, in ms since 1970 @param keep is called with each new state */
export function createClock(
  realNow: () => number = Date.now,
  state: ClockState = REAL_TIME,
  keep: (state: ClockState) => void = () => undefined,
): Clock {
  let { value, isFrozen } = state
  return {
    now: () => (isFrozen ? value : realNow() + value),
    get isFrozen() {
      return isFrozen
    },
    set(instant, frozen) {
      isFrozen = frozen
      value = frozen ? instant : instant - realNow()
      keep({ value, isFrozen })
    },
  }
}
