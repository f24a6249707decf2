const LINES_PER_SECOND = 100

/** Whether a frequent event may still have a separate log line: 100 in a second. Each call counts. */
export function createLineLimit(now: () => number): () => boolean {
  let second = 0
  let lines = 0
  return function mayHaveLine() {
    const current = Math.floor(now() / 1000)
    if (current !== second) {
      second = current
      lines = 0
    }
    lines++
    return lines <= LINES_PER_SECOND
  }
}
