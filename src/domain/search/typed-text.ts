import { withoutOpenCarrier, withoutSpacesInAmounts } from './spellings.ts'
import { plainText } from './words.ts'

/** How people write or paste what a payload has in another form. Only queries need it: the index stays as it is. */

/** Words in front of a value, and units behind it: they are left out where anything else is typed. */
const LABELS = new Set([
  ...[
    'cpf',
    'cnpj',
    'cpf/cnpj',
    'cnpj/cpf',
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
  ...['cep', 'codigo', 'transacao', 'autenticacao', 'protocolo', 'documento', 'identificador', 'conta', 'agencia'],
  ...['pagador', 'recebedor', 'devedor', 'reais', 'real', 'brl', 'as', 'n', 'em'],
])

/** Direction marks, zero-width characters and soft hyphens. */
const INVISIBLE = /\p{Cf}+/gu
const DATE = /(?<![\d./-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d./-])/
const TIME = /^\d{1,2}(?:[:h]\d{2}){1,2}h?$/
const MONTHS = ['jan', 'fev', 'mar', 'abr', 'mai', 'jun', 'jul', 'ago', 'set', 'out', 'nov', 'dez']
/** `2 de março de 2026`, `02/mar/2026`, `02 MAR. 2026`. */
const NAMED_MONTH = new RegExp(
  String.raw`(?<![\w./-])(\d{1,2})[o\xba]?(?:\s+de\s+|[\s/.-]+)(${MONTHS.join('|')})[a-z]{0,6}\.?(?:\s+de\s+|[\s/.-]+)(\d{4}|\d{2})(?![\w/-])`,
  'g',
)

/** Debit or credit, behind an amount of a statement of account: `1.500,00 C`. */
const SIDE = /(?<=\d,\d\d) ?[cd](?!\S)/g

/** The plain text of a query, its words between white space, without labels. */
export function typedChunks(text: string): string[] {
  const plain = plainText(text.replace(INVISIBLE, '').replaceAll('`', "'")).replaceAll(
    NAMED_MONTH,
    (_, day: string, month: string, year: string) => `${day}/${MONTHS.indexOf(month) + 1}/${year}`,
  )
  const words = withoutSpacesInAmounts(withoutOpenCarrier(plain)).replaceAll(SIDE, '').split(/\s+/)
  const chunks = words.filter((chunk) => /[\p{L}\p{N}$]/u.test(chunk))
  // id da transação: a preposition behind a label belongs to it.
  const unlabelled = chunks.filter(
    (chunk, index) => !isLabel(chunk) && !(/^d[aeo]s?$/.test(chunk) && isLabel(chunks[index - 1] ?? '')),
  )
  // The time of a payload is in another zone, as a rule.
  const values = unlabelled.filter((chunk, index) => !TIME.test(chunk) || !isDate(unlabelled[index - 1]))
  return values.some((chunk) => chunk !== 'r$' && /[\p{L}\p{N}]/u.test(chunk)) ? values : chunks
}

/** Without what JSON in a log (`\"`), markup (`&quot;`) and addresses (`%40`) write in the place of a character. */
function unescaped(chunk: string): string {
  const plain = chunk
    .replaceAll(/\\+(?=["'])/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
      try {
        return decodeURIComponent(escaped)
      } catch {
        // No UTF-8, so it is a text with percent signs.
        return escaped
      }
    })
  return plainText(plain)
}

function isLabel(chunk: string): boolean {
  return (
    LABELS.has(chunk.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')) ||
    /^["']?[a-z_]+["']?[:=]$|^[a-z]+-feira,?$/.test(chunk)
  )
}

const ADDRESS = /^[a-z]+:\/\/|^(?:www\.|wa\.me\/)|[?&][\w.]+=/

/** The values in a chunk: `txid=…` and `"txid":"…"` have one, an address has those of its query and the ids and numbers of its path. */
export function valuesIn(chunk: string): string[] {
  const plain = unescaped(chunk)
  const pieces = ADDRESS.test(plain)
    ? plain.split(/[/?&=#;]+/).filter((piece) => /^(?=.*\d)[\w+.-]{8,}$/.test(piece))
    : []
  return [...new Set([plain, withoutName(plain), ...pieces])].filter((one) => one !== chunk)
}

function withoutName(chunk: string): string {
  const named = /^[{,?&]?["']?[\p{L}_][\p{L}\p{N}_.]*["']?[:=](.*[\p{L}\p{N}].*)$/u.exec(chunk)
  return named?.[1] ?? /^n[o.]{1,2}(\d+)$/.exec(chunk)?.[1] ?? chunk
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
/** With the 0 of a long-distance call, and the code of a carrier behind it. */
const NATIONAL = /^(?:0(?:\d\d)?)?([1-9]\d(?:9\d{8}|[2-5]\d{7}))$/
const INTERNATIONAL = /^(?:00)?550?([1-9]\d(?:9\d{8}|[2-5]\d{7}))$/

/** The other forms in which a payload may have a phone number; empty: the digits are none. */
export function phonesOf(digits: string): string[] {
  const national = (INTERNATIONAL.exec(digits) ?? NATIONAL.exec(digits))?.[1]
  if (national !== undefined) return [national, COUNTRY + national, national.slice(2)]
  return LOCAL.test(digits) ? AREAS.flatMap((area) => [`${COUNTRY}${area}${digits}`, `${area}${digits}`]) : []
}

/** Digits of a CPF and a CNPJ, and the heaviest weight of their check digits. */
const DOCUMENTS = [
  { length: 11, heaviest: 11 },
  { length: 14, heaviest: 9 },
]

/** A CPF or CNPJ from a spreadsheet, which drops leading zeros; empty: the digits are none. */
export function documentsOf(digits: string): string[] {
  if (!/^[1-9]\d{7,12}$/.test(digits)) return []
  return DOCUMENTS.flatMap(({ length, heaviest }) => {
    const whole = digits.padStart(length, '0')
    const isDocument = whole.length === length && whole !== digits
    return isDocument && [2, 1].every((last) => hasCheckDigit(whole.slice(0, length - last + 1), heaviest))
      ? [whole]
      : []
  })
}

/** Weights go up from 2 for the digit before the check digit, and begin again behind the heaviest. */
function hasCheckDigit(digits: string, heaviest: number): boolean {
  const before = [...digits.slice(0, -1)].toReversed()
  const sum = before.reduce((all, digit, index) => all + Number(digit) * (2 + (index % (heaviest - 1))), 0)
  const rest = sum % 11
  return Number(digits.at(-1)) === (rest < 2 ? 0 : 11 - rest)
}
