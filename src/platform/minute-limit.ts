const MINUTE_MS = 60_000

/**
 * Limits the lines of a log event that callers without credentials can cause, so that they cannot fill the log.
 * @returns null: the line is left out. Otherwise the member `leftOut` for the line, if lines before it were left out.
 */
export function limitPerMinute(limit: number, now: () => number): () => { readonly leftOut?: number } | null {
  let minute = 0
  let lines = 0
  let leftOut = 0
  return function takeLine() {
    const current = Math.floor(now() / MINUTE_MS)
    if (current !== minute) [minute, lines] = [current, 0]
    lines++
    if (lines > limit) {
      leftOut++
      return null
    }
    const before = leftOut
    leftOut = 0
    return before === 0 ? {} : { leftOut: before }
  }
}
