/** A text that begins on a page of its own and goes on over as many pages as it needs. */
export interface PdfText {
  readonly title: string
  readonly lines: readonly string[]
}

/** Courier: every character is 0.6 of the size wide, so that the length of a line is known without tables. */
const WIDTH = 0.6
const [PAGE_WIDTH, PAGE_HEIGHT, MARGIN] = [595, 842, 50]
const [SIZE, LEADING, TITLE_SIZE, TITLE_LEADING] = [8, 12, 12, 24]
/** 103 characters: a line of a message, which has up to 100, stays one line. */
const LINE_LENGTH = lengthOf(SIZE)
const LINES_OF_PAGE = Math.floor((PAGE_HEIGHT - 2 * MARGIN - TITLE_LEADING) / LEADING)

/**
 * A4 pages with texts, and a grey text across each page (PDF 1.4, ISO 32000). Long lines are broken; nothing is cut off.
 * The characters are those of Windows-1252. Another letter loses its accent, any other character becomes a question mark.
 */
export function pdfOf(texts: readonly PdfText[], watermark: string | null): Buffer {
  const contents = texts.flatMap(pagesOf).map((page) => contentOf(page, watermark))
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

/** The pages of a text; each of them has its title. */
function pagesOf({ title, lines }: PdfText): PdfText[] {
  const broken = lines.flatMap((line) => brokenLine(line, LINE_LENGTH))
  const count = Math.max(1, Math.ceil(broken.length / LINES_OF_PAGE))
  return Array.from({ length: count }, (_, page) => ({
    title: count === 1 ? title : `${title} (${page + 1} of ${count})`,
    lines: broken.slice(page * LINES_OF_PAGE, (page + 1) * LINES_OF_PAGE),
  }))
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

function contentOf({ title, lines }: PdfText, watermark: string | null): string {
  const marks = watermark === null ? '' : marksOf(literal(watermark))
  const top = PAGE_HEIGHT - MARGIN - TITLE_SIZE
  const shortTitle = title.slice(0, lengthOf(TITLE_SIZE))
  const text = lines.map((line) => `${literal(line)} Tj T*`).join('\n')
  const heading = `/F ${TITLE_SIZE} Tf ${TITLE_LEADING} TL ${MARGIN} ${top} Td ${literal(shortTitle)} Tj T*`
  return `${marks}BT ${heading}\n/F ${SIZE} Tf ${LEADING} TL\n${text}\nET`
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
