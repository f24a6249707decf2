import fc from 'fast-check'
import { expect, it } from 'vitest'
import { qrCodeImage } from '../../src/rules/qr-code.ts'
import { textOfImage } from '../charges/instant-payment-witness.ts'

const read = (image: string) => textOfImage(`data:image/svg+xml;base64,${Buffer.from(image).toString('base64')}`)

it('is read by another implementation, short and long', () => {
  for (const text of ['7', '000201', 'A1b ç9'.repeat(95)]) expect(read(qrCodeImage(text))).toBe(text)
})

it('is read by another implementation with any text', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 150 }), (text) => {
      expect(read(qrCodeImage(text))).toBe(text)
    }),
    { numRuns: 30 },
  )
})

it('as an image has a quiet zone of 4 modules of 6 pixels', () => {
  const image = qrCodeImage('000201')
  const dark = [...image.matchAll(/M(\d+),(\d+)h1/g)].flatMap(([, x, y]) => [Number(x), Number(y)])
  expect([
    image.includes('width="174" height="174" viewBox="0 0 29 29"'),
    Math.min(...dark),
    Math.max(...dark),
  ]).toEqual([true, 4, 24])
})
