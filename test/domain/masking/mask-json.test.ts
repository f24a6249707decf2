import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MASK, maskJson } from '../../../src/domain/masking/mask-json.ts'
import { compilePersonalData } from '../../../src/domain/masking/personal-paths.ts'

const masked = (text: string, pointers: readonly string[] | null, split: readonly string[] = []) =>
  maskJson(text, pointers === null ? null : compilePersonalData(pointers, split)).text

it.each([
  ['a member', '{"cpf":"12345678909","valor":150.10}', ['/cpf'], '{"cpf":"***","valor":150.10}'],
  [
    'a number, with other numbers as written',
    '{"cpf":12345678909,"v":[1.50,-0.0,1e5]}',
    ['/cpf'],
    '{"cpf":"***","v":[1.50,-0.0,1e5]}',
  ],
  [
    'a name with escapes',
    String.raw`{"c\u0070f":"1","x":"\u0031"}`,
    ['/cpf'],
    String.raw`{"c\u0070f":"***","x":"\u0031"}`,
  ],
  ['every one of equal names', '{"cpf":"a1","cpf":"b2","x":"c3"}', ['/cpf'], '{"cpf":"***","cpf":"***","x":"c3"}'],
  ['a whole object, with the names in it', '{"p":{"12345":{"a":"}"}},"q":"["}', ['/p'], '{"p":"***","q":"["}'],
  ['a whole array', '{ "p" : [ 1, [2] ] , "q": [ ] }', ['/p'], '{ "p" : "***" , "q": [ ] }'],
  ['true and false, not null', '{"p":[true,false,null]}', ['/p/*'], '{"p":["***","***",null]}'],
  ['an element by its number', '["aa","bb","cc"]', ['/1'], '["aa","***","cc"]'],
  [
    'a member of any element',
    '{"pix":[{"nome":"Ana"},{"x":{"nome":"Eva"}}]}',
    ['/pix/*/nome'],
    '{"pix":[{"nome":"***"},{"x":{"nome":"Eva"}}]}',
  ],
  ['any member', '{"a":{"n":"xx"},"b":{"n":"yy"},"n":"zz"}', ['/*/n'], '{"a":{"n":"***"},"b":{"n":"***"},"n":"zz"}'],
  [
    'at any depth, in any case',
    '{"a":[{"CPF":"xx"}],"cpf":{"a":1},"cpfs":"yy"}',
    ['/**/cpf'],
    '{"a":[{"CPF":"***"}],"cpf":"***","cpfs":"yy"}',
  ],
  [
    'a path at any depth',
    '{"a":{"p":{"n":"xx"}},"p":{"n":"yy"},"n":"zz"}',
    ['/**/p/n'],
    '{"a":{"p":{"n":"***"}},"p":{"n":"***"},"n":"zz"}',
  ],
  ['the whole text', '{"a":1}', [''], '"***"'],
  ['a scalar as the whole text', ' "Ana" ', [''], ' "***" '],
  ['a pointer with escapes', '{"a/b":{"~":"xx"},"~1":"yy"}', ['/a~1b/~0', '/~01'], '{"a/b":{"~":"***"},"~1":"***"}'],
  [
    'in the elements of a split array',
    '{"pix":[{"nome":"Ana"}],"nome":"Eva"}',
    ['/nome'],
    '{"pix":[{"nome":"***"}],"nome":"***"}',
  ],
  ['an empty name', '{"":"xx","a":{"":"yy"}}', ['/a/'], '{"":"xx","a":{"":"***"}}'],
  ['nothing without pointers', '{"cpf":"12345678909"}', [], '{"cpf":"12345678909"}'],
])('masks %s', (_, text, pointers, expected) => {
  expect(masked(text, pointers, ['/pix'])).toBe(expected)
})

it.each([
  [
    'inside a longer text, in any case and without accents',
    '{"nome":"José da Silva","d":"Pix de JOSE DA SILVA!"}',
    '{"nome":"***","d":"***"}',
  ],
  ['with other punctuation', '{"nome":"123.456.789-09","d":"12345678909"}', '{"nome":"***","d":"***"}'],
  ['as a number', '{"nome":"123.456.789-09","d":12345678909,"v":123.45}', '{"nome":"***","d":"***","v":123.45}'],
  ['before the masked value', '{"d":"de Maria Silva","nome":"Maria Silva"}', '{"d":"***","nome":"***"}'],
  [
    'as the name of a member',
    '{"nome":"maria@example.com","m":{"maria@example.com":1}}',
    '{"nome":"***","m":{"***":1}}',
  ],
  ['with escapes', String.raw`{"nome":"Maria Silva","d":"M\u0061ria\tSilva"}`, '{"nome":"***","d":"***"}'],
  ['as a short whole value', '{"nome":"Ana","d":"ANA","e":"Anastasia"}', '{"nome":"***","d":"***","e":"Anastasia"}'],
])('masks a masked text that is repeated %s', (_, text, expected) => {
  expect(masked(text, ['/nome'])).toBe(expected)
})

