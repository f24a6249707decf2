import { defineConfig } from 'vitest/config'
import { reporting } from './vitest.reporting.ts'

/** The campaigns: many rounds of crashes and faults. Minutes, not seconds. */
export default defineConfig({
  test: {
    ...reporting(),
    globalSetup: ['test/support/laboratory.ts'],
    include: ['test/long/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
})
