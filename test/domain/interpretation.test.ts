import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOfFact, type Fact, type Interpretation } from '../../src/domain/event.ts'
import { compileInterpreter, type ReceivedBody, unparsedInterpretation } from '../../src/domain/interpretation.ts'
import { type KindRule, kindDefaults } from '../../src/domain/kinds.ts'
import { readBodyText } from '../../src/platform/body-text.ts'

type Reading = { rule?: Partial<KindRule> } & Partial<Omit<ReceivedBody, 'body'>>

function read(body: string | Uint8Array, { rule = {}, ...received }: Reading = {}): Interpretation {
  const name = rule.name ?? 'payment'
  const interpret = compileInterpreter({ name, path: '/p', ...kindDefaults(name), ...rule })
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return interpret({
    contentType: 'application/json',
    environment: 'production',
    listener: 'callbacks',
    ...received,
    body: bytes,
  })
}

function only(interpretation: Interpretation): Fact {
  expect(interpretation.facts).toHaveLength(1)
  return interpretation.facts[0] as Fact
}

const hashOf = (fact: Fact | undefined) => (fact?.hash == null ? null : Buffer.from(fact.hash).toString('hex'))
const SPLIT = { split: ['/pix'] }
const facts = (count: number) => `{"pix":[${Array.from({ length: count }, (_, i) => `{"txid":"${i}"}`).join()}]}`

