import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { MUTATIONS } from '../nightly/mutations/all.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** The campaign test/nightly/mutations.test.ts changes these texts; it takes an hour. */
it('the text of each mutation occurs once in its file, and its tests are there', () => {
  const faults = MUTATIONS.flatMap(({ harm, file, text, instead, tests }) => {
    const times = readFileSync(resolve(ROOT, 'src', file), 'utf8').split(text).length - 1
    const missing = tests.filter((test) => !existsSync(resolve(ROOT, 'test', test)))
    return [
      ...(times === 1 ? [] : [`${file}: “${harm}”: its text occurs ${times} times: ${text}`]),
      ...(text === instead ? [`${file}: “${harm}” changes nothing`] : []),
      ...missing.map((test) => `${file}: “${harm}”: there is no test/${test}`),
    ]
  })
  expect(faults).toEqual([])
})

it('there are 150 mutations, and at most one of twenty is one that no test can notice', () => {
  expect(MUTATIONS.length).toBeGreaterThanOrEqual(150)
  expect(MUTATIONS.filter(({ unfound }) => unfound !== undefined).length).toBeLessThanOrEqual(MUTATIONS.length / 20)
})
