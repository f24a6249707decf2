import { execFileSync } from 'node:child_process'
import { cpus, loadavg, totalmem } from 'node:os'
import { ROOT } from './processes.ts'

/** What a report says of the place where it was made. */
export function describeMachine() {
  return {
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    /** Of the last minute. */
    loadAverage: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    node: process.versions.node,
    commit: commit(ROOT),
  }
}

export function commit(folder: string): string {
  try {
    return execFileSync('git', ['-C', folder, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    // Not a checkout.
    return 'unknown'
  }
}
