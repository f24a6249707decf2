/** A page of A4 with lines of text, and a grey text across it (PDF 1.4, ISO 32000). Characters outside Latin-1 become question marks. */
export function pdfOf(lines: readonly string[], watermark: string | null): Buffer {
  const across =
    watermark === null ? '' : `q 0.8 g BT /F 30 Tf 0.7 0.7 -0.7 0.7 60 200 Tm ${literal(watermark)} Tj ET Q\n`
  const text = lines.map((line) => `${literal(line)} Tj T*`).join('\n')
  const content = `${across}BT /F 11 Tf 18 TL 50 780 Td\n${text}\nET`
  return fileOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 4 0 R >> >> /Contents 5 0 R >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ])
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
