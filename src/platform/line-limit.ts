const LINES_PER_SECOND = 100

/** Whether what is the same again and again may still have a log line of its own: 100 in a second. Each question counts. */
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
