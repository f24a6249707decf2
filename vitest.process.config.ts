import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { POLLING, PROCESS_TESTS, reporting } from './vitest.shared.ts'

/** Tests that take long, most of them because they start whole processes: the gateway, the command line, systemd's units. Minutes, not seconds. */
export default defineConfig({
  test: {
    ...reporting(),
    expect: POLLING,
    globalSetup: ['test/support/test-ca.ts', 'test/support/missing-programs.ts'],
    include: [PROCESS_TESTS],
    env: { NODE_COMPILE_CACHE: resolve('node_modules/.cache/portaria') },
    // As in `npm test`: loading the modules again for each file took a tenth of the whole run.
    isolate: false,
    // For tests that hang. On a busy host, installations of a few seconds took more than two minutes.
    testTimeout: 300_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
