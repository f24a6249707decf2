export interface LineRate {
  readonly lines: number
  readonly perMs: number
}

const HUNDRED_A_SECOND: LineRate = { lines: 100, perMs: 1000 }

/** Whether a frequent event may still have a separate log line. Each call counts. @param at the time of `now`, if it is known */
export function createLineLimit(
  now: () => number,
  { lines: limit, perMs } = HUNDRED_A_SECOND,
): (at?: number) => boolean {
  let period = 0
  let lines = 0
  return function mayHaveLine(at = now()) {
    const current = Math.floor(at / perMs)
    if (current !== period) {
      period = current
      lines = 0
    }
    lines++
    return lines <= limit
  }
}

/** As `createLineLimit`. @returns null: the line is left out. Otherwise the member `leftOut` for the line, if lines before it were left out */
export function createCountedLineLimit(now: () => number, rate: LineRate): () => { readonly leftOut?: number } | null {
  const mayHaveLine = createLineLimit(now, rate)
  let leftOut = 0
  return function takeLine() {
    if (!mayHaveLine()) {
      leftOut++
      return null
    }
    const before = leftOut
    leftOut = 0
    return before === 0 ? {} : { leftOut: before }
  }
}