function multipart(fields: Record<string, string>, header = 'X-A: b'): string {
  const part = ([name, value]: [string, string]) =>
    `--X\r\n${header}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  return `${Object.entries(fields).map(part).join('')}--X--\r\n`
}

describe('any bytes', () => {
  it('are read without an error, as at least one fact inside the body', () => {
    const odd = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((json) => Buffer.from(json)),
      fc.tuple(fc.json(), fc.nat(50)).map(([json, cut]) => Buffer.from(json).subarray(cut)),
      fc.json().map((json) => Buffer.from(`{"pix":[${json},${json}]}`)),
    )
    fc.assert(
      fc.property(odd, fc.constantFrom('', '/pix'), (body, split) => {
        const read1 = read(body, { rule: { split: [split] } })
        expect(read1.facts.length).toBeGreaterThan(0)
        for (const fact of read1.facts) expect(bytesOfFact(body, fact.span).length).toBeLessThanOrEqual(body.length)
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['text', 'hello'],
    ['JSON cut short', '{"a":'],
    ['a byte order mark inside JSON', '{\uFEFF"a":1}'],
    ['two values', '{"a":1}{"a":2}'],
    ['a form of two fields', 'aviso=abc&x=1'],
    ['1 MiB of [', '['.repeat(1 << 20)],
    ['1 KiB of white space', ' '.repeat(1024)],
  ])('that are no JSON are one marked fact: %s', (_what, body) => {
    const interpretation = read(body)
    expect(interpretation.mark).toBe('unparsed')
    expect(only(interpretation)).toMatchObject({ kind: 'payment', subject: null, status: null, span: null })
    expect(hashOf(only(interpretation))).not.toBeNull()
  })

  it.each([
    ['in a string', [0x22, 0xff, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['UTF-16 cut short', [...Buffer.from('\ufeff{"a":1}', 'utf16le').subarray(0, -1)]],
  ])('that are not UTF-8 are one marked fact: %s', (_what, bytes) => {
    expect(read(Uint8Array.from(bytes))).toMatchObject({ mark: 'unparsed', facts: [{ kind: 'payment' }] })
  })

  it('whose facts could not be stored are one fact that is never a duplicate', () => {
    expect(unparsedInterpretation('charge', false)).toEqual({
      facts: [{ kind: 'charge', subject: null, status: null, hash: null, span: null, part: 1, parts: 1 }],
      mark: 'unparsed',
    })
  })
})

describe('a probe call', () => {
  it.each(['', ' ', '\r\n\t ', '{}', ' { } ', '{"evento":"teste_webhook"}', '{ "evento" :\n"teste\\u005fwebhook" }'])(
    'is %j, and never a duplicate',
    (body) => {
      const probe = { kind: 'probe', subject: null, status: null, hash: null, span: null, part: 1, parts: 1 }
      expect(read(body)).toEqual({ facts: [probe], mark: null })
    },
  )

  it.each([
    '[]',
    'null',
    '""',
    '0',
    '[{}]',
    '{"evento":"teste"}',
    '{"evento":"TESTE_WEBHOOK"}',
    '{"Evento":"teste_webhook"}',
    '{"evento":"teste_webhook","id":1}',
    '{"evento":["teste_webhook"]}',
    '{"__proto__":{}}',
  ])('is not %s', (body) => {
    expect(only(read(body)).kind).toBe('payment')
  })
})

describe('a token form', () => {
  it.each([
    ['notification=abc-123', 'application/x-www-form-urlencoded', 'abc-123'],
    ['notification=abc', 'Application/X-WWW-Form-Urlencoded; charset=utf-8', 'abc'],
    ['notification=abc\r\n', 'text/plain', 'abc'],
    ['notification=abc%3D', null, 'abc='],
    ['notification=abc==', null, 'abc=='],
    ['notification=%C3%A9+%', null, 'é %'],
    ['notification=é', null, 'é'],
    [`notification=${'a'.repeat(512)}`, null, 'a'.repeat(512)],
    [`notification=${'a'.repeat(513)}`, null, null],
  ])('is %.40j as %s: it says that something is new, so it is never a duplicate', (body, contentType, subject) => {
    const fact = { kind: 'charge', subject, status: null, hash: null, span: null, part: 1, parts: 1 }
    expect(read(body, { rule: { name: 'charge' }, contentType })).toEqual({ facts: [fact], mark: null })
  })

  const resolving = { rule: { name: 'charge' }, resolvesTokens: true }

  it.each([
    ['notification=252948279264ee47e117cb099ef81\r\n', '252948279264ee47e117cb099ef81'],
    ['notification=6fbe8a3c-5d6f-4b71-a1a7-0f6a4a2b6f11', '6fbe8a3c-5d6f-4b71-a1a7-0f6a4a2b6f11'],
    ['notification=abc%3D', 'abc='],
    [`notification=${'a'.repeat(128)}`, 'a'.repeat(128)],
    ['\ufeffnotification=abc', 'abc'],
    ['notification=abc&', 'abc'],
    ['notification=abc&origem=painel', 'abc'],
    ['x=1&notification=abc&notification=abc', 'abc'],
    ['{"notification":"abc"}', 'abc'],
    [' {"origem":"painel", "notification": "abc"}\n', 'abc'],
    ['{"notification":{"token":"abc"}}', 'abc'],
    ['{"notification":{"token":"abc","entries":[]}}', 'abc'],
    [multipart({ notification: 'abc' }), 'abc'],
    [multipart({ origem: 'painel', notification: 'abc' }).replaceAll('\r\n', '\n'), 'abc'],
    [multipart({ notification: 'abc\r\n' }).replace('"notification"', 'notification'), 'abc'],
    [multipart({ notification: 'abc' }, 'Content-Type: text/plain; charset=utf-8').replace(/--\r\n$/, ''), 'abc'],
  ])('is a token to ask for where the environment resolves tokens: %.60j', (body, notificationToken) => {
    expect(read(body, resolving)).toEqual({ facts: [], mark: null, notificationToken })
    const rule = { name: 'charge', accounts: [{ pointers: ['/chave'], values: ['1'] }] }
    expect(read(body, { ...resolving, rule })).toEqual({ facts: [], mark: null, notificationToken })
    expect(read(body, { resolvesTokens: true }).notificationToken).toBeUndefined()
  })

  it.each([
    ...[
      '..',
      '.',
      '.a',
      'a/b',
      'a%2Fb',
      '..%2F..%2Fcharge',
      '%2e%2e',
      'a%00b',
      'a%0D%0Ab',
      'a+b',
      'a%20b',
      'a?x=1',
      'a#b',
    ],
    ...['a%25', 'a\\b', 'é', '%F0%9F%92%A9', 'a;b', '{}', `${'a'.repeat(129)}`, '%', '=%2F'],
  ])('whose token has other characters, or too many, never becomes a path at the service: %.40j', (token) => {
    const { notificationToken, facts, mark } = read(`notification=${token}`, resolving)
    expect([notificationToken, facts.length, mark]).toEqual([undefined, 1, null])
  })

  it.each([
    'notification=',
    'notification=a&notification=b',
    'Notification=a',
    `notification=${'a'.repeat(8200)}`,
    multipart({ notification: '' }),
    multipart({ notifications: 'a' }),
    '--notification=a',
  ])('is not %.40s', (body) => {
    const { mark, notificationToken } = read(body, resolving)
    expect([mark, notificationToken]).toEqual(['unparsed', undefined])
  })

  it.each([
    '{"notification":{"token":"a","entries":[{"id":1}]}}',
    '{"notification":""}',
    '{"notification":7}',
    '{"notification":["a"]}',
    '{"notification":{"token":"a","entries":{}}}',
  ])('in JSON is not %s', (body) => {
    const { mark, notificationToken, facts } = read(body, resolving)
    expect([mark, notificationToken, facts.length]).toEqual([null, undefined, 1])
  })

  it('in JSON is never a duplicate; of another kind it is a fact like any other', () => {
    const body = '{"notification":"abc"}'
    const hashes = ['charge', 'payment'].map((name) => only(read(body, { rule: { name } })).hash)
    expect(hashes).toEqual([null, expect.any(Uint8Array)])
  })
})

describe('subject and status', () => {
  it.each([
    ['{"identificador":"A1","status":{"atual":"FEITO"}}', 'A1', 'FEITO'],
    ['{"idPagamento":150.10,"status":"LIQUIDADO"}', '150.10', 'LIQUIDADO'],
    ['{"idPagamento":12345678901234567890123}', '12345678901234567890123', null],
    ['{"idPagamento":1e400}', '1e400', null],
    ['{"idPagamento":-0}', '-0', null],
    ['{"contaSimplificada":{"identificador":"C"},"status":{"atual":"ABERTA"}}', 'C', 'ABERTA'],
    ['{"charge_id":7,"status":{"current":"paid","previous":"waiting"}}', '7', 'paid'],
    ['{"identifiers":{"charge_id":8},"status":{"current":"new"}}', '8', 'new'],
    ['{"identifiers":{"subscription_id":9,"charge_id":8}}', '8', null],
    ['{"identifiers":{"carnet_id":10,"charge_id":8}}', '8', null],
    ['{"identifiers":{"subscription_id":9}}', '9', null],
    ['{"identifiers":{"carnet_id":10}}', '10', null],
    ['{"carnet_id":10,"status":"up_to_date"}', '10', 'up_to_date'],
    ['{"charge_id":8,"carnet_id":10}', '8', null],
    ['{"endToEndId":"E1"}', 'E1', null],
    ['{"txid":"T"}', 'T', null],
    ['{"idRec":"R","evento":"rec_criada"}', 'R', 'rec_criada'],
    ['{"identificador":"","idPagamento":"9"}', '9', null],
    ['{"identificador":null,"status":null}', null, null],
    ['{"identificador":true,"status":["x"]}', null, null],
    ['{"identificador":{"a":1},"txid":"T"}', 'T', null],
    [`{"identificador":"${'x'.repeat(513)}"}`, null, null],
    [`{"identificador":"${'x'.repeat(512)}"}`, 'x'.repeat(512), null],
    [`{"identificador":${'1'.repeat(513)}}`, null, null],
    ['{"identificador":"a\\u0000b"}', 'a\0b', null],
    ['{"identificador":"\\ud800"}', '\ud800', null],
    ['{"identificador":1,"identificador":2}', '2', null],
    ['{"\\u0074xid":"T"}', 'T', null],
  ])('of %.60s are %.20j and %j', (body, subject, status) => {
    expect(only(read(body))).toMatchObject({ kind: 'payment', subject, status })
  })

  it('are looked for in the fact first, then in its envelope', () => {
    const body = '{"idRec":"outer","status":"S","pix":[{"txid":"own"},{},{"status":"inner"}]}'
    const { facts } = read(body, { rule: SPLIT })
    expect(facts.map(({ subject, status }) => [subject, status])).toEqual([
      ['own', 'S'],
      ['outer', 'S'],
      ['outer', 'inner'],
    ])
  })
})

describe('references to charges', () => {
  const references = (body: string, name = 'charge') =>
    read(body, { rule: { name } }).facts.map((fact) => fact.references)

  it.each([
    ['{"charge_id":7,"subscription_id":9}', { charge: '7', subscription: '9' }],
    ['{"charge_id":12345678901234567890}', { charge: '12345678901234567890', subscription: null }],
    ['{"charge_id":"7"}', { charge: '7', subscription: null }],
    ['{"identifiers":{"charge_id":8,"subscription_id":9}}', { charge: '8', subscription: '9' }],
    ['{"identifiers":{"subscription_id":9}}', { charge: null, subscription: '9' }],
    ['{"identifiers":{"carnet_id":10}}', undefined],
    ['{"charge_id":null,"custom_id":"7"}', undefined],
    ['{"a":1}', undefined],
    ['notification=abc', undefined],
  ])('of %s are %j, and those of another kind none', (body, expected) => {
    expect([references(body), references(body, 'payment')]).toEqual([[expected], [undefined]])
  })

  it('are read from the fact, then from its envelope', () => {
    const body = '{"charge_id":1,"data":[{"subscription_id":2},{"identifiers":{"charge_id":3}},{}],"subscription_id":4}'
    expect(references(body)).toEqual([
      { charge: '1', subscription: '2' },
      { charge: '3', subscription: '4' },
      { charge: '1', subscription: '4' },
    ])
  })
})

describe('splitting', () => {
  it.each([
    [1, 1, null],
    [2, 2, null],
    [1000, 1000, null],
    [1001, 1, 'unsplit'],
  ])('of %i facts makes %i, mark %j', (count, made, mark) => {
    const interpretation = read(facts(count), { rule: SPLIT })
    expect(interpretation.mark).toBe(mark)
    expect(interpretation.facts).toHaveLength(made)
    expect(interpretation.facts.map((fact) => fact.part)).toEqual([...Array(made).keys()].map((i) => i + 1))
  })

  it.each([
    [64, null],
    [65, 'unsplit'],
  ])('of %i levels is marked %j', (levels, mark) => {
    const interpretation = read('['.repeat(levels) + ']'.repeat(levels))
    expect(interpretation.mark).toBe(mark)
    expect(only(interpretation).span).toBeNull()
  })

  it.each([
    ['an empty array', '{"pix":[],"txid":"T"}', ['/pix']],
    ['a text', '{"pix":"x","txid":"T"}', ['/pix']],
    ['nothing there', '{"txid":"T"}', ['/pix', '/a/b']],
  ])('needs facts: %s leaves the whole body', (_what, body, split) => {
    expect(only(read(body, { rule: { split } }))).toMatchObject({ subject: 'T', span: null, parts: 1 })
  })

  it('takes the first pointer that names an array, a root array and the entries of a charge', () => {
    const of = (body: string, rule: Partial<KindRule>) => read(body, { rule }).facts.map((fact) => fact.subject)
    expect(of('{"a":1,"b":[{"txid":"1"},{"txid":"2"}],"c":[]}', { split: ['/a', '/b', '/c'] })).toEqual(['1', '2'])
    expect(of('[{"txid":"1"},{"txid":"2"}]', { split: [''] })).toEqual(['1', '2'])
    expect(of('{"notification":{"entries":[{"charge_id":1},{"charge_id":2}]}}', { name: 'charge' })).toEqual(['1', '2'])
    expect(of('[{"txid":"1"},{"txid":"2"}]', { split: [] })).toEqual([null])
  })

  it('copies what it takes as it was written', () => {
    const body = Buffer.from('{ "v":1.0, "pix" : [ {"valor": 150.10} , 1e400 ], "pix2":[] }')
    const { facts } = read(body, { rule: SPLIT })
    expect(facts.map((fact) => bytesOfFact(body, fact.span).toString())).toEqual([
      '{ "v":1.0, "pix" : [{"valor": 150.10}], "pix2":[] }',
      '{ "v":1.0, "pix" : [1e400], "pix2":[] }',
    ])
  })

  it('reads a large envelope once and not once for every fact', () => {
    const many = Array.from({ length: 40_000 }, (_, i) => `"k${i}":1`).join()
    // Once for every fact it takes a minute, and the test its time limit.
    expect(read(`{"pix":[${Array(1000).fill('{}').join()}],${many}}`, { rule: SPLIT }).facts).toHaveLength(1000)
  })
})

describe('an object in place of an array', () => {
  const rule = { split: ['/pix'], accounts: [{ pointers: ['/chave'], values: ['own'] }] }

  it('is one fact: the whole body, with the subject and the account of the object', () => {
    const fact = only(read('{"pix":{"endToEndId":"E1","status":"DONE","chave":"own"}}', { rule }))
    expect(fact).toMatchObject({ subject: 'E1', status: 'DONE', span: null, part: 1, parts: 1 })
    expect(fact).not.toHaveProperty('quarantine')
  })

  it('is quarantined where its account is foreign or missing', () => {
    expect(only(read('{"pix":{"chave":"other"}}', { rule })).quarantine).toBe('account_foreign')
    expect(only(read('{"pix":{"txid":"t"}}', { rule })).quarantine).toBe('account_missing')
  })

  it('may have its account in the envelope, or at a pointer through it', () => {
    expect(only(read('{"pix":{"txid":"t"},"chave":"own"}', { rule }))).not.toHaveProperty('quarantine')
    const through = { ...rule, accounts: [{ pointers: ['/pix/chave'], values: ['own'] }] }
    expect(only(read('{"pix":{"chave":"own"}}', { rule: through }))).not.toHaveProperty('quarantine')
  })

  it('counts only where no pointer names an array, and never at the root', () => {
    const two = { split: ['/pix', '/data'] }
    expect(read('{"pix":{"txid":"o"},"data":[{"txid":"a"},{"txid":"b"}]}', { rule: two }).facts).toHaveLength(2)
    expect(only(read('{"txid":"whole"}', { rule: { split: [''] } })).subject).toBe('whole')
  })
})

describe('a body with a byte order mark or in another charset', () => {
  const text = '{"pix":[{"endToEndId":"E1","chave":"own","info":"Jo\u00e3o"},{"endToEndId":"E2","chave":"own"}]}'
  const rule = { split: ['/pix'], accounts: [{ pointers: ['/chave'], values: ['own'] }] }
  const bigEndian = (of: string) => Buffer.from(of, 'utf16le').swap16()

  it.each([
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`), 'application/json'],
    ['UTF-16 with a mark, little end first', Buffer.from(`\ufeff${text}`, 'utf16le'), 'application/json'],
    ['UTF-16 with a mark, big end first', bigEndian(`\ufeff${text}`), null],
    ['UTF-16LE by its charset', Buffer.from(text, 'utf16le'), 'application/json; charset=utf-16le'],
    ['UTF-16 by its charset', bigEndian(text), 'application/json; charset=UTF-16'],
    ['ISO-8859-1', Buffer.from(text, 'latin1'), 'application/json; charset=ISO-8859-1'],
    ['windows-1252', Buffer.from(text, 'latin1'), 'application/json;charset="windows-1252"; x=y'],
  ])('%s is read as in UTF-8, and its parts are bytes of it', (_what, body, contentType) => {
    const { facts: found, mark } = read(body, { rule, contentType })
    const plain = read(text, { rule }).facts
    expect({ mark, found: found.map(({ span, ...rest }) => rest) }).toEqual({
      mark: null,
      found: plain.map(({ span, ...rest }) => rest),
    })
    const parts = found.map(({ span }) => readBodyText(bytesOfFact(body, span), contentType)?.text)
    expect(parts).toEqual(plain.map(({ span }) => Buffer.from(bytesOfFact(Buffer.from(text), span)).toString()))
  })

  it('is reported in a thousand parts beyond ASCII without reading them again for each', () => {
    const many = `{"pix":[${Array.from({ length: 1000 }, (_, i) => `{"txid":"\u{1f600}${i}"}`).join()}]}`
    const body = Buffer.from(`\ufeff${many}`, 'utf16le')
    const last = read(body, { rule: SPLIT }).facts[999]
    expect(readBodyText(bytesOfFact(body, last?.span ?? null), null)?.text).toBe('{"pix":[{"txid":"\u{1f600}999"}]}')
  })

  it('may be a test call, a token or blank', () => {
    const mark = Buffer.from('\ufeff')
    const marked = (body: string) => Buffer.concat([mark, Buffer.from(body)])
    expect(only(read(marked('{"evento":"teste_webhook"}'))).kind).toBe('probe')
    expect(only(read(mark)).kind).toBe('probe')
    expect(only(read(Buffer.from('\ufeff{}', 'utf16le'))).kind).toBe('probe')
    const token = read(marked('notification=abc'), { rule: { name: 'charge' }, resolvesTokens: true })
    expect(token.notificationToken).toBe('abc')
  })

  it.each([
    ['no charset', 'application/json'],
    ['an unknown charset', 'application/json; charset=nothing'],
    ['a charset of several bytes a character', 'application/json; charset=shift_jis'],
    ['the wrong charset', 'application/json; charset=utf-8'],
  ])('is unparsed with %s', (_what, contentType) => {
    expect(read(Buffer.from(text, 'latin1'), { rule, contentType }).mark).toBe('unparsed')
  })

  it('that is UTF-8 in spite of its charset is read as UTF-8', () => {
    expect(only(read('{"txid":"\u00e3"}', { contentType: 'application/json; charset=latin1' })).subject).toBe('\u00e3')
  })
})

