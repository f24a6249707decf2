import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { TEXTS } from '../../../src/messages/pt/cli/texts.ts'
import { createTranslator } from '../../../src/messages/translator.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** In the place of `{expected}`, where a key is missing or has another type. */
it('what a value of the configuration must be is Portuguese as a whole', () => {
  const translate = createTranslator(TEXTS)
  const expected = globSync('src/config/*.ts', { cwd: ROOT }).flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(/(['"])((?:a|an|the|true|why) (?:(?!\1).)+)\1/g)].map(
      ([, , text = '']) => text,
    ),
  )
  expect(expected.length).toBeGreaterThan(50)
  expect(expected.filter((text) => translate(`is missing: write ${text}`).includes(text))).toEqual([])
})
