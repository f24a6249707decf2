/** The configuration file that a gateway runs with. */
export interface ConfigurationState {
  readonly file: string
  /** SHA-256 of the file as it was taken up last, hexadecimal. */
  readonly sha256: string
  /** 1 at the start, and one more with each reload. */
  readonly generation: number
  /** Keys of the file that differ from those in use, and take effect only after a restart. */
  readonly needRestart: readonly string[]
  /** Why the last reload took nothing up; null: it did. */
  readonly problem: string | null
}
