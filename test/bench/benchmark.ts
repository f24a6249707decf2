/** Named figures of one round. */
export type Figures = Readonly<Record<string, number>>

export interface Promised {
  readonly what: string
  /** As it is written in the table. */
  readonly limit: string
  readonly value: (round: Figures) => number
  readonly holds: (median: number) => boolean
}

export interface Benchmark {
  readonly name: string
  readonly what: string
  readonly promises: readonly Promised[]
  /** Programs without which it is left out. */
  readonly needs?: readonly string[]
  /** What else is missing; null: nothing. */
  readonly missing?: () => string | null
  /** Runs the variants in turn, each in a fresh process; tells each round's figures. */
  run(rounds: number, tell: (round: Figures) => void): Promise<void>
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export function atLeast(minimum: number, what: string, value: (round: Figures) => number, unit = '×'): Promised {
  return { what, limit: `at least ${minimum} ${unit}`, value, holds: (middle) => middle >= minimum }
}

export function atMost(maximum: number, what: string, value: (round: Figures) => number, unit = '×'): Promised {
  return { what, limit: `at most ${maximum} ${unit}`, value, holds: (middle) => middle <= maximum }
}

/** A figure without a promise. */
export function reported(what: string, value: (round: Figures) => number, unit = '×'): Promised {
  return { what, limit: `reported, ${unit}`, value, holds: () => true }
}

/** The same round with the figures of the earlier version in place of the product's; null: it was not measured. */
export function asBefore(round: Figures): Figures | null {
  const before = Object.entries(round).filter(([name]) => name.startsWith('before'))
  if (before.length === 0) return null
  return { ...round, ...Object.fromEntries(before.map(([name, value]) => [name.replace('before', 'product'), value])) }
}

/** A figure that must be there: a misspelt name is no zero. */
export function figure(round: Figures, name: string): number {
  const value = round[name]
  if (value === undefined) throw new Error(`no figure ${name}`)
  return value
}
