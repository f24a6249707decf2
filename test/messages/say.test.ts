import { expect, it } from 'vitest'
import { settled } from '../../src/cli/remote/transport.ts'
import { contextual, translationsIn } from '../../src/messages/po.ts'
import { inContext, partsOf, plural, say, textOf } from '../../src/messages/say.ts'
import { speaker } from '../../src/messages/speaker.ts'
import { saidInto } from '../../src/messages/translator.ts'
import { PortariaError } from '../../src/platform/errors.ts'
import { asWritten } from '../../src/platform/said.ts'

it('a text has its values at the places of their names', () => {
  const name = 'books'
  expect(say`${{ name }} is revoked`).toEqual({ template: '{name} is revoked', values: { name: 'books' } })
  expect(textOf(say`${{ name }} is revoked`, 'en')).toBe('books is revoked')
  expect(partsOf(say`see ${{ name }}.`, 'en')).toEqual(['see ', 'books', '.'])
})

it('a value that looks like a place or a text stays as it is', () => {
  expect(textOf(say`${{ one: '{two}' }} and ${{ two: 'There is no consumer.' }}`, 'pt')).toBe(
    '{two} and There is no consumer.',
  )
})

it('a text in a text is translated by itself, and one without a translation is in English', () => {
  expect(textOf(say`Look: ${{ what: say`There is no consumer.` }}`, 'pt')).toBe('Look: Não há consumidores.')
})

it.each([
  [0, '0 clouds', '0 clouds'],
  [1, 'one cloud', 'one cloud'],
  [2, '2 clouds', '2 clouds'],
])('%d has its form', (count, english, portuguese) => {
  const said = plural(count, say`one cloud`, say`${{ count }} clouds`)
  expect(textOf(said, 'en')).toBe(english)
  expect(textOf(said, 'pt')).toBe(portuguese)
})

it.each([
  [-3, '-3 dias'],
  [-1, '-1 dia'],
  [0, '0 dia'],
  [1, '1 dia'],
  [2, '2 dias'],
])('in Portuguese %d days are %s', (count, text) => {
  expect(textOf(plural(count, say`1 day`, say`{count} days`), 'pt')).toBe(text)
})

it('a speaker says texts in its language, with their context, those of tables, and templates as they are', () => {
  const [en, t] = [speaker('en'), speaker('pt')]
  const name = 'books'
  expect([en`${{ name }} was moved.`, t`${{ name }} was moved.`]).toEqual(['books was moved.', 'books foi movido.'])
  expect([t`expired`, t.in('certificate')`expired`]).toEqual(['expirada', 'vencido'])
  expect([t.at({ on: say`yes` }, 'on'), t.at({ on: say`yes` }, 'constructor')]).toEqual(['sim', null])
  expect(t.template('{subject} could not be renewed: {detail}', 'overview')).toMatch(/^\{subject\}: .*\{detail\}$/)
})

it('a file of translations is read with contexts, plurals and texts over several lines', () => {
  const file = String.raw`msgid ""
msgstr ""
"Language: pt_BR\n"

#. of a certificate
msgctxt "certificate"
msgid "valid"
msgstr "válido"

msgid "valid"
msgstr "válida"

msgid "one \"event\""
msgid_plural "{count} events"
msgstr[0] "{count} evento"
msgstr[1] "{count} eventos"

msgid ""
"a long "
"text"
msgstr ""
"um texto\n"
"longo"

msgid "not yet"
msgstr ""
`
  expect([...translationsIn(file)]).toEqual([
    [contextual('certificate', 'valid'), 'válido'],
    ['valid', 'válida'],
    ['{count} events', ['{count} evento', '{count} eventos']],
    ['a long text', 'um texto\nlongo'],
  ])
  expect(inContext('certificate', say`valid`)).toMatchObject({ context: 'certificate', template: 'valid' })
})

it('an error has its text in English and before it is in a language', () => {
  const error = new PortariaError('conflict', say`the name ${{ name: 'books' }} is taken`)
  expect([error.message, error.said?.template]).toEqual(['the name books is taken', 'the name {name} is taken'])
  expect(new PortariaError('conflict', 'the name books is taken')).toMatchObject({ message: error.message, said: null })
})

it('of a text of ours the values that are finished texts are translated; names stay', () => {
  const said = say`${{ path: 'checked' }} cannot be written (${{ cause: 'it does not exist' }}): ${{ advice: say`There is no consumer.` }}`
  expect(saidInto('pt', said)).toBe('checked não pode ser gravado (não existe): Não há consumidores.')
  expect(saidInto('en', said)).toBe('checked cannot be written (it does not exist): There is no consumer.')
})

it('a template that another version has is guessed, as the whole text is', () => {
  const said = { template: '{what} {id}', values: { what: 'there is no client', id: 'books' } }
  expect(saidInto('pt', said)).toBe('não há nenhum cliente books')
})

it('other programs get each value as a text, and of a plural the template that is meant', () => {
  const said = say`${{ count: 2 }} files: ${{ why: say`${{ path: '/a' }} is empty` }}`
  expect(asWritten(said)).toEqual({ template: '{count} files: {why}', values: { count: '2', why: '/a is empty' } })
  expect(asWritten(plural(1, say`1 file`, say`${{ count: 1 }} files`)).template).toBe('1 file')
})

it('a problem of the API that has them is an error whose text is looked up', () => {
  const parts = { template: 'there is no client {id}', values: { id: 'books' } }
  const answer = { code: 'not_found', detail: 'there is no client books', ...parts }
  const failed = () => settled('https://gateway.example', 404, Buffer.from(JSON.stringify(answer)))
  expect(failed).toThrow(expect.objectContaining({ message: answer.detail, said: parts, code: 'not_found' }))
})
