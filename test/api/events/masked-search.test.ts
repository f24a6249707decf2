import { expect, it } from 'vitest'
import { shortNumberOf, wholeWords } from '../../../src/api/events/masked-search.ts'
import { parseSearch } from '../../../src/domain/search/search-query.ts'
import { termsOf } from '../../../src/domain/search/terms.ts'
import { PortariaError } from '../../../src/platform/errors.ts'

const BODY = Buffer.from(
  JSON.stringify({
    cpf: '123.456.789-09',
    nome: 'Maria Silva',
    telefone: '(11) 98765-4321',
    email: 'maria.silva@example.com',
    valor: '150.10',
    numero: 12345678909,
    cep: '01310-100',
    txid: 'abc123def456',
  }),
)
const TERMS = termsOf({ body: BODY, contentType: 'application/json', subject: '4711' }, { exclude: [] })

/** Whether a search finds the event; null: it is refused. */
function finds(text: string): boolean | null {
  try {
    const { words } = wholeWords(parseSearch(text)).query
    const isThere = ({ text, isPrefix }: { text: string; isPrefix: boolean }) =>
      [...TERMS].some((term) => (isPrefix ? term.startsWith(text) : term === text))
    return words.every((word) => word.kind === 'terms' && word.alternatives.some((terms) => terms.every(isThere)))
  } catch (error) {
    if (error instanceof PortariaError && error.code === 'request_invalid') return null
    throw error
  }
}

it.each([
  '123.456.789-09',
  '12345678909',
  '123 456 789 09',
  'maria',
  'Silva',
  'MARIA.SILVA@example.com',
  '150,10',
  'R$ 150.10',
  '(11) 98765-4321',
  'abc123def456',
])('a masked search finds a whole value: %s', (text) => expect(finds(text)).toBe(true))

it.each([
  '123456789',
  '1234567',
  '123.456.789',
  '1198765',
  'mari',
  'maria.silva@exa',
  'abc123',
  '123.456.789-0',
  '12345678909 mari',
])('a masked search does not find the beginning of a value: %s', (text) => expect(finds(text)).toBe(false))

it.each(['123', '456', '09', '98765', '1', '12345', '4711', 'maria 123'])(
  'a masked search for a short number is refused, because it may be a part of a longer one: %s',
  (text) => expect(finds(text)).toBeNull(),
)

it.each(['123 123 123', '123 456 09', '456 456 456 456', '11 98765 11'])(
  'a masked search does not find parts of a number that are repeated until they are long enough: %s',
  (text) => expect(finds(text)).toBe(false),
)

it('no search for a part of the CPF tells whether it is right', () => {
  for (const part of ['123', '456', '789', '09']) {
    const tries = (digits: string) => [
      ...['.', '-', '/', ' ', ',', '', ':', ';', '_', '(', '. '].flatMap((separator) =>
        [1, 2, 3, 4].map((count) => Array.from({ length: count }, () => digits).join(separator)),
      ),
      ...[
        `maria.${digits}`,
        `maria ${digits}`,
        `${digits}@`,
        `x${digits}`,
        `${digits},00`,
        `R$ ${digits}`,
        `-${digits}`,
      ],
    ]
    const wrong = part.replaceAll(/\d/g, '5')
    expect([part, tries(part).map(finds)]).toEqual([part, tries(wrong).map(finds)])
  }
})

it.each([
  ['7033', '7033'],
  [' “7033”, ', '7033'],
  ['007', '007'],
  ['identificador=7033', '7033'],
  ['"identificador":"7033"', '7033'],
  ['nº 7033', '7033'],
  ['2/3/26', null],
  ['703312', null],
  ['7033 7034', null],
  ['maria 7033', null],
  ['R$ 7033', null],
  ['7.033', null],
  ['ana', null],
])('the search %s is a short number alone: %s', (text, expected) => {
  expect(shortNumberOf(parseSearch(text))).toBe(expected)
})
