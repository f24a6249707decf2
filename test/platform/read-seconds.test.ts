import { expect, it } from 'vitest'
import { readSeconds } from '../../src/platform/units.ts'

it.each([
  ['40', 40_000],
  ['1.5', 1500],
  ['40s', 40_000],
  ['2m', 120_000],
  ['500ms', 500],
  ['1h', 3_600_000],
  ['', 0],
  ['-1', 0],
  ['40 s', 0],
  ['40x', 0],
  ['s', 0],
  ['1e3', 0],
])('%s', (text, ms) => expect(readSeconds(text)).toBe(ms))