describe('the hash of a fact', () => {
  const hashes = (body: string, reading: Reading = { rule: SPLIT }) => read(body, reading).facts.map(hashOf)

  it('is the same for an item alone and among others of an equal envelope', () => {
    const [alone] = hashes('{"v":1,"pix":[{"a":1}]}')
    expect(hashes('{"v":1,"pix":[ {"b":2} , {"a":1} ]}')[1]).toBe(alone)
    expect(hashes('{"v":1,"pix":[ {"a":1}]}')[0]).toBe(alone)
    expect(hashes('{"v":2,"pix":[{"a":1}]}')[0]).not.toBe(alone)
    expect(hashes('{"v":1,"pix":[{"a":1.0}]}')[0]).not.toBe(alone)
  })

  it('differs by kind, environment and listener', () => {
    const variants: Reading[] = [{}, { rule: { name: 'other' } }, { environment: 'sandbox' }, { listener: 'charges' }]
    for (const body of ['{"a":1}', 'no json', '{"pix":[{"a":1},{"a":2}]}']) {
      const seen = variants.map((variant) => hashes(body, { ...variant, rule: { ...SPLIT, ...variant.rule } })[0])
      expect(new Set(seen).size).toBe(variants.length)
    }
  })

  it('is of the configured pointers where all of them name something', () => {
    const rule = { ...SPLIT, deduplicateBy: ['/endToEndId', '/status'] }
    const [first] = hashes('{"pix":[{"endToEndId":"E","status":"A","hora":1}]}', { rule })
    expect(hashes('{"x":1,"pix":[{"hora":2,"status":"A","endToEndId":"E"}]}', { rule })[0]).toBe(first)
    expect(hashes('{"pix":[{"endToEndId":"E","status":"B"}]}', { rule })[0]).not.toBe(first)
    expect(hashes('{"pix":[{"endToEndId":"EA","status":""}]}', { rule })[0]).not.toBe(first)
  })

  it('is of the bytes where one of the configured pointers names nothing, for a part of a key would hide other facts', () => {
    const rule = { deduplicateBy: ['/endToEndId', '/devolucao'] }
    const bodies = ['{"endToEndId":"E","valor":1}', '{"endToEndId":"E","valor":2}']
    expect(new Set(bodies.flatMap((body) => hashes(body, { rule }))).size).toBe(2)
    expect(hashes(bodies[0] ?? '', { rule })).toEqual(hashes(bodies[0] ?? '', {}))
  })

  it('tells two charges apart that have equal status and second', () => {
    const entry = (id: number) => `{"charge_id":${id},"status":{"current":"paid"},"created_at":"2026-01-15 12:00:00"}`
    const body = `{"notification":{"token":"t","entries":[${entry(1)},${entry(2)}]}}`
    expect(new Set(hashes(body, { rule: { name: 'charge' } })).size).toBe(2)
  })
})

