import { correctionOf } from './reed-solomon.ts'

/** QR codes of level M with their data as bytes (ISO/IEC 18004), up to version 20: 666 bytes. */

/** Error correction codewords of each block, and the number of blocks, from version 1 on (table 9). */
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

/** Rows of modules; true is dark. Without the quiet zone. @throws RangeError for a text of more than 666 bytes */
export function qrCodeOf(text: string): boolean[][] {
  const bytes = Buffer.from(text, 'utf8')
  const version = CORRECTION.findIndex((_, index) => bytes.length <= capacityOf(index + 1)) + 1
  if (version === 0) throw new RangeError('the text is too long for a QR code of version 20')
  return drawn(version, interleaved(version, dataCodewords(version, bytes)))
}

/** Pixels of a module, unless the image is scaled: readers find no pattern in single pixels. */
const MODULE_PIXELS = 6

/** The code as an SVG image with its quiet zone of 4 modules (clause 5.3.8). */
export function qrCodeImage(text: string): string {
  const rows = qrCodeOf(text)
  const size = rows.length + 8
  const modules = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x + 4},${y + 4}h1v1h-1z` : [])))
  const pixels = size * MODULE_PIXELS
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 ${size} ${size}"`
  return `${head} shape-rendering="crispEdges"><path fill="#fff" d="M0,0h${size}v${size}h-${size}z"/><path d="${modules.join('')}"/></svg>`
}

/** All codewords that the modules of a version hold. */
function codewordsOf(version: number): number {
  const alignments = version === 1 ? 0 : Math.floor(version / 7) + 2
  const ofAlignment = version === 1 ? 0 : (25 * alignments - 10) * alignments - 55
  return Math.floor(((16 * version + 128) * version + 64 - ofAlignment - (version >= 7 ? 36 : 0)) / 8)
}

const correctionIn = (version: number) => CORRECTION[version - 1] as number
const blocksIn = (version: number) => BLOCKS[version - 1] as number
const dataIn = (version: number) => codewordsOf(version) - correctionIn(version) * blocksIn(version)
const lengthBits = (version: number) => (version <= 9 ? 8 : 16)

function capacityOf(version: number): number {
  return Math.floor((dataIn(version) * 8 - 4 - lengthBits(version)) / 8)
}

/** Mode, length, bytes and padding (clause 7.4). */
function dataCodewords(version: number, bytes: Uint8Array): number[] {
  const inBits = (value: number, count: number) => value.toString(2).padStart(count, '0')
  const content = `0100${inBits(bytes.length, lengthBits(version))}${[...bytes].map((byte) => inBits(byte, 8)).join('')}`
  const ended = content + '0'.repeat(Math.min(4, dataIn(version) * 8 - content.length))
  const whole = ended.padEnd(Math.ceil(ended.length / 8) * 8, '0')
  const codewords = (whole.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2))
  for (let pad = 0xec; codewords.length < dataIn(version); pad ^= 0xec ^ 0x11) codewords.push(pad)
  return codewords
}

/** Blocks of data, each with its correction, taken in turns (clause 7.6). */
function interleaved(version: number, data: readonly number[]): number[] {
  const count = blocksIn(version)
  const short = Math.floor(data.length / count)
  const firstLong = count - (data.length % count)
  const blocks: number[][] = []
  for (let index = 0, at = 0; index < count; index++) {
    const length = index < firstLong ? short : short + 1
    blocks.push(data.slice(at, at + length))
    at += length
  }
  const corrections = blocks.map((block) => correctionOf(block, correctionIn(version)))
  return [...inTurns(blocks), ...inTurns(corrections)]
}

function inTurns(lists: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat()
}

/** Places function patterns, then the codewords in their zigzag, under mask 000. Every mask can be read. */
function drawn(version: number, codewords: readonly number[]): boolean[][] {
  const size = 4 * version + 17
  const modules: (boolean | undefined)[][] = Array.from({ length: size }, () => Array(size).fill(undefined))
  const set = (x: number, y: number, isDark: boolean) => {
    const row = modules[y]
    if (row !== undefined && x >= 0 && x < size) row[x] = isDark
  }
  drawFunctionPatterns(version, size, set)
  const bits = codewords.flatMap((codeword) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => ((codeword >>> bit) & 1) === 1))
  let used = 0
  for (const [x, y] of zigzag(size))
    if (modules[y]?.[x] === undefined) set(x, y, (bits[used++] ?? false) !== ((x + y) % 2 === 0))
  return modules.map((row) => row.map((isDark) => isDark === true))
}

type Set = (x: number, y: number, isDark: boolean) => void

/** Pairs of columns from the right, upwards and downwards in turns, without the column of the timing pattern (clause 7.7.3). */
function* zigzag(size: number): Generator<[number, number]> {
  let isUpward = true
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    for (let step = 0; step < size; step++) {
      const y = isUpward ? size - 1 - step : step
      yield [right, y]
      yield [right - 1, y]
    }
    isUpward = !isUpward
  }
}

function drawFunctionPatterns(version: number, size: number, set: Set): void {
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  const centres = alignmentCentres(version, size)
  const last = centres.length - 1
  for (const [row, y] of centres.entries())
    for (const [column, x] of centres.entries()) {
      const isFinder = (row === 0 && column === 0) || (row === 0 && column === last) || (row === last && column === 0)
      if (!isFinder) drawRings(x, y, 2, set)
    }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawRings(x, y, 4, set)
  drawFormat(size, set)
  if (version >= 7) drawVersion(version, size, set)
}

/** A dark centre in rings: of a finder pattern (radius 4, with its separator) or an alignment pattern (radius 2). */
function drawRings(centreX: number, centreY: number, radius: 2 | 4, set: Set): void {
  const isLight = radius === 4 ? [2, 4] : [1]
  for (let dy = -radius; dy <= radius; dy++)
    for (let dx = -radius; dx <= radius; dx++)
      set(centreX + dx, centreY + dy, !isLight.includes(Math.max(Math.abs(dx), Math.abs(dy))))
}

function alignmentCentres(version: number, size: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.ceil((size - 13) / (2 * count - 2)) * 2
  return [6, ...Array.from({ length: count - 1 }, (_, index) => size - 7 - (count - 2 - index) * step)]
}

/** Level M and mask 000, as the standard prints them (table C.1). */
const FORMAT = 0b101010000010010

function drawFormat(size: number, set: Set): void {
  const isDark = (bit: number) => ((FORMAT >>> bit) & 1) === 1
  for (let bit = 0; bit < 15; bit++) {
    // Beside the upper left finder, down and then to the left, without the timing patterns.
    if (bit < 8) set(8, bit < 6 ? bit : bit + 1, isDark(bit))
    else set(bit === 8 ? 7 : 14 - bit, 8, isDark(bit))
    if (bit < 8) set(size - 1 - bit, 8, isDark(bit))
    else set(8, size - 15 + bit, isDark(bit))
  }
  set(8, size - 8, true)
}

/** The version with its BCH code (clause 7.10), twice. */
function drawVersion(version: number, size: number, set: Set): void {
  let remainder = version
  for (let step = 0; step < 12; step++) remainder = (remainder << 1) ^ ((remainder >>> 11) * 0x1f25)
  const bits = (version << 12) | remainder
  for (let bit = 0; bit < 18; bit++) {
    const isDark = ((bits >>> bit) & 1) === 1
    const [long, across] = [size - 11 + (bit % 3), Math.floor(bit / 3)]
    set(long, across, isDark)
    set(across, long, isDark)
  }
}
