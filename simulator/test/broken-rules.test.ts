import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { ALL_RULES } from './nightly/broken-rules/all.ts'

const SOURCE = resolve(import.meta.dirname, '../src')

/** The campaigns `test/nightly/broken-rules*.test.ts`, which take minutes, change these texts. */
it.each(ALL_RULES)('the text of “$rule” occurs once, and its test file is there', ({ file, from, to, test }) => {
  const occurrences = readFileSync(resolve(SOURCE, file), 'utf8').split(from).length - 1
  const isTestThere = existsSync(resolve(import.meta.dirname, test))
  expect({ occurrences, isChanged: from !== to, isTestThere }).toEqual({
    occurrences: 1,
    isChanged: true,
    isTestThere: true,
  })
})

it('rules of every group are broken', () => {
  const groups = new Set(ALL_RULES.map(({ file }) => file.split('/')[0]))
  expect([...groups].sort()).toEqual([
    'account',
    'bills',
    'carnets',
    'charges',
    'control-api',
    'documents',
    'http',
    'money',
    'notifications',
    'open-banking',
    'registration',
    'rules',
    'subscriptions',
    'webhooks',
  ])
})
