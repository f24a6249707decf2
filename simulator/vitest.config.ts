import { defineConfig } from 'vitest/config'

/** A file for the counts, beside what is printed. */
const outputFile = process.env.PORTARIA_TEST_REPORT

/** The simulator's tests, which need nothing of the gateway. Those that start programs or take long run with the gateway's, from the folder above. */
export default defineConfig({
  test: {
    reporters: outputFile === undefined ? ['default'] : ['default', ['json', { outputFile }]],
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
