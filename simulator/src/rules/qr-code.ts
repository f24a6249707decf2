import { encode } from 'uqr'

/** Pixels of a module, unless the image is scaled: readers find no pattern in single pixels. */
const MODULE_PIXELS = 6
/** Modules around a code (ISO/IEC 18004, clause 5.3.8). */
const QUIET_ZONE = 4

/** Rows of modules of a code of level M; true is dark. Without the quiet zone. Every mask can be read; to compare all takes eight times as long. */
export function qrCodeOf(text: string): boolean[][] {
  return encode(text, { ecc: 'M', maskPattern: 0, border: 0 }).data
}

/** The code as an SVG image with its quiet zone. */
export function qrCodeImage(text: string): string {
  const rows = qrCodeOf(text)
  const size = rows.length + 2 * QUIET_ZONE
  const modules = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `M${x + QUIET_ZONE},${y + QUIET_ZONE}h1v1h-1z` : [])),
  )
  const pixels = size * MODULE_PIXELS
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 ${size} ${size}"`
  return `${head} shape-rendering="crispEdges"><path fill="#fff" d="M0,0h${size}v${size}h-${size}z"/><path d="${modules.join('')}"/></svg>`
}
