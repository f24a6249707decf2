import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import type { BrokenRule } from './broken-rule.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** PORTARIA_BROKEN_RULE: the rule that is broken while a file is loaded, as JSON. The file itself stays. */
const { file, from, to } = JSON.parse(process.env.PORTARIA_BROKEN_RULE ?? '{}') as BrokenRule
const broken = resolve(ROOT, 'src/simulator', file)

export default defineConfig({
  root: ROOT,
  plugins: [
    {
      name: 'break-rule',
      enforce: 'pre',
      transform(code, id) {
        if (id !== broken) return undefined
        if (code.split(from).length !== 2) throw new Error(`${file} must have this text once: ${from}`)
        return code.replace(from, () => to)
      },
      // vitest keeps transformed files on disk: not this one, whose name and text do not show what is broken.
      configureVitest: ({ defineCacheKeyGenerator }) =>
        defineCacheKeyGenerator(({ id }) => (id === broken ? false : undefined)),
    },
  ],
  test: {
    globalSetup: ['test/support/test-ca.ts'],
    include: ['test/simulator/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
