import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AccountMatch, type AccountRule, compileAccounts } from '../../src/domain/accounts.ts'
import type { Fact } from '../../src/domain/event.ts'
import { compileInterpreter } from '../../src/domain/interpretation.ts'
import { kindDefaults } from '../../src/domain/kinds.ts'

const RULE: AccountRule = { pointers: ['/conta/numero', '/chave'], values: ['012345-6', '777', 'pix@shop.example'] }

function standingOf(json: string, rules: readonly AccountRule[] = [RULE]): AccountMatch | undefined {
  const body = Buffer.from(json)
  return compileAccounts(rules)?.(body, { span: { start: 0, end: body.length }, value: JSON.parse(json) })
}

describe('a fact', () => {
  it.each([
    ['{"conta":{"numero":"012345-6"}}', 'own'],
    ['{"chave":"pix@shop.example"}', 'own'],
    ['{"conta":{"numero":"999"},"chave":"777"}', 'own'],
    ['{"chave":777}', 'own'],
    ['{"chave":"777"}', 'own'],
    ['{"chave":"\\u0037\\u0037\\u0037"}', 'own'],
    ['{"chave":777.0}', 'account_foreign'],
    ['{"chave":7.77e2}', 'account_foreign'],
    ['{"conta":{"numero":"12345-6"}}', 'account_foreign'],
    ['{"conta":{"numero":" 012345-6"}}', 'account_foreign'],
    ['{"chave":"Pix@shop.example"}', 'account_foreign'],
    ['{"chave":"777","chave":"888"}', 'account_foreign'],
    ['{"chave":""}', 'account_foreign'],
    ['{"chave":["777"]}', 'account_foreign'],
    ['{"chave":{"777":"777"}}', 'account_foreign'],
    ['{"chave":true}', 'account_foreign'],
    ['{"chave":null}', 'account_missing'],
    ['{"conta":"777"}', 'account_missing'],
    ['{"outra":"777"}', 'account_missing'],
    ['["777"]', 'account_missing'],
    ['"777"', 'account_missing'],
    ['null', 'account_missing'],
  ])('%s is %s', (json, expected) => {
    expect(standingOf(json)).toBe(expected)
  })

  it.each([
    ['12.345.678/0001-95', '12345678000195'],
    ['12345678/0001-95', '12345678000195'],
    ['12.abc.345/01de-35', '12ABC34501DE35'],
    ['123.456.789-09', '12345678909'],
    ['+55 (11) 98765-4321', '+5511987654321'],
    ['(11) 98765-4321', '+5511987654321'],
    ['Pix@Shop.Example', 'pix@shop.example'],
    ['7F1C2B3A-0000-4000-8000-0123456789AB', '7f1c2b3a-0000-4000-8000-0123456789ab'],
  ])('names the key that people write as %s as %s', (written, chave) => {
    const rule = { pointers: ['/chave'], values: [written] }
    const standing = (one: string) => standingOf(JSON.stringify({ chave: one }), [rule])
    expect([standing(chave), standing(written), standing(`${chave}0`)]).toEqual(['own', 'own', 'account_foreign'])
  })

  it.each([
    ['01234-56', '012345-6'],
    ['012345-6', '0123456'],
    ['0001 12345-6', '0001123456'],
    ['Loja', 'loja'],
  ])('is compared as written where the value is no key: %s is not %s', (written, chave) => {
    expect(standingOf(JSON.stringify({ chave }), [{ pointers: ['/chave'], values: [written] }])).toBe('account_foreign')
  })

  it('may name any account where no rule asks', () => {
    expect(standingOf('{"chave":"999"}', [])).toBeUndefined()
  })

  it('is own by one rule alone, and a value of one rule says nothing at the pointers of another', () => {
    const rules = [
      { pointers: ['/a'], values: ['1'] },
      { pointers: ['/b'], values: ['2'] },
    ]
    expect(['{"a":"1"}', '{"b":2}', '{"a":"2"}', '{"a":"2","b":"1"}'].map((json) => standingOf(json, rules))).toEqual([
      'own',
      'own',
      'account_foreign',
      'account_foreign',
    ])
  })

  it('keeps large numbers apart that JavaScript takes for one', () => {
    const rule = { pointers: ['/n'], values: ['12345678901234567890'] }
    expect(standingOf('{"n":12345678901234567890}', [rule])).toBe('own')
    expect(standingOf('{"n":12345678901234567891}', [rule])).toBe('account_foreign')
  })

  it('is own exactly if one of the pointers leads to one of the values as it is written', () => {
    const names = fc.constantFrom('a', 'b', 'c')
    const values = fc.constantFrom('1', '2', '01', 'x')
    const written = fc.oneof(
      values.map((text) => ({ text, json: JSON.stringify(text) })),
      fc.constantFrom('1', '2').map((text) => ({ text, json: text })),
      fc.constant({ text: null, json: 'null' }),
    )
    const someRules = fc.array(
      fc.record({ pointers: fc.array(names, { minLength: 1 }), values: fc.array(values, { minLength: 1 }) }),
      { minLength: 1, maxLength: 3 },
    )
    fc.assert(
      fc.property(fc.dictionary(names, written), someRules, (members, rules) => {
        const json = `{${Object.entries(members)
          .map(([name, { json: text }]) => `${JSON.stringify(name)}:${text}`)
          .join()}}`
        const said = rules.flatMap((rule) =>
          rule.pointers.map((name) => ({ rule, text: Object.hasOwn(members, name) ? members[name]?.text : null })),
        )
        const isOwn = said.some(({ rule, text }) => typeof text === 'string' && rule.values.includes(text))
        const isNamed = said.some(({ text }) => typeof text === 'string')
        const pointers = rules.map((rule) => ({ ...rule, pointers: rule.pointers.map((name) => `/${name}`) }))
        expect(standingOf(json, pointers)).toBe(isOwn ? 'own' : isNamed ? 'account_foreign' : 'account_missing')
      }),
    )
  })
})

