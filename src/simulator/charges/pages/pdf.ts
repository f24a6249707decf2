/** Lines of text of one page, from its top. */
export type PdfPage = readonly string[]

/**
 * A file of A4 pages, each with its lines and a grey text across it (PDF 1.4, ISO 32000).
 * Characters outside Latin-1 become question marks.
 */
export function pdfOf(pages: readonly PdfPage[], watermark: string | null): Buffer {
  const kids = pages.map((_, index) => `${pageId(index)} 0 R`).join(' ')
  return fileOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((page, index) => pageObjects(pageId(index), contentOf(page, watermark))),
  ])
}

/** Each page is followed by its content. */
function pageId(index: number): number {
  return 4 + 2 * index
}

function pageObjects(id: number, content: string): [string, string] {
  const resources = '/Resources << /Font << /F 3 0 R >> >>'
  return [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] ${resources} /Contents ${id + 1} 0 R >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ]
}

function contentOf(lines: PdfPage, watermark: string | null): string {
  const across =
    watermark === null ? '' : `q 0.8 g BT /F 30 Tf 0.7 0.7 -0.7 0.7 60 200 Tm ${literal(watermark)} Tj ET Q\n`
  const text = lines.map((line) => `${literal(line)} Tj T*`).join('\n')
  return `${across}BT /F 11 Tf 18 TL 50 780 Td\n${text}\nET`
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

function literal(text: string): string {
  return `(${text.replace(/[^\x20-\x7e\xa0-\xff]/g, '?').replace(/[\\()]/g, '\\$&')})`
}
