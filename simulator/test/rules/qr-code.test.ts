import { createRequire } from 'node:module'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { qrCodeImage, qrCodeOf } from '../../src/rules/qr-code.ts'

interface Witness {
  create(
    segments: { data: Uint8Array; mode: 'byte' }[],
    options: { errorCorrectionLevel: 'M'; maskPattern: 0 },
  ): { modules: { size: number; data: Uint8Array } }
}
/** Another implementation: dark modules as 1. */
const witness = createRequire(import.meta.url)('qrcode') as Witness

function witnessed(text: string): boolean[][] {
  const segments = [{ data: Buffer.from(text), mode: 'byte' as const }]
  const { size, data } = witness.create(segments, { errorCorrectionLevel: 'M', maskPattern: 0 }).modules
  return Array.from({ length: size }, (_, row) =>
    [...data.subarray(row * size, (row + 1) * size)].map((module) => module === 1),
  )
}

it('is that of another implementation, in every version', () => {
  const sizes = new Set<number>()
  for (let length = 1; length <= 666; length += 7) {
    const text = 'A1b ç9'.repeat(200).slice(0, length - Math.floor(length / 6))
    const code = qrCodeOf(text)
    expect(code).toEqual(witnessed(text))
    sizes.add(code.length)
  }
  expect([...sizes].sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, index) => 21 + 4 * index))
})

it('is that of another implementation for any text', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 150 }), (text) => {
      expect(qrCodeOf(text)).toEqual(witnessed(text))
    }),
    { numRuns: 30 },
  )
})

it('as an image has the same modules, with a quiet zone of 4', () => {
  const image = qrCodeImage('000201')
  const dark = new Set([...image.matchAll(/M(\d+),(\d+)h1/g)].map(([, x, y]) => `${x},${y}`))
  const expected = witnessed('000201').flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `${x + 4},${y + 4}` : [])),
  )
  expect([image.includes('viewBox="0 0 29 29"'), dark]).toEqual([true, new Set(expected)])
})

it('takes 666 bytes, and no more', () => {
  expect(qrCodeOf('x'.repeat(666))).toHaveLength(97)
  expect(() => qrCodeOf('x'.repeat(667))).toThrow(RangeError)
})
