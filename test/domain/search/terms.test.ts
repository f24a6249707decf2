import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { amountOf } from '../../../src/domain/search/amounts.ts'
import { MAX_TERMS, termsOf } from '../../../src/domain/search/terms.ts'
import { plainText } from '../../../src/domain/search/words.ts'
import { CALLBACK_TEXTS, type CallbackKind, isFound, valuesIn } from '../../support/search-callbacks.ts'

const ALL = { exclude: [] }

interface Given {
  readonly contentType?: string | null
  readonly subject?: string | null
  readonly exclude?: string[]
}

function terms(body: string | Uint8Array, { contentType = null, subject = null, exclude = [] }: Given = {}) {
  return termsOf({ body: typeof body === 'string' ? Buffer.from(body) : body, contentType, subject }, { exclude })
}

const finds = (text: string, body: string | Uint8Array, given?: Given) => isFound(text, terms(body, given))
const hasLetterOrDigit = (text: string) => /[\p{L}\p{N}]/u.test(plainText(text))

/** Whether a beginning reads as an amount, although more digits follow, as in 123.456.789-00. */
function isAmountWithin(text: string, length: number): boolean {
  return amountOf(text.slice(0, length).toLowerCase())?.isCertain === true && /\d/.test(text[length] ?? '')
}

describe('The callbacks of every known kind', () => {
  const values = (Object.entries(CALLBACK_TEXTS) as [CallbackKind, string][]).flatMap(([kind, text]) =>
    valuesIn(text).map((value) => [kind, value] as const),
  )

  test.each(values)('%s: %s is found as written, in upper case, and by its beginnings', (kind, value) => {
    const found = terms(CALLBACK_TEXTS[kind])
    expect(
      [value, value.toUpperCase(), value.toLowerCase(), ` "${value}", `].filter((text) => !isFound(text, found)),
    ).toEqual([])
    // Of one word; amounts are compared whole.
    if (/\s|^\d+[.,]\d\d$/.test(value)) return
    const beginnings = Array.from({ length: value.length - 4 }, (_, i) => i + 4)
      .filter((length) => !isAmountWithin(value, length))
      .map((length) => value.slice(0, length))
    expect(
      beginnings.filter((text) => text.replaceAll(/[^\p{L}\p{N}]/gu, '').length >= 4 && !isFound(text, found)),
    ).toEqual([])
  })

  test.each([
    ['instantPayment', ['12345678909', '123.456.789-09', '123456789-09', '123 456 789 09', '123.456']],
    ['instantPayment', ['12.345.678/0001-95', '12345678000195', '12.345.678', '12 345 678 0001 95']],
    [
      'instantPayment',
      ['conceicao', 'CONCEIÇÃO', 'davila', "d'avila", 'D’Ávila', 'avila munoz', 'Muñoz conceicao', 'conc muño'],
    ],
    [
      'instantPayment',
      ['conceicao.avila@example.com', 'Conceicao.Avila@Example.COM', 'conceicao.avila', 'example.com'],
    ],
    ['instantPayment', ['(11) 98765-4321', '+5511987654321', '5511 98765 4321', '98765-4321', '987654321', '5511987']],
    ['instantPayment', ['99.90', '99,90', 'R$ 99,90', 'R$99,90', 'r$ 99.9', '99,9', 'azul', 'tamanho']],
    ['instantPayment', ['e00416968202603021234abcdefghijk', 'E00416968', '7978C0C9', 'pix@shop.example', 'pix']],
    [
      'openBanking',
      ['1234.56', '1234,56', '1.234,56', '1,234.56', 'R$ 1.234,56', '0b3c7a4e6f5d', 'meu_pedido-9', 'pedido'],
    ],
    [
      'payment',
      ['150.10', '150,10', 'R$ 150,10', '150.1', '15010', 'PR-2026/00042', 'pr202600042', 'saldo insuficiente'],
    ],
    [
      'payment',
      ['00190000090123456789012345678901110010000015010', '00190.00009 01234.567890', '2026-03-02', '0019110010'],
    ],
    [
      'charge',
      [
        '150.10',
        '150,10',
        'R$ 150,10',
        '15010',
        '15010,00',
        '1000001',
        '52371',
        'pedido 77/b',
        'Pedido nº 77/B',
        '77/B',
      ],
    ],
  ] as const)('%s is found by equivalent forms', (kind, texts) => {
    const found = terms(CALLBACK_TEXTS[kind])
    expect(texts.filter((text) => !isFound(text, found))).toEqual([])
  })

  test.each([
    [
      'instantPayment',
      ['12345678908', '99.91', '9990,00', 'conceicaoo', '987654322', 'endToEndId', 'pagador', 'con', '0041696'],
    ],
    ['payment', ['150.11', 'R$ 15,01', '190,00', '1.234,56', 'identificador', 'protocolo', 'true']],
  ] as const)('%s is not found by others, nor by the names of its members', (kind, texts) => {
    const found = terms(CALLBACK_TEXTS[kind])
    expect(texts.filter((text) => isFound(text, found))).toEqual([])
  })
})

