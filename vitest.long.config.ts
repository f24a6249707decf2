import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { ENGLISH, POLLING, reporting } from './vitest.shared.ts'

/** What starts last runs alone in the end. In a clone without earlier results: the longer text first, with the contracts that it runs. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const lengths = new Map(files.map((file) => [file, lengthOf(file.moduleId)]))
    return files.toSorted((a, b) => (lengths.get(b) as number) - (lengths.get(a) as number))
  }
}

function lengthOf(file: string): number {
  const text = readFileSync(file, 'utf8')
  const contracts = [...text.matchAll(/from '(.*-contract\.ts)'/g)].map(([, path]) =>
    resolve(dirname(file), path as string),
  )
  return contracts.reduce((sum, path) => sum + readFileSync(path).length, text.length)
}

/** The campaigns: rounds of crashes, faults and attacks, and what needs a browser or another program. Minutes; those of an hour are in test/nightly. */
export default defineConfig({
  test: {
    ...reporting(),
    expect: POLLING,
    globalSetup: ['test/support/test-ca.ts', 'test/support/bundled-program.ts'],
    include: ['{test,simulator/test}/long/**/*.test.ts'],
    env: { LC_ALL: ENGLISH, NODE_COMPILE_CACHE: resolve('node_modules/.cache/portaria') },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // On two cores: most files wait for limits and for processes, and two workers leave a fifth of the processor idle.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
})
