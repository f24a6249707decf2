import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { ENGLISH, POLLING, reporting } from './vitest.shared.ts'

/** What the gate leaves to the night: other languages and frameworks, packages, every page in every form, full campaigns. An hour and more. */
export default defineConfig({
  test: {
    ...reporting(),
    expect: POLLING,
    globalSetup: ['test/support/test-ca.ts', 'test/support/bundled-program.ts'],
    include: ['{test,simulator/test}/nightly/**/*.test.ts', 'simulator/test/model/model.test.ts'],
    env: {
      LC_ALL: ENGLISH,
      NODE_COMPILE_CACHE: resolve('node_modules/.cache/portaria'),
      PORTARIA_MODEL_OPERATIONS: '1500',
    },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 2,
  },
})