describe('Every value', () => {
  const word = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((text) => hasLetterOrDigit(text) && !/^[^a-z]*(evt|dlv)_/i.test(text))
  const pieceOfAmount = fc.oneof(
    fc.constantFrom('R$', 'r$ ', '$', '.', ',', '-', '(', ' ', 'ƀ', '½'),
    fc.stringMatching(/^\d{1,13}$/),
  )
  const amount = fc
    .array(pieceOfAmount, { maxLength: 7 })
    .map((pieces) => pieces.join(''))
    .filter(hasLetterOrDigit)
  const value = fc.oneof(word, fc.string({ maxLength: 60 }).filter(hasLetterOrDigit), amount)
  /** What fits into a query. */
  const fits = (text: string) =>
    text.length <= 200 &&
    hasLetterOrDigit(plainText(text).replaceAll('r$', '')) &&
    text.trim().split(/\s+/).length <= 10 &&
    !/(evt|dlv)_/i.test(text)

  test('is found by its own text, wherever it is in the payload', () => {
    fc.assert(
      fc.property(value.filter(fits), fc.jsonValue({ maxDepth: 2 }), fc.boolean(), (text, other, isEscaped) => {
        const json = JSON.stringify(text)
        const written = isEscaped
          ? json.replaceAll(/[^\x00-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
          : json
        expect(finds(text, `{"a" : [ ${JSON.stringify(other)} , {"b":${written}}]}`)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test.each(['Dʼávila', "D'Ávila", 'd’avila', 'davila', 'D ávila'])('Dʼávila is found by %s', (text) => {
    expect(finds(text, JSON.stringify({ name: 'Maria Dʼávila' }))).toBe(true)
  })

  test.each(['R$150', 'R$ 150', 'r$0', '(R$ 1200)', 'R$ 0150', 'Total: R$150.'])('%s is found as written', (text) => {
    expect(finds(text, JSON.stringify({ text }))).toBe(true)
    expect(finds('R$ 151', JSON.stringify({ text }))).toBe(false)
  })

  test('of one word is found by each beginning of four characters or more', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]{4,50}$/), (text) => {
        const found = terms(JSON.stringify({ text }))
        for (let length = 4; length <= text.length; length++) {
          const start = text.slice(0, length)
          if (start.replaceAll(/[^a-zA-Z0-9]/g, '').length < 4 || /(evt|dlv)_|r\$/i.test(text)) continue
          if (isAmountWithin(text, length)) continue
          expect([start, isFound(start, found)]).toEqual([start, true])
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('that is a number is found as it was written', () => {
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.integer({ min: 0 }),
        fc.constantFrom('', '.5', '.10', '.123', '.0000'),
        fc.constantFrom('', 'e400', 'E-7', 'e+10'),
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(number, (text) => {
        expect([text, finds(text, `{"n":${text},"m":1}`)]).toEqual([text, true])
      }),
    )
  })

  test('that is an amount is found in each way to write it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999_999_99 }), (cents) => {
        const units = String(Math.trunc(cents / 100))
        const rest = String(cents % 100).padStart(2, '0')
        const grouped = (mark: string) => units.replaceAll(/\B(?=(\d{3})+$)/g, mark)
        const forms = [`${units}.${rest}`, `${units},${rest}`, `R$ ${grouped('.')},${rest}`, `${grouped(',')}.${rest}`]
        const bodies = [
          ...forms.map((form) => `{"v":"${form}"}`),
          `{"v":${units}.${rest}}`,
          `{"v":${cents}}`,
          `v=${forms[0]}`,
        ]
        for (const form of forms)
          for (const body of bodies) expect([form, body, finds(form, body)]).toEqual([form, body, true])
      }),
    )
  })
})

describe('Excluded members', () => {
  test('never give a term, at any depth and however they are written', () => {
    const secret = fc.stringMatching(/^[a-z]{8,12}$/)
    fc.assert(
      fc.property(secret, fc.jsonValue({ maxDepth: 2 }), (text, other) => {
        const body = `{"x":${JSON.stringify(other)},"a":{"pin" : ["${text}",{"b":"${text}"}],"ok":"outside"},"\\u0070in":"${text}","list":[[],{"pin":"${text}"}], "pin":"${text}"}`
        const found = terms(body, { exclude: ['/pin', '/a/pin', '/list/*/pin'] })
        expect([isFound('outside', found), [...found].some((term) => term.includes(text))]).toEqual([
          true,
          JSON.stringify(other).includes(text),
        ])
      }),
    )
  })

  test('count in each element and in each of several members with one name', () => {
    const body = '{"a":1234,"pix":[{"a":5678,"b":"kept"},{"a":"hidden"}],"a":9999}'
    expect(terms(body, { exclude: ['/a', '/pix/*/a'] })).toEqual(new Set(['kept']))
    expect(terms('{"pix":[{"a":"zero"},{"a":"one"}]}', { exclude: ['/pix/0/a'] })).toEqual(new Set(['one']))
  })

  test('leave out the subject that was read from them', () => {
    const body = '{"id":"geheim77","b":"kept"}'
    expect(terms(body, { subject: 'geheim77', exclude: ['/id'] })).toEqual(new Set(['kept']))
    expect(terms(body, { subject: 'other', exclude: ['/id'] })).toEqual(new Set(['kept', 'other']))
  })

  test('are left out of forms, and cannot be told in a body that is neither, which then gives nothing', () => {
    expect(terms('user=ana&senha=geheim', { exclude: ['/senha'] })).toEqual(new Set(['ana']))
    expect(terms('user ana senha geheim', { exclude: ['/senha'] })).toEqual(new Set())
    expect(terms('{"senha":"geheim","x":', { exclude: ['/senha'] })).toEqual(new Set())
    expect(terms('{"senha" "geheim"}', { exclude: ['/senha'] })).toEqual(new Set())
    expect(terms(Buffer.from('{"senha":"geh\xe9im"}', 'latin1'), { exclude: ['/senha'] })).toEqual(new Set())
  })
})

describe('Odd bodies', () => {
  test('Each of several members with one name is found', () => {
    expect(['first', 'second'].every((text) => finds(text, '{"a":"first","a":"second"}'))).toBe(true)
  })

  test('A form is found by its decoded values, under any content type', () => {
    const form = 'notification=5b8e0c1e-7f0d&nome=Jo%C3%A3o+Silva&valor=R%24+150%2C10'
    for (const contentType of [null, 'application/x-www-form-urlencoded; charset=utf-8', 'text/plain'])
      for (const text of ['5b8e0c1e-7f0d', 'joao silva', '150.10'])
        expect([text, finds(text, form, { contentType })]).toEqual([text, true])
    expect(finds('nome', form)).toBe(false)
  })

  test('Text, markup and JSON inside a string are found by the values in them', () => {
    for (const body of [
      'pago por João Silva; cpf=123.456.789-00, valor: 150,10',
      '<pago><nome>João Silva</nome><cpf>123.456.789-00</cpf><valor>150,10</valor></pago>',
      JSON.stringify({ inner: '{"nome":"João Silva","cpf":"123.456.789-00","valor":150.10}' }),
      '{nome: "João Silva", cpf: \'123.456.789-00\', valor: 150.10',
      '\ufeff{"nome":"João Silva","cpf":"123.456.789-00","valor":150.10}',
    ])
      for (const text of ['joao silva', '12345678900', '123.456.789-00', '150.10'])
        expect([body, text, finds(text, body)]).toEqual([body, text, true])
  })

  test('A body of ISO 8859-1 is found, binary data and an empty body give nothing', () => {
    expect(finds('joão', Buffer.from('{"nome":"Jo\xe3o"}', 'latin1'))).toBe(true)
    expect(terms(Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff, 0xfe, 0x41, 0x42, 0x43, 0x44]))).toEqual(new Set())
    expect(terms('')).toEqual(new Set())
    expect(terms('{}')).toEqual(new Set())
  })

  test('Nesting costs no stack, with and without excluded members', () => {
    const deep = `${'[{"a":'.repeat(100_000)}"bottom"${'}]'.repeat(100_000)}`
    expect(terms(deep)).toEqual(new Set(['bottom']))
    expect(terms(deep, { exclude: ['/x', '/*/a/*/a/*/b'] })).toEqual(new Set(['bottom']))
    expect(terms('['.repeat(1_000_000))).toEqual(new Set())
    expect(terms('"'.repeat(100_001))).toEqual(new Set())
  })

  test('A huge body gives a bounded number of terms, a long value is found by its beginning', () => {
    const many = terms(JSON.stringify(Array.from({ length: 50_000 }, (_, i) => `value${i}`)))
    expect([many.size, many.has('value0')]).toEqual([MAX_TERMS, true])
    const long = 'x1'.repeat(300_000)
    expect(finds(long.slice(0, 200), JSON.stringify([long]))).toBe(true)
    expect(
      Math.max(...[...terms(JSON.stringify([long, '😀a'.repeat(100), '𝒜'.repeat(100)]))].map((term) => term.length)),
    ).toBeLessThanOrEqual(64)
  })

  test('Backslashes, quotes and broken escapes end where they end', () => {
    const found = terms('{"a":"one\\\\","b":"t\\"wo","c":"bad\\q four","d":"five')
    expect(['one', 'bad', 'four', 'five'].filter((text) => !isFound(text, found))).toEqual([])
  })

  test('Any bytes give terms that no query can break', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.option(fc.string()), (body, subject) => {
        for (const term of termsOf({ body, contentType: null, subject }, ALL))
          expect([term !== '', term.length <= 64, term.isWellFormed()]).toEqual([true, true, true])
      }),
      { numRuns: 500 },
    )
  })
})
