import { plainText } from './words.ts'

/** How people write or paste what a payload has in another form. Only queries need it: the index stays as it is. */

/** Words in front of a value, and units behind it: they are left out where anything else is typed. */
const LABELS = new Set([
  ...[
    'cpf',
    'cnpj',
    'cpf/cnpj',
    'txid',
    'endtoendid',
    'e2eid',
    'e2e',
    'id',
    'valor',
    'chave',
    'pix',
    'nosso',
    'numero',
    'no',
  ],
  ...['telefone', 'celular', 'fone', 'tel', 'whatsapp', 'nome', 'email', 'e-mail', 'data', 'nascimento', 'vencimento'],
  ...['reais', 'real', 'brl', 'as'],
])

/** Direction marks, zero-width characters and soft hyphens. */
const INVISIBLE = /\p{Cf}+/gu
const DATE = /(?<![\d./-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d./-])/
const TIME = /^\d{1,2}(?::\d{2}){1,2}h?$/

/** The plain text of a query, its words between white space, without labels. */
export function typedChunks(text: string): string[] {
  const plain = plainText(text.replace(INVISIBLE, '').replaceAll('`', "'"))
  const chunks = plain.split(/\s+/).filter((chunk) => /[\p{L}\p{N}$]/u.test(chunk))
  const unlabelled = chunks.filter((chunk) => !isLabel(chunk))
  // The time of a payload is in another zone, as a rule.
  const values = unlabelled.filter((chunk, index) => !TIME.test(chunk) || !isDate(unlabelled[index - 1]))
  return values.some((chunk) => chunk !== 'r$' && /[\p{L}\p{N}]/u.test(chunk)) ? values : chunks
}

function isLabel(chunk: string): boolean {
  return LABELS.has(chunk.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')) || /^["']?[a-z_]+["']?[:=]$/.test(chunk)
}

/** `txid=…` and `"txid":"…"`: the value alone. */
export function withoutName(chunk: string): string {
  return /^[{,?&]?["']?[\p{L}_.]+["']?[:=](.*[\p{L}\p{N}].*)$/u.exec(chunk)?.[1] ?? chunk
}

function isDate(chunk: string | undefined): boolean {
  return chunk !== undefined && (DATE.test(chunk) || /^\d{4}-\d\d-\d\d$/.test(chunk))
}

/** A Brazilian date as the index has dates of a payload, `20260302`; empty: it is none. */
export function datesOf(chunk: string): string[] {
  const match = DATE.exec(chunk)
  const [day = '', month = '', year = ''] = match === null ? [] : [match[1], match[3], match[4]]
  if (match === null || Number(day) > 31 || Number(month) > 12) return []
  const years = year.length === 4 ? [year] : [`20${year}`, `19${year}`]
  return years.map((one) => one + month.padStart(2, '0') + day.padStart(2, '0'))
}

/** The area codes of Brazil. */
const AREAS = [
  ...[
    11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 24, 27, 28, 31, 32, 33, 34, 35, 37, 38, 41, 42, 43, 44, 45, 46, 47, 48,
  ],
  ...[
    49, 51, 53, 54, 55, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 73, 74, 75, 77, 79, 81, 82, 83, 84, 85, 86, 87, 88, 89,
  ],
  ...[91, 92, 93, 94, 95, 96, 97, 98, 99],
]
const COUNTRY = '55'
const LOCAL = /^(?:9\d{8}|[2-5]\d{7})$/
const NATIONAL = /^0?([1-9]\d(?:9\d{8}|[2-5]\d{7}))$/
const INTERNATIONAL = /^(?:00)?550?([1-9]\d(?:9\d{8}|[2-5]\d{7}))$/

/** The other forms in which a payload may have a phone number; empty: the digits are none. */
export function phonesOf(digits: string): string[] {
  const national = (INTERNATIONAL.exec(digits) ?? NATIONAL.exec(digits))?.[1]
  if (national !== undefined) return [national, COUNTRY + national, national.slice(2)]
  return LOCAL.test(digits) ? AREAS.flatMap((area) => [`${COUNTRY}${area}${digits}`, `${area}${digits}`]) : []
}
