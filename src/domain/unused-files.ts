/** Files whose content is not in use: certificates, chains, lists or secrets. */
export interface FileProblem {
  /** What the files are for, in texts. */
  readonly what: string
  readonly problem: string
  /** null: a file that the problem names. */
  readonly file: string | null
  /** none: there is no earlier content, so callers are refused. */
  readonly use: 'earlier' | 'none'
}

/** For people. */
export function problemText({ what, problem, use }: FileProblem): string {
  return use === 'earlier' ? `${what} stays unchanged: ${problem}` : `${what} is not in use: ${problem}`
}
