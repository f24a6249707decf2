/** A text that begins on a page of its own and goes on over as many pages as it needs. */
export interface PdfText {
  readonly title: string
  readonly lines: readonly string[]
  /** Below the lines, each whole on one page. */
  readonly drawings?: readonly Drawing[]
}

/** Black rectangles within a height, in points. Each is x, y (from the lower edge), width and height. */
export interface Drawing {
  readonly height: number
  readonly rectangles: readonly (readonly [number, number, number, number])[]
}

/** Courier: every character is 0.6 of the size wide, so that the length of a line is known without tables. */
const WIDTH = 0.6
const [PAGE_WIDTH, PAGE_HEIGHT, MARGIN] = [595, 842, 50]
const [SIZE, LEADING, TITLE_SIZE, TITLE_LEADING] = [8, 12, 12, 24]
/** 103 characters: a line of a message, which has up to 100, stays one line. */
const LINE_LENGTH = lengthOf(SIZE)
const TITLE_AT = PAGE_HEIGHT - MARGIN - TITLE_SIZE
const LINES_OF_PAGE = Math.floor((TITLE_AT - TITLE_LEADING - MARGIN) / LEADING)

/**
 * A4 pages with texts, and a grey text across each page (PDF 1.4, ISO 32000). Long lines are broken; nothing is cut off.
 * The characters are those of Windows-1252. Another letter loses its accent, any other character becomes a question mark.
 */
export function pdfOf(texts: readonly PdfText[], watermark: string | null): Buffer {
  const contents = texts
    .flatMap((text) => numbered(text.title, pagesOf(text)))
    .map((page) => contentOf(page, watermark))
  const objectOf = (index: number) => FIXED_OBJECTS + 2 * index + 1
  const kids = contents.map((_, index) => `${objectOf(index)} 0 R`).join(' ')
  return fileOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>',
    ...contents.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE_WIDTH} ${PAGE_HEIGHT}] ` +
        `/Resources << /Font << /F 3 0 R >> >> /Contents ${objectOf(index) + 1} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ])
}

/** Catalogue, list of pages, font. */
const FIXED_OBJECTS = 3

type PageParts = Required<Omit<PdfText, 'title'>>
type PdfPage = Required<PdfText>

function pagesOf({ lines, drawings = [] }: PdfText): PageParts[] {
  const broken = lines.flatMap((line) => brokenLine(line, LINE_LENGTH))
  const count = Math.max(1, Math.ceil(broken.length / LINES_OF_PAGE))
  const pages = Array.from({ length: count }, (_, page): PageParts => {
    return { lines: broken.slice(page * LINES_OF_PAGE, (page + 1) * LINES_OF_PAGE), drawings: [] }
  })
  return drawings.reduce(withDrawing, pages)
}

/** Adds a drawing to the last page, or to a new one if it has no room. */
function withDrawing(pages: readonly PageParts[], drawing: Drawing): PageParts[] {
  const last = pages.at(-1) ?? { lines: [], drawings: [] }
  const hasRoom = lowerEdgeOf(last) - LEADING - drawing.height >= MARGIN
  if (!hasRoom) return [...pages, { lines: [], drawings: [drawing] }]
  return [...pages.slice(0, -1), { ...last, drawings: [...last.drawings, drawing] }]
}

/** Where the content of a page ends, from the lower edge of the page. */
function lowerEdgeOf({ lines, drawings }: PageParts): number {
  const below = TITLE_AT - TITLE_LEADING - lines.length * LEADING + SIZE
  return drawings.reduce((edge, { height }) => edge - LEADING - height, below)
}

/** Each page has the title. */
function numbered(title: string, pages: readonly PageParts[]): PdfPage[] {
  return pages.map((page, index) => {
    return { ...page, title: pages.length === 1 ? title : `${title} (${index + 1} of ${pages.length})` }
  })
}

/** Breaks behind a space where there is one in the second half of the line, or else within the word. */
function brokenLine(line: string, length: number): string[] {
  const characters = [...line.normalize('NFC')]
  const parts: string[] = []
  let rest = characters
  while (rest.length > length) {
    const space = rest.slice(0, length).lastIndexOf(' ')
    const end = space >= length / 2 ? space + 1 : length
    parts.push(rest.slice(0, end).join(''))
    rest = rest.slice(end)
  }
  return [...parts, rest.join('')]
}

function contentOf(page: PdfPage, watermark: string | null): string {
  const marks = watermark === null ? '' : marksOf(literal(watermark))
  const shortTitle = page.title.slice(0, lengthOf(TITLE_SIZE))
  const text = page.lines.map((line) => `${literal(line)} Tj T*`).join('\n')
  const heading = `/F ${TITLE_SIZE} Tf ${TITLE_LEADING} TL ${MARGIN} ${TITLE_AT} Td ${literal(shortTitle)} Tj T*`
  return `${marks}BT ${heading}\n/F ${SIZE} Tf ${LEADING} TL\n${text}\nET${drawn(page)}`
}

function drawn({ lines, drawings }: PdfPage): string {
  return drawings
    .map(({ height, rectangles }, index) => {
      const bottom = lowerEdgeOf({ lines, drawings: drawings.slice(0, index) }) - LEADING - height
      const paths = rectangles.map(([x, y, width, tall]) =>
        [MARGIN + x, bottom + y, width, tall].map(decimal).join(' '),
      )
      return `\n${paths.map((path) => `${path} re`).join('\n')}\nf`
    })
    .join('')
}

function decimal(value: number): string {
  return String(Number(value.toFixed(3)))
}

/** Grey: large across the page, and small at its top, where programs that read text find it as one line. */
function marksOf(text: string): string {
  const atTop = `BT /F ${SIZE} Tf ${MARGIN} ${PAGE_HEIGHT - MARGIN / 2} Td ${text} Tj ET`
  return `q 0.85 g BT /F 30 Tf 0.7 0.7 -0.7 0.7 60 200 Tm ${text} Tj ET\n0.5 g ${atTop} Q\n`
}

function lengthOf(size: number): number {
  return Math.floor((PAGE_WIDTH - 2 * MARGIN) / (size * WIDTH))
}

/** Objects numbered from 1, the first being the catalogue, with the table of their places. */
function fileOf(objects: readonly string[]): Buffer {
  let file = '%PDF-1.4\n'
  const places = objects.map((object, index) => {
    const place = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const end = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(`${file}xref\n0 ${size}\n0000000000 65535 f \n${rows}${end}`, 'latin1')
}

/** Bytes 0x80 to 0x9f of Windows-1252; the gaps have no character. */
const WINDOWS_1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'

function literal(text: string): string {
  const bytes = [...text.normalize('NFC')].map(byteOf).join('')
  return `(${bytes.replace(/[\\()]/g, '\\$&')})`
}

/** A character as the byte of the font's encoding. */
function byteOf(character: string): string {
  if (/^[\x20-\x7e\xa0-\xff]$/.test(character)) return character
  if (/^\s$/.test(character)) return ' '
  if (/^\p{M}$/u.test(character)) return ''
  const index = WINDOWS_1252.indexOf(character)
  if (index >= 0) return String.fromCharCode(0x80 + index)
  const [letter = ''] = character.normalize('NFD')
  return /^[A-Za-z]$/.test(letter) ? letter : '?'
}
