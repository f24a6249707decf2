const LINES_PER_SECOND = 100

/** Whether a frequent event may still have a separate log line: 100 in a second. Each call counts. @param at the time of `now`, if it is known */
export function createLineLimit(now: () => number): (at?: number) => boolean {
  let second = 0
  let lines = 0
  return function mayHaveLine(at = now()) {
    const current = Math.floor(at / 1000)
    if (current !== second) {
      second = current
      lines = 0
    }
    lines++
    return lines <= LINES_PER_SECOND
  }
}
