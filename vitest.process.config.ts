import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { ENGLISH, POLLING, PROCESS_TESTS, reporting } from './vitest.shared.ts'

/** Tests that take long, most of them because they start whole processes: the gateway, the command line, systemd's units. Minutes, not seconds. */
export default defineConfig({
  // As in `npm test`, for gateways and stores in the process of a test. Programs that tests start have threads of their own.
  resolve: { alias: { 'node:worker_threads': resolve('test/support/threads/worker-threads.ts') } },
  test: {
    ...reporting(),
    expect: POLLING,
    globalSetup: ['test/support/test-ca.ts', 'test/support/bundled-program.ts'],
    include: [PROCESS_TESTS],
    env: { LC_ALL: ENGLISH, NODE_COMPILE_CACHE: resolve('node_modules/.cache/portaria') },
    // As in `npm test`: loading the modules again for each file took a tenth of the whole run.
    isolate: false,
    // For what hangs. On a busy host, installations of a few seconds took more than two minutes, and 150 certificates more than one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // On two cores: most files wait for processes, and two workers leave a sixth of the processor idle.
    maxWorkers: 3,
  },
})
