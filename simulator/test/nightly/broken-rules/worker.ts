import { resolve } from 'node:path'
import { init, runBaseTests, setupEnvironment } from 'vitest/worker'
import { ALL_RULES } from './all.ts'

/** The program of a kept worker. */
const files = new Set(ALL_RULES.map(({ file }) => resolve(import.meta.dirname, '../../../src', file)))
type ModuleRunner = Parameters<NonNullable<Parameters<typeof init>[0]['onModuleRunner']>>[0]
let moduleRunner: ModuleRunner | undefined

/** vitest evaluates every module again for each run, and asks for the text of those that a rule may have changed. */
function forgetChangedFiles(): void {
  for (const file of files)
    for (const module of moduleRunner?.evaluatedModules.getModulesByFile(file) ?? [])
      moduleRunner?.evaluatedModules.invalidateModule(module)
}

init({
  post: (message) => process.send?.(message),
  on: (listener) => process.on('message', listener),
  off: (listener) => process.off('message', listener),
  onModuleRunner(started) {
    moduleRunner = started
  },
  runTests(state, traces) {
    forgetChangedFiles()
    return runBaseTests('run', state, traces)
  },
  collectTests: (state, traces) => runBaseTests('collect', state, traces),
  setup: setupEnvironment,
})
