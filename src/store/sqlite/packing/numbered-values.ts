/*
 * Values that repeat between messages. The receiving thread gets each one once; afterwards a message names it by its number. Both sides forget all of
 * them at the same message, so neither grows without bound.
 */

/** The new values of a message. */
export interface NewValues<T> {
  /** The number of the first one; 0: all earlier values are forgotten. */
  readonly from: number
  readonly values: readonly T[]
}

/** More values than this are forgotten at the next message. */
const KEPT_VALUES = 1024

export interface ValueNumbers<T> {
  /** Before the first value of a message. */
  begin(): void
  /** @param key equal for equal values */
  numberOf(key: string, value: () => T): number
  /** The values that this message must contain. */
  added(): NewValues<T>
}

/** The sending side. */
export function createValueNumbers<T>(): ValueNumbers<T> {
  const numbers = new Map<string, number>()
  let from = 0
  let values: T[] = []
  return {
    begin() {
      if (numbers.size > KEPT_VALUES) numbers.clear()
      from = numbers.size
      values = []
    },
    numberOf(key, value) {
      const known = numbers.get(key)
      if (known !== undefined) return known
      const number = numbers.size
      numbers.set(key, number)
      values.push(value())
      return number
    },
    added: () => ({ from, values }),
  }
}

export interface KeptValues<T> {
  /** @throws RangeError when a message before this one is missing */
  keep(added: NewValues<T>): void
  get(number: number): T
}

/** The receiving side. */
export function createKeptValues<T>(): KeptValues<T> {
  const kept: T[] = []
  return {
    keep({ from, values }) {
      if (from === 0) kept.length = 0
      if (from !== kept.length) throw new RangeError(`value ${from} follows value ${kept.length}`)
      kept.push(...values)
    },
    get(number) {
      if (number >= kept.length) throw new RangeError(`value ${number} is missing`)
      return kept[number] as T
    },
  }
}
