import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { ENGLISH, POLLING, PROCESS_TESTS, RULES, reporting, temporaryFolders } from './vitest.shared.ts'

export default defineConfig({
  // Threads of the store run in workers that are reused: their start took a third of the whole run.
  resolve: { alias: { 'node:worker_threads': resolve('test/support/threads/worker-threads.ts') } },
  test: {
    ...reporting(),
    expect: POLLING,
    globalSetup: ['test/support/test-ca.ts'],
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/{long,nightly}/**', 'test/bench/**', PROCESS_TESTS, RULES],
    // `npm run test:process` and `npm run test:long` use the disk.
    env: { LC_ALL: ENGLISH, NODE_COMPILE_CACHE: resolve('node_modules/.cache/portaria'), TMPDIR: temporaryFolders() },
    maxWorkers: 3,
    // Files of one worker share its modules: loading them again for each file took a fifth of the whole run.
    isolate: false,
    restoreMocks: true,
    // A golden output that is not there fails the test: by itself vitest would write it, unread.
    update: 'none',
    // For tests that hang. On a busy host, tests of two or three seconds took twenty.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
