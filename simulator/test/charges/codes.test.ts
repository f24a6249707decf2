import { expect, it } from 'vitest'
import { barsOf, qrDrawingOf } from '../../src/charges/pages/codes.ts'
import type { Drawing } from '../../src/charges/pages/pdf.ts'
import { textOfImage } from './instant-payment-witness.ts'

/** Narrow and wide elements of a digit, of which the weights 1, 2, 4, 7 and 0 make the digit; 11 is 0. */
function digitOf(elements: readonly boolean[]): number {
  const sum = [1, 2, 4, 7, 0].reduce((all, weight, index) => all + (elements[index] === true ? weight : 0), 0)
  return elements.filter(Boolean).length === 2 ? sum % 11 : Number.NaN
}

/** Reads interleaved two of five from the widths of bars and of the spaces between them. */
function readBars({ rectangles }: Drawing): string {
  const isWide = rectangles.flatMap(([x, , width], index) => {
    const [next] = rectangles[index + 1] ?? []
    return [width, ...(next === undefined ? [] : [next - x - width])].map((size) => size > 1.5 * 0.72)
  })
  expect([isWide.slice(0, 4), isWide.slice(-3)]).toEqual([Array(4).fill(false), [true, false, false]])
  const data = isWide.slice(4, -3)
  const pairs = Array.from({ length: data.length / 10 }, (_, pair) => data.slice(pair * 10, pair * 10 + 10))
  return pairs.flatMap((pair) => [0, 1].map((first) => digitOf(pair.filter((_, at) => at % 2 === first)))).join('')
}

it('the bars of a barcode are read as its digits, and are as wide as the clearing house says', () => {
  const barcode = '99993138100000100000000000000000000001234567'
  const bars = barsOf(barcode)
  expect(readBars(bars)).toBe(barcode)
  const [x = 0, , width = 0] = bars.rectangles.at(-1) ?? []
  // 103 mm; a point is 1/72 inch.
  expect(Math.abs(((x + width) / 72) * 25.4 - 103)).toBeLessThan(0.5)
})

it('another reader takes the text out of a drawn QR code', () => {
  const { height, rectangles } = qrDrawingOf('00020101021226 Ação')
  const quiet = 12
  const size = height + 2 * quiet
  const modules = rectangles.map(([x, y, w, h]) => `M${x + quiet},${quiet + height - y - h}h${w}v${h}h-${w}z`)
  const svg = `<svg width="${size}" height="${size}" viewBox="0 0 ${size} ${size}"><path fill="#fff" d="M0,0h${size}v${size}h-${size}z"/><path d="${modules.join('')}"/></svg>`
  expect(textOfImage(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`)).toBe('00020101021226 Ação')
})
