/** One wrong change of the source, and the tests of which one must notice it. */
export interface Mutation {
  /** What would go wrong. */
  readonly harm: string
  /** Below src. */
  readonly file: string
  /** Occurs once in the file. */
  readonly text: string
  /** In its place. */
  readonly instead: string
  /** Below test. */
  readonly tests: readonly string[]
  /** Why no test can notice it; left out: one must. */
  readonly unfound?: string
}

type Row = readonly [harm: string, text: string, instead: string, unfound?: string]

/** Changes of one file, which the same tests notice. */
export function mutationsOf(file: string, tests: readonly string[], rows: readonly Row[]): Mutation[] {
  return rows.map(([harm, text, instead, unfound]) => ({
    harm,
    file,
    text,
    instead,
    tests,
    ...(unfound !== undefined && { unfound }),
  }))
}
