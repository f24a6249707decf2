import type { ViteUserConfig } from 'vitest/config'

/** PORTARIA_TEST_REPORT: a file for the counts, beside what is printed. */
export function reporting(): NonNullable<ViteUserConfig['test']> {
  const outputFile = process.env.PORTARIA_TEST_REPORT
  return outputFile === undefined ? {} : { reporters: ['default', ['json', { outputFile }]] }
}
