import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { ENGLISH, POLLING, reporting } from './vitest.shared.ts'

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
  },
})
