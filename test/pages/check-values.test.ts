import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FINDING_CODES } from '../../src/config/finding-codes.ts'
import { clockProblem } from '../../src/domain/clock.ts'
import { FINDING_VALUES, type ValueText } from '../../src/messages/pt/check-values.ts'
import { PT } from '../../src/messages/pt/pt.ts'
import { foundWords } from '../../src/pages/check/values.ts'
import { NOON } from '../support/builders.ts'

const all = Object.entries(FINDING_VALUES).flatMap(([code, texts]) => texts.map((text) => [code, ...text] as const))
const placesIn = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()

/** Where the texts of the report are made. */
const SOURCES = [
  ...readdirSync('src/cli/check').map((name) => `src/cli/check/${name}`),
  'src/certificates/live/certificate-format.ts',
  'src/domain/clock.ts',
  'src/domain/overview/reasons.ts',
].map((file) => readFileSync(file, 'utf8').replaceAll("\\'", "'"))

it('every code of the check has a sentence and a remedy in Portuguese, without a command', () => {
  const { findings } = PT.check
  for (const code of FINDING_CODES) {
    expect([code, findings[code]?.found, findings[code]?.nextStep]).toEqual([
      code,
      expect.any(String),
      expect.any(String),
    ])
    expect(`${findings[code]?.found} ${findings[code]?.nextStep}`).not.toMatch(/portaria |sudo |chmod |systemctl |\{/)
  }
})

it.each(all)('%s: the values of "%s" are those of its report', (code, english, own) => {
  expect(FINDING_CODES).toContain(code)
  for (const place of placesIn(own)) expect(placesIn(english)).toContain(place)
  const parts = english.split(/\{\w+\}/).flatMap((part) => part.split(/[;:,]|\b(?:from|to|at|but|since|others|s)\b/))
  for (const part of parts.map((one) => one.trim()).filter((one) => one.length > 3))
    expect([part, SOURCES.some((source) => source.includes(part))]).toEqual([part, true])
})

it.each<readonly [string, ValueText]>(
  Object.entries(FINDING_VALUES).flatMap(([code, texts]) => texts.map((text) => [code, text] as const)),
)('%s is rebuilt with its values from %j', (code, [english, own]) => {
  const found = english.replaceAll(/\{(\w+)\}/g, (_, name) => `<${name}>`)
  const shown = String(foundWords(code, found, PT.check)).replaceAll(/<\/?q[^>]*>/g, '')
  const expected = own === '' ? PT.check.findings[code]?.found : own
  expect(shown).toBe(expected?.replaceAll(/\{(\w+)\}/g, (_, name) => `&lt;${name}&gt;`).replaceAll('"', '&quot;'))
})

it('a real report is rebuilt, and times have the form of all times', () => {
  const text = (code: string, found: string) => String(foundWords(code, found, PT.check))
  expect(text('clock.ahead', clockProblem(NOON + 9 * 86_400_000, NOON))).toMatch(
    /^Ele mostra <time .*, 9 dias depois da última hora certa, <time datetime="2026-01-15T12:00:00.000Z">/,
  )
  expect(foundWords('space.low', 'other words', PT.check)).toBeNull()
})
