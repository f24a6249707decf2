import { expect, it } from 'vitest'
import { PageReader, pagesOf, RunWriter, SPAN, TERM_BYTES } from '../../../../src/store/sqlite/search/run-format.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

/** Around each length of a number on disk, at both ends of a run, and where a map becomes shorter than a list. */
const OFFSETS: number[][] = [
  ...[0, 1, 7, 8, 63, 64, 127, 128, 8191, 8192, 16_383, 16_384, SPAN - 2, SPAN - 1].flatMap((offset) => [
    [offset],
    [0, Math.max(1, offset)],
    [Math.min(offset, SPAN - 2), SPAN - 1],
  ]),
  ...[1, 2, 7, 8, 9, 127, 128, 129, 16_383, 16_384, 30_000].flatMap((step) =>
    [0, 1, 100, 40_000].map((from) => upTo(Math.ceil((SPAN - from) / step)).map((n) => from + n * step)),
  ),
  ...[7, 8, 9, 63, 64, 65].map((count) => [...upTo(count), SPAN - 1]),
]

it('an entry has the offsets that it was made of', () => {
  const [read, reader] = [new Uint32Array(2 * SPAN), new PageReader()]
  for (const offsets of OFFSETS) {
    const writer = new RunWriter()
    writer.add(Buffer.from('term'), 4, offsets, offsets.length)
    reader.open([...pagesOf(writer.end())][0] as Uint8Array)
    expect(reader.next()).toBe(true)
    const shift = 70_000
    const end = reader.readOffsets(read, 1, shift)
    const found = read.subarray(1, end)
    expect([end, found.every((offset, at) => offset - shift === offsets[at])]).toEqual([offsets.length + 1, true])
    const bits = new Uint8Array(SPAN / 8)
    reader.setBits(bits)
    const expected = new Uint8Array(SPAN / 8)
    for (const offset of offsets) expected[offset >> 3] = (expected[offset >> 3] as number) | (1 << (offset & 7))
    expect(Buffer.compare(bits, expected)).toBe(0)
    expect(reader.next()).toBe(false)
  }
})

/** Of each length, the longest included, with each length in common with the term before. */
const TERMS = upTo(TERM_BYTES + 1)
  .flatMap((length) => [
    Buffer.alloc(length, 'k'),
    Buffer.concat([Buffer.alloc(Math.max(0, length - 1), 'k'), Buffer.from('z')]),
  ])
  .sort(Buffer.compare)
  .filter((term, at, all) => at === 0 || Buffer.compare(term, all[at - 1] as Buffer) !== 0)

it.each([1, 5, 64, 255, 256, 257, 300, 1000, 3900])('pages of %i bytes have all terms in order', (pageBytes) => {
  const writer = new RunWriter(pageBytes)
  for (const [n, term] of TERMS.entries()) writer.add(Buffer.concat([term, Buffer.from('rest')]), term.length, [n], 1)
  const reader = new PageReader()
  const found: [string, number][] = []
  const offset = new Uint32Array(1)
  for (const page of pagesOf(writer.end())) {
    reader.open(page)
    while (reader.next()) {
      reader.readOffsets(offset, 0, 0)
      found.push([Buffer.from(reader.term.subarray(0, reader.termLength)).toString(), offset[0] as number])
    }
  }
  expect(found).toEqual(TERMS.map((term, n) => [term.toString(), n]))
})
