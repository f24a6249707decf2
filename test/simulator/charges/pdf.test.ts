import { expect, it } from 'vitest'
import { pdfOf } from '../../../src/simulator/charges/pages/pdf.ts'

it('has a table with the place of each object, and escapes parentheses', () => {
  const file = pdfOf([['Ação (1)', 'back\\slash', '中'], ['Second']], 'TEST').toString('latin1')
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1])
  const places = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, place]) => Number(place))
  expect(file.slice(start, start + 9)).toBe('xref\n0 8\n')
  expect(places.map((place) => file.slice(place, place + 7))).toEqual([1, 2, 3, 4, 5, 6, 7].map((id) => `${id} 0 obj`))
  const [, length, content = ''] = /\/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/.exec(file) ?? []
  expect(content).toHaveLength(Number(length))
  for (const part of ['(Ação \\(1\\)) Tj', '(back\\\\slash) Tj', '(?) Tj', '(TEST) Tj']) expect(content).toContain(part)
})

it('has a page of its own for each list of lines, each with the watermark', () => {
  const file = pdfOf([['First'], ['Second'], ['Third']], 'TEST').toString('latin1')
  const [, kids = '', count] = /\/Kids \[([^\]]*)\] \/Count (\d+)/.exec(file) ?? []
  const ids = [...kids.matchAll(/(\d+) 0 R/g)].map(([, id]) => id)
  const contents = ids.map((id) => {
    const [, content] = new RegExp(`\n${id} 0 obj\n.*/Type /Page .*/Contents (\\d+) 0 R`).exec(file) ?? []
    return new RegExp(`\n${content} 0 obj\n[\\s\\S]*?endstream`).exec(file)?.[0]
  })
  expect([count, contents]).toEqual([
    '3',
    ['First', 'Second', 'Third'].map((text) => expect.stringContaining(`(${text}) Tj`)),
  ])
  for (const content of contents) expect(content).toContain('(TEST) Tj')
})
