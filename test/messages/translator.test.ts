import { expect, it } from 'vitest'
import { createPartsTranslator, createTranslator } from '../../src/messages/translator.ts'

const texts = {
  'it does not exist': 'não existe',
  'there is no event {id}': 'não há nenhum evento {id}',
  '{file} cannot be read: {error}; check {key}': 'verifique {key}: não é possível ler {file} ({error})',
  '{file} cannot be read: {error}': 'não é possível ler {file}: {error}',
  'the query is wrong': 'a consulta está errada',
  '{a} and {a} again': '{a} e {a} de novo',
  checked: 'verificado',
  '{n} (100 %)': '{n} (tudo)',
  '{seen} of {total}': '{seen} de {total}',
  'event {id}': 'evento {id}',
  '{key} (line {number})': '{key} (linha {number})',
  '{host} is not an allowed address ({detail})': 'o endereço {host} não é permitido ({detail})',
  'private network': 'rede privada',
}
const translate = createTranslator(new Map(Object.entries(texts)))

it.each([
  ['it does not exist', 'não existe'],
  ['there is no event evt_1', 'não há nenhum evento evt_1'],
  // The longer one.
  ['/a b.pem cannot be read: no; check storage.url', 'verifique storage.url: não é possível ler /a b.pem (no)'],
  // A known text in a value, and a value on two lines.
  ['x cannot be read: it does not exist', 'não é possível ler x: não existe'],
  ['x cannot be read: one\ntwo', 'não é possível ler x: one\ntwo'],
  // A name that is a text by chance.
  ['there is no event checked', 'não há nenhum evento checked'],
  // Joined texts, of which one is unknown, or is itself joined.
  [
    'the query is wrong: limit: must be 1; there is no event 7',
    'a consulta está errada: limit: must be 1; não há nenhum evento 7',
  ],
  ['it: there is no event 7; the query is wrong', 'it: não há nenhum evento 7; a consulta está errada'],
  [
    'url (line 3): 10.1.2.3 is not an allowed address (private network)',
    'url (linha 3): o endereço 10.1.2.3 não é permitido (rede privada)',
  ],
  ['b and b again', 'b e b de novo'],
  ['b and c again', 'b and c again'],
  ['5 (100 %)', '5 (tudo)'],
  ['3 of 8', '3 de 8'],
  // A part of many a sentence.
  ['nothing of it is left', 'nothing of it is left'],
  ['event evt_1', 'evento evt_1'],
  ['event whose span is wrong', 'event whose span is wrong'],
  ['quite unknown', 'quite unknown'],
  ['there is no event $& {id}', 'não há nenhum evento $& {id}'],
  ['', ''],
])('%s', (english, portuguese) => expect(translate(english)).toBe(portuguese))

it('of a text of many parts the first are translated: a caller that writes thousands costs no more', () => {
  const many = Array.from({ length: 40 }, () => 'the query is wrong').join('; ')
  const translated = translate(many)
  expect(translated).toMatch(/^(a consulta está errada; ){15}the query is wrong; /)
  expect(translated.split('; ')).toHaveLength(40)
})

it('a long value is shown as it came, behind texts that are known', () => {
  const long = `x${' y'.repeat(2000)}`
  expect(translate(`${long}; the query is wrong`)).toBe(`${long}; a consulta está errada`)
})

it('the work for a text is bounded: what is left of one that was made for it stays English', () => {
  let [lookUps, characters] = [0, 0]
  const words = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']
  const counted = new (class extends Map<string, string> {
    override get(text: string) {
      lookUps++
      characters += text.length
      return super.get(text)
    }
  })(words.map((word) => [`{value} is ${word} of {other}`, `{other}: ${word} {value}`]))
  const translateParts = createPartsTranslator(counted)
  ;[lookUps, characters] = [0, 0]
  const clauses = Array.from({ length: 16 }, (_, at) => words.map((word) => `a ${at} is ${word} of b`).join(' '))
  const hostile = clauses.join('; ').slice(0, 4000)
  const parts = translateParts(hostile)
  expect(characters).toBeLessThan(300_000)
  expect(lookUps).toBeLessThan(2000)
  expect(parts.filter(({ kind }) => kind === 'foreign').length).toBeGreaterThan(0)
  // The next text has all of its own.
  expect(
    translateParts('x is sixth of y')
      .map(({ text }) => text)
      .join(''),
  ).toBe('y: sixth x')
})
