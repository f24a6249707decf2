import type { ViteUserConfig } from 'vitest/config'

/** PORTARIA_TEST_REPORT: a file for the counts, beside what is printed. */
export function reporting(): NonNullable<ViteUserConfig['test']> {
  const outputFile = process.env.PORTARIA_TEST_REPORT
  return outputFile === undefined ? {} : { reporters: ['default', ['json', { outputFile }]] }
}

/** Tests that start many whole processes, tens of seconds a file: they run with `npm run test:process`, so that `npm test` stays short. */
export const PROCESS_TESTS = 'test/**/*.process.test.ts'
