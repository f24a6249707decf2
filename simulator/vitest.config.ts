import { defineConfig } from 'vitest/config'

/** The simulator's tests alone, in a folder that has nothing of the gateway. In the clone they run with the gateway's, from the folder above. */
export default defineConfig({
  test: {
    expect: { poll: { timeout: 30_000 } },
    globalSetup: ['test/support/test-ca.ts'],
    include: ['test/**/*.test.ts'],
    exclude: ['test/{long,nightly}/**', 'test/**/*.process.test.ts'],
    env: { LC_ALL: 'C.UTF-8' },
    maxWorkers: 2,
    isolate: false,
    restoreMocks: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