describe('a kind whose path says what a fact is about', () => {
  const rule = { path: '/of/{version}/consents/{consentId}', subject: [] }
  const BODY = '{"data":{"timestamp":"2026-11-27T08:30:00Z"}}'
  const at = (target: string, body = BODY) => only(read(body, { rule, target }))

  it('has the subject from there', () => {
    expect(at('/of/v4/consents/urn%3Abank%3AC1')).toMatchObject({ kind: 'payment', subject: 'urn:bank:C1' })
    expect(at('/of/v4/consents/C1', 'not JSON')).toMatchObject({ subject: 'C1' })
    expect(at(`/of/v4/consents/${'C'.repeat(513)}`).subject).toBeNull()
  })

  it('prefers the subject that its pointers find', () => {
    expect(
      only(read('{"id":"F"}', { rule: { ...rule, subject: ['/id'] }, target: '/of/v4/consents/C1' })).subject,
    ).toBe('F')
  })

  it('tells equal bodies about two of them apart, and recognizes a repetition', () => {
    const [first, other, again] = ['C1', 'C2', 'C1'].map((id) => hashOf(at(`/of/v4/consents/${id}`)))
    expect(first).not.toBe(other)
    expect(again).toBe(first)
  })

  it('leaves a probe without a subject', () => {
    expect(at('/of/v4/consents/C1', '{}')).toMatchObject({ kind: 'probe', subject: null, hash: null })
  })
})
