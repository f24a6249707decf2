import { defineConfig } from 'vitest/config'
import { ENGLISH, reporting, RULES } from './vitest.shared.ts'

/** What the text of the source and of the documents must keep, beside types and lint. Nothing is started. */
export default defineConfig({
  test: {
    ...reporting(),
    include: [RULES],
    globalSetup: ['test/rules/print-sizes.ts'],
    env: { LC_ALL: ENGLISH },
    isolate: false,
    restoreMocks: true,
    maxWorkers: 2,
    testTimeout: 300_000,
  },
})
