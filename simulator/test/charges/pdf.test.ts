import { describe, expect, it } from 'vitest'
import { pdfOf } from '../../src/charges/pages/pdf.ts'

const fileOf = (lines: readonly string[], watermark: string | null = null) =>
  pdfOf([{ title: 'Title', lines }], watermark).toString('latin1')
/** The texts of a file, in order. */
const textsOf = (file: string) =>
  [...file.matchAll(/^\((.*)\) Tj T\*$/gm)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'))
const pagesOf = (file: string) =>
  [...file.matchAll(/stream\n([\s\S]*?)\nendstream/g)].map(([, content = '']) => content)

describe('a PDF', () => {
  it('has a table with the place of each object, and the length of each stream', () => {
    const file = fileOf(Array(200).fill('line'), 'TEST')
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1])
    const places = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, place]) => Number(place))
    expect(file.slice(start, start + 10)).toBe('xref\n0 12\n')
    expect(places.map((place) => /^\d+ 0 obj/.exec(file.slice(place))?.[0])).toEqual(
      Array.from({ length: 11 }, (_, index) => `${index + 1} 0 obj`),
    )
    const lengths = [...file.matchAll(/\/Length (\d+) >>/g)].map(([, length]) => Number(length))
    expect(pagesOf(file).map(({ length }) => length)).toEqual(lengths)
  })

  it('escapes parentheses and backslashes', () => {
    expect(fileOf(['(1)', 'back\\slash'])).toContain('(\\(1\\)) Tj T*\n(back\\\\slash) Tj T*')
  })

  it.each([
    ['Ação, coração', 'Ação, coração'],
    ['Ac\u0327a\u0303o', 'Ação'],
    ['€ “x” – ™', '\x80 \x93x\x94 \x96 \x99'],
    ['Łőx\u0302 中😀', '?ox ??'],
    ['a\tb', 'a b'],
  ])('writes %j in the encoding of its font', (line, bytes) => {
    expect(textsOf(fileOf([line]))).toEqual([bytes])
  })

  it('keeps a line of 103 characters and breaks longer ones, behind a space where there is one', () => {
    const words = `${'w'.repeat(90)} ${'v'.repeat(90)}`
    expect(textsOf(fileOf(['x'.repeat(103), 'y'.repeat(104), words]))).toEqual([
      ...['x'.repeat(103), 'y'.repeat(103), 'y'],
      ...[`${'w'.repeat(90)} `, 'v'.repeat(90)],
    ])
  })

  it('has its drawings below the lines, on a new page where the last one has no room', () => {
    const drawings = [
      { height: 40, rectangles: [[0, 0, 1.5, 40]] as const },
      { height: 700, rectangles: [[10, 5, 20, 30]] as const },
    ]
    const pages = pagesOf(pdfOf([{ title: 'Title', lines: ['one', 'two'], drawings }], null).toString('latin1'))
    expect(pages.map((page) => page.match(/^[\d. ]+ re$/gm))).toEqual([['50 688 1.5 40 re'], ['60 57 20 30 re']])
  })

  it('has as many pages as its texts need, each with its title and the watermark', () => {
    const lines = Array.from({ length: 150 }, (_, number) => `line ${number}`)
    const texts = [
      { title: 'First', lines },
      { title: 'Second', lines: [] },
    ]
    const file = pdfOf(texts, 'TEST').toString('latin1')
    const pages = pagesOf(file)
    expect(file).toContain('/Count 4')
    expect(pages.map((page) => /\((First[^)]*\)?|Second)\) Tj T\*/.exec(page)?.[1])).toEqual([
      ...['First \\(1 of 3\\)', 'First \\(2 of 3\\)', 'First \\(3 of 3\\)', 'Second'],
    ])
    expect(pages.every((page) => page.includes('(TEST) Tj'))).toBe(true)
    expect(textsOf(file)).toEqual(lines)
  })
})