it('few digits are no repetition: a house number is not looked for in amounts', () => {
  const text = '{"numero":"150","valor":"150.10","itens":[150,1500]}'
  expect(masked(text, ['/numero'])).toBe('{"numero":"***","valor":"150.10","itens":[150,1500]}')
})

it('of an unknown kind every text is masked, and numbers that may be a CPF; names of members that look like values, too', () => {
  const text = '{"a":"x","b":[1.50,12345678909,-1.2345678e1,true,null,""],"a b":{"c-d_9":"y"},"11987654321":2}'
  expect(masked(text, null)).toBe('{"a":"***","b":[1.50,"***","***",true,null,"***"],"***":{"c-d_9":"***"},"***":2}')
})

it('depth costs no stack, and neither does a long text', () => {
  const depth = 100_000
  const deep = `${'['.repeat(depth)}{"cpf":"12345678909"}${']'.repeat(depth)}`
  expect(masked(deep, ['/**/cpf'])).toBe(deep.replace('12345678909', MASK))
  const long = JSON.stringify({ cpf: '"\\'.repeat(500_000), x: '"\\é'.repeat(300_000) })
  expect(JSON.parse(masked(long, ['/cpf']))).toEqual({ cpf: MASK, x: '"\\é'.repeat(300_000) })
})

it('of many masked texts that begin alike each is found, and nothing else', () => {
  const names = Array.from({ length: 5000 }, (_, index) => `aaaaa-${index}.`)
  const text = JSON.stringify({ nome: names, c: 'b'.repeat(9) + names[4999], d: 'a'.repeat(200_000), e: 'aaaaa5000' })
  const expected = JSON.stringify({ nome: MASK, c: MASK, d: 'a'.repeat(200_000), e: MASK })
  expect(masked(text, ['/nome'])).toBe(expected)
})

it('a long masked text is repeated by its first 64 letters and digits', () => {
  const long = 'Pagamento 12 '.repeat(20)
  const text = (d: string) => JSON.stringify({ nome: long, d })
  expect(masked(text(`x ${long.slice(0, 90)}`), ['/nome'])).toBe(text(MASK).replace(long, MASK))
  expect(masked(text(long.slice(0, 60)), ['/nome'])).toBe(text(long.slice(0, 60)).replace(long, MASK))
})

/** Any JSON with members of these names, and masked values long enough to be found elsewhere. */
const NAMES = ['nome', 'cpf', 'a', 'b', 'pix', 'x\u0000', '"', '\\', 'é', '1', '']
const secret = fc.oneof(
  fc.string({ minLength: 6, maxLength: 12, unit: fc.constantFrom(...'abcdefghij') }).map((text) => `zq${text}`),
  fc.integer({ min: 10_000_000_000, max: 99_999_999_999 }).map(String),
)
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('json'), { maxKeys: 4 }),
  ),
}))

/** Puts the secret into the JSON: masked, and repeated in places that no pointer names. */
const document = fc.tuple(json, secret, json).map(([before, value, after]) => {
  const dotted = /^\d+$/.test(value) ? value.replace(/^(\d{3})(\d{3})(\d{3})/, '$1.$2.$3-') : value.toUpperCase()
  const repeated = [`x ${value}.`, dotted, { [value]: before }, /^\d+$/.test(value) ? Number(value) : null]
  return {
    value,
    text: JSON.stringify({ b: before, pix: [{ cpf: value, a: after }, repeated], a: [{ x: { nome: [value] } }] }),
  }
})

it('no masked text survives, the result is JSON, and without masked values it is the text itself', () => {
  const compact = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  fc.assert(
    fc.property(document, ({ value, text }) => {
      for (const rule of [['/pix/*/cpf', '/a/*/x/nome'], ['/**/cpf', '/**/nome'], null]) {
        const result = masked(text, rule)
        JSON.parse(result)
        expect(compact(result)).not.toContain(compact(value))
      }
      expect(masked(text, ['/none', '/**/none'])).toBe(text)
    }),
    { numRuns: 300 },
  )
})
