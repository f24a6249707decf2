import { expect, it } from 'vitest'
import { printable, printableJson } from '../../src/platform/control-characters.ts'

const CODES = [
  ...[0x00, 0x07, 0x0a, 0x1b, 0x7f, 0x80, 0x85, 0x9b, 0x9f, 0xad, 0x61c],
  ...[0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060, 0x2066, 0x2069, 0xfeff, 0xe0041],
]

it.each(CODES)('U+%i is escaped in text and in JSON, and nothing else is', (code) => {
  const character = String.fromCodePoint(code)
  const text = `Zoë ${character}客 \\ 👍`
  const escaped = JSON.stringify(character).includes('\\u') ? undefined : character
  expect(printable(text)).toMatch(/^Zoë (?:\\u[0-9a-f]{4}){1,2}客 \\ 👍$/u)
  const json = printableJson(JSON.stringify({ text }))
  expect(json).not.toContain(escaped ?? '\0')
  expect(JSON.parse(json)).toEqual({ text })
})

it('line ends between two JSON texts stay', () => {
  expect(printableJson('{}\n{}\n')).toBe('{}\n{}\n')
})
