import { createRequire } from 'node:module'

type Decode = (pixels: Uint8ClampedArray, width: number, height: number) => { data: string } | null
/** A reader of QR codes that shares nothing with the simulator. */
const decode = createRequire(import.meta.url)('jsqr') as Decode

/** The text of the QR code in a data URL with an SVG image; null: no code is found. */
export function textOfImage(url: string): string | null {
  const [, base64 = ''] = /^data:image\/svg\+xml;base64,([A-Za-z0-9+/]+=*)$/.exec(url) ?? []
  const { pixels, size } = painted(Buffer.from(base64, 'base64').toString())
  return decode(pixels, size, size)?.data ?? null
}

/** Paints an image whose paths are rectangles of whole units. */
function painted(svg: string): { pixels: Uint8ClampedArray; size: number } {
  const [, width, height, units] = /width="(\d+)" height="(\d+)" viewBox="0 0 (\d+) \3"/.exec(svg) ?? []
  if (width === undefined || width !== height) throw new Error(`no square image: ${svg.slice(0, 200)}`)
  const size = Number(width)
  const scale = size / Number(units)
  const pixels = new Uint8ClampedArray(size * size * 4)
  for (const [path] of svg.matchAll(/<path[^>]*>/g)) {
    const value = path.includes('fill="#fff"') ? 255 : 0
    for (const [, x, y, wide, high] of path.matchAll(/M(\d+),(\d+)h(\d+)v(\d+)h-\3z/g))
      for (let row = Number(y) * scale; row < (Number(y) + Number(high)) * scale; row++) {
        const from = (row * size + Number(x) * scale) * 4
        pixels.fill(value, from, from + Number(wide) * scale * 4)
      }
  }
  // No pixel is transparent.
  return { pixels: pixels.map((value, index) => (index % 4 === 3 ? 255 : value)), size }
}

/** The fields of a code by id, read by the rules of EMV QRCPS; those of 26 and 62 as fields again. */
export function fieldsOf(code: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  let rest = code
  while (rest !== '') {
    const [id, length] = [rest.slice(0, 2), Number(rest.slice(2, 4))]
    const value = rest.slice(4, 4 + length)
    if (value.length !== length || length === 0) throw new Error(`field ${id} of ${code} is cut`)
    fields[id] = id === '26' || id === '62' ? fieldsOf(value) : value
    rest = rest.slice(4 + length)
  }
  return fields
}

/** Remainder of the polynomial division of the text by x^16 + x^12 + x^5 + 1, with FFFF added to its first 16 bits. */
export function checkValueOf(text: string): string {
  const bits = BigInt(text.length * 8)
  let dividend = (BigInt(`0x${Buffer.from(text, 'latin1').toString('hex')}`) << 16n) ^ (0xffffn << bits)
  for (let bit = bits + 15n; bit >= 16n; bit--) if ((dividend >> bit) & 1n) dividend ^= 0x11021n << (bit - 16n)
  return dividend.toString(16).toUpperCase().padStart(4, '0')
}
