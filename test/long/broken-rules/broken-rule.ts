/** A change of the simulator that breaks one rule of docs/simulator.md, and the test that must notice it. */
export interface BrokenRule {
  readonly rule: string
  /** Below src/simulator. */
  readonly file: string
  /** Text of the file, which `to` replaces once. */
  readonly from: string
  readonly to: string
  /** Below test/simulator. */
  readonly test: string
  readonly title: string
}
