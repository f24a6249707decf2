import { expect, it } from 'vitest'
import { valuesIn } from '../../src/messages/templates.ts'

it.each([
  ['{a}, {b}', 'x, y, z', { a: 'x', b: 'y, z' }],
  ['{a}: {b}.', ': x. y.', null],
  ['{a}: {b}.', 'x: y: z. ..', { a: 'x', b: 'y: z. .' }],
  ['{a} b', ' b', null],
  ['{a} b', ' b b', { a: ' b' }],
  ['{a} b {a}', 'x b x', { a: 'x' }],
  ['{a} b {a}', 'x b xx', null],
  ['{a} b {a}!', 'x b x!', { a: 'x' }],
  ['a {b}', 'a \n(.+)+$', { b: '\n(.+)+$' }],
  ['no place', 'no place', {}],
])('%s in %s', (template, text, values) => expect(valuesIn(template, text)).toEqual(values))

it('a text that is made for a template is read at once', () => {
  const name = '; issued by x; valid until x; x; x'.repeat(1000)
  expect(valuesIn('certificate: {a}; issued by {b}; valid until {c}; {d}; {e}.', `certificate: x${name}`)).toBeNull()
})
