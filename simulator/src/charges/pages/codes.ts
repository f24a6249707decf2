import { qrCodeOf } from '../../rules/qr-code.ts'
import type { Drawing } from './pdf.ts'

/** Widths of the bars or spaces of a digit: 3 is wide (interleaved two of five, ISO/IEC 16390). */
const WIDTHS = ['11331', '31113', '13113', '33111', '11313', '31311', '13311', '11133', '31131', '13131']
const START = '1111'
const STOP = '311'

/** FEBRABAN's measures of a billet's barcode: 103 mm by 13 mm, 405 modules of 44 digits. */
const BAR_MODULE = 0.72
const BAR_HEIGHT = 37
const QR_MODULE = 3

/** The bars of an even number of digits: each pair is a digit in bars and one in the spaces between them. */
export function barsOf(digits: string): Drawing {
  const pairs = digits.match(/../g) ?? []
  const elements = [START, ...pairs.map(interleaved), STOP].join('')
  let at = 0
  const rectangles = [...elements].flatMap((width, index): [number, number, number, number][] => {
    const x = at
    at += Number(width)
    return index % 2 === 0 ? [[x * BAR_MODULE, 0, Number(width) * BAR_MODULE, BAR_HEIGHT]] : []
  })
  return { height: BAR_HEIGHT, rectangles }
}

function interleaved(pair: string): string {
  const [bars = '', spaces = ''] = [...pair].map((digit) => WIDTHS[Number(digit)] ?? '')
  return [...bars].map((bar, index) => bar + spaces[index]).join('')
}

/** The QR code of a text. */
export function qrDrawingOf(text: string): Drawing {
  const rows = qrCodeOf(text)
  const rectangles = rows.flatMap((row, y) =>
    row.flatMap((isDark, x): [number, number, number, number][] =>
      isDark ? [[x * QR_MODULE, (rows.length - 1 - y) * QR_MODULE, QR_MODULE, QR_MODULE]] : [],
    ),
  )
  return { height: rows.length * QR_MODULE, rectangles }
}
