import { execFileSync } from 'node:child_process'
import { ROOT } from '../src/platform/program-files.ts'

/** What a package is made of. */
export interface Source {
  /** Full hash, with `-modified` where the tree has uncommitted changes; null: the tree is no clone. */
  readonly commit: string | null
  /** Seconds since 1970: the only time in any package. */
  readonly time: number
}

/** @throws where the tree is no clone and SOURCE_DATE_EPOCH (reproducible-builds.org) is not set either */
export function sourceOf(): Source {
  const commit = git('rev-parse', 'HEAD')
  const isModified = git('status', '--porcelain') !== ''
  const time = process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct')
  if (time === null) throw new Error('this is no clone of git: set SOURCE_DATE_EPOCH to the time of this version')
  return { commit: commit !== null && isModified ? `${commit}-modified` : commit, time: Number(time) }
}

function git(...args: readonly string[]): string | null {
  try {
    return execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}
