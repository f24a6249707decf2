import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { BROKEN_RULES } from './broken-rules-list.ts'

const SOURCE = resolve(import.meta.dirname, '../../src/simulator')

it('at least 25 rules can be broken, in every group', () => {
  expect(BROKEN_RULES.length).toBeGreaterThanOrEqual(25)
  const groups = new Set(BROKEN_RULES.map(({ file }) => file.split('/')[0]))
  expect([...groups].sort()).toEqual(
    ['bills', 'charges', 'http', 'notifications', 'open-banking', 'registration', 'rules', 'webhooks'].sort(),
  )
})

/** test/simulator/broken-rules.ts, which takes minutes, changes these texts. */
it.each(BROKEN_RULES)(
  'the text of “$rule” occurs once, and its test is there',
  ({ file, text, instead, test, title }) => {
    const source = readFileSync(resolve(SOURCE, file), 'utf8')
    const testFile = resolve(import.meta.dirname, test)
    expect({ occurrences: source.split(text).length - 1, isChanged: text !== instead }).toEqual({
      ...{ occurrences: 1, isChanged: true },
    })
    expect(existsSync(testFile) && readFileSync(testFile, 'utf8').includes(title)).toBe(true)
  },
)
