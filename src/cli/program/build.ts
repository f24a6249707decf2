import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { programFile, ROOT } from '../../platform/program-files.ts'

/** How this program came to where it is. */
export interface Build {
  readonly installed: 'deb' | 'tarball' | 'npm' | 'container' | 'clone'
  /** Full hash of the commit that it was made of; null: unknown. */
  readonly commit: string | null
}

/** A package has it in a file, which `npm run package` and systemd/install.sh write. A clone asks git. */
export function readBuild(): Build {
  try {
    return JSON.parse(readFileSync(programFile('build.json'), 'utf8'))
  } catch {
    return { installed: 'clone', commit: commitOfClone() }
  }
}

function commitOfClone(): string | null {
  try {
    return execFileSync('git', ['-C', ROOT, 'rev-parse', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return null
  }
}
