import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'

/** Where a condition is named otherwise than the program. */
const PROGRAMS: Readonly<Record<string, string>> = {
  analyze: 'systemd-analyze',
  apache: 'apache2',
  notify: 'systemd-notify',
  python: 'python3',
}

/** Says at the end of a run which programs the skipped tests need: vitest prints only their number. Nothing is started for it. */
export default class SkippedTests implements Reporter {
  #vitest: Vitest | null = null

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    // A pattern skips what it does not name.
    if (this.#vitest?.config.testNamePattern !== undefined) return
    const missing = new Set(modules.filter(hasSkipped).flatMap(({ moduleId }) => missingFor(moduleId)))
    if (missing.size > 0)
      console.log(`Tests were skipped that need programs which are not installed: ${[...missing].sort().join(', ')}`)
  }
}

function hasSkipped(module: TestModule): boolean {
  return [...module.children.allTests('skipped')].length > 0
}

/** The conditions of the file that have a name such as `hasOpenssl`. */
function missingFor(file: string): string[] {
  const names = [...readFileSync(file, 'utf8').matchAll(/\bskipIf\([^'`]*?\bhas([A-Z]\w*)/g)].map(([, name = '']) =>
    name.toLowerCase(),
  )
  return names.map((name) => PROGRAMS[name] ?? name).filter((program) => !isInstalled(program))
}

function isInstalled(program: string): boolean {
  // nginx, haproxy and apache2 are in /usr/sbin, which is not on every user's PATH.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  return folders.some((folder) => existsSync(join(folder, program)))
}
