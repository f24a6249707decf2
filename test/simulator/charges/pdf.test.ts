import { expect, it } from 'vitest'
import { pdfOf } from '../../../src/simulator/charges/pages/pdf.ts'

it('has a table with the place of each object, and escapes parentheses', () => {
  const file = pdfOf(['Ação (1)', 'back\\slash', '中'], 'TEST').toString('latin1')
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1])
  const places = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, place]) => Number(place))
  expect(file.slice(start, start + 9)).toBe('xref\n0 6\n')
  expect(places.map((place) => file.slice(place, place + 7))).toEqual([1, 2, 3, 4, 5].map((id) => `${id} 0 obj`))
  const [, length, content = ''] = /\/Length (\d+) >>\nstream\n([\s\S]*)\nendstream/.exec(file) ?? []
  expect(content).toHaveLength(Number(length))
  for (const part of ['(Ação \\(1\\)) Tj', '(back\\\\slash) Tj', '(?) Tj', '(TEST) Tj']) expect(content).toContain(part)
})
