import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { ENGLISH, POLLING, reporting } from './vitest.shared.ts'

/** The campaigns: many rounds of crashes, faults and attacks. Minutes, not seconds. */
export default defineConfig({
  test: {
    ...reporting(),
    expect: POLLING,
    globalSetup: ['test/support/test-ca.ts', 'test/support/bundled-program.ts', 'test/support/missing-programs.ts'],
    include: ['{test,simulator/test}/long/**/*.test.ts', 'simulator/test/model/model.test.ts'],
    env: {
      LC_ALL: ENGLISH,
      NODE_COMPILE_CACHE: resolve('node_modules/.cache/portaria'),
      PORTARIA_MODEL_OPERATIONS: '1500',
    },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
})