describe('a callback of a kind with accounts', () => {
  function read(body: string | Uint8Array, { split = ['/pix'], accounts = [RULE] } = {}): readonly Fact[] {
    const interpret = compileInterpreter({ name: 'payment', path: '/p', ...kindDefaults('payment'), split, accounts })
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    return interpret({ body: bytes, contentType: null, environment: 'production', listener: 'callbacks' }).facts
  }
  const held = (...args: Parameters<typeof read>) => read(...args).map(({ quarantine }) => quarantine ?? 'in')

  it.each([
    ['a whole fact', '{"chave":"777"}', ['in']],
    ['a whole foreign fact', '{"chave":"8"}', ['account_foreign']],
    ['one entry', '{"pix":[{"chave":"777"}]}', ['in']],
    ['several', '{"pix":[{"chave":"777"},{"chave":"8"},{}]}', ['in', 'account_foreign', 'account_missing']],
    ['an envelope that speaks for them', '{"chave":"777","pix":[{},{"n":1}]}', ['in', 'in']],
    ['a foreign envelope', '{"chave":"8","pix":[{},{"chave":"777"}]}', ['account_foreign', 'in']],
    ['an entry that says otherwise', '{"chave":"777","pix":[{"chave":"8"},{"chave":null}]}', ['account_foreign', 'in']],
    ['an empty array', '{"chave":"777","pix":[]}', ['in']],
    ['scalars', '{"pix":["777"]}', ['account_missing']],
  ])('is judged by entry: %s', (_what, body, expected) => {
    expect(held(body)).toEqual(expected)
  })

  it('never takes what one entry says for all of them', () => {
    const accounts = [{ pointers: ['/pix/0/chave'], values: ['777'] }]
    expect(held('{"pix":[{"chave":"777"},{"chave":"8"}]}', { accounts })).toEqual([
      'account_missing',
      'account_missing',
    ])
    const root = [{ pointers: ['/0/chave'], values: ['777'] }]
    expect(held('[{"chave":"777"},{"chave":"8"}]', { split: [''], accounts: root })).toEqual([
      'account_missing',
      'account_missing',
    ])
  })

  it.each([
    ['no JSON', 'hello'],
    ['JSON cut short', '{"chave":"777"'],
    ['a charge token', 'notification=abc'],
    ['too many entries', `{"chave":"777","pix":[${Array(1001).fill('{}').join()}]}`],
    ['too deep', `{"chave":"777","x":${'['.repeat(70)}${']'.repeat(70)}}`],
    ['other bytes', Uint8Array.of(0xff, 0x00)],
  ])('that was not read is held back: %s', (_what, body) => {
    expect(held(body)).toEqual(['account_missing'])
  })

  it.each(['', '{}', '{"evento":"teste_webhook"}'])('is still a probe: %j', (body) => {
    expect(read(body)).toEqual([
      { kind: 'probe', subject: null, status: null, hash: null, span: null, part: 1, parts: 1 },
    ])
  })

  it('differs in nothing else from one of a kind without', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.json().map((json) => `{"pix":[${json},{"chave":777}]}`),
        ),
        (body) => {
          const facts = read(body).map(({ quarantine: _held, ...fact }) => fact)
          expect(facts).toEqual(read(body, { accounts: [] }))
        },
      ),
    )
  })
})
