/** A change of the simulator that breaks one rule of simulator/docs/rules.md, and the test that must notice it. */
export interface BrokenRule {
  readonly rule: string
  /** Below simulator/src. */
  readonly file: string
  /** Text of the file, which `to` replaces once. */
  readonly from: string
  readonly to: string
  /** Below simulator/test. */
  readonly test: string
  readonly title: string
}

type Row = readonly [rule: string, from: string, to: string, title: string]

/** Rules of one file, which the tests of one file notice. */
export function rulesOf(file: string, test: string, rows: readonly Row[]): BrokenRule[] {
  return rows.map(([rule, from, to, title]) => ({ rule, file, from, to, test, title }))
}
