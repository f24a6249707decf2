import { expect, test } from 'vitest'
import { parseSearch, type SearchTerm } from '../../../src/domain/search/search-query.ts'
import { SEARCH_ALL } from '../../../src/domain/search/search-rule.ts'
import { termsOf } from '../../../src/domain/search/terms.ts'

const BODIES = {
  pix: {
    endToEndId: 'E18236120202603021530s0123456789',
    txid: 'cobranca20260302pedido00077abc',
    chave: '+5511987654321',
    valor: '1500.00',
    horario: '2026-03-02T15:30:00.000Z',
    pagador: { nome: 'Joana d’Arc Souza', cpf: '***.456.789-**' },
  },
  registration: {
    identificador: '5577',
    cpf: '01234567890',
    celular: '11912345678',
    dataNascimento: '1985-02-25',
    valor: '89.90',
  },
  company: { endereco: 'CEP 20040-020', cnpj: '00000000000191', cpf: '***', email: 'ana@example.com' },
  landline: { pedido: '4711', telefone: '551133334444', nome: "O'Neill", texto: 'pagamento de R$ 1500 a vista' },
}

const INDEX = Object.entries(BODIES).map(([name, body]) => {
  const terms = termsOf({ body: Buffer.from(JSON.stringify(body)), contentType: null, subject: null }, SEARCH_ALL)
  return { name, terms: [...terms] }
})

function found(text: string): string[] {
  const { words } = parseSearch(text)
  const has = (terms: readonly string[], { text, isPrefix }: SearchTerm) =>
    terms.some((term) => (isPrefix ? term.startsWith(text) : term === text))
  return INDEX.filter(({ terms }) =>
    words.every(
      (word) => word.kind === 'terms' && word.alternatives.some((all) => all.every((one) => has(terms, one))),
    ),
  ).map(({ name }) => name)
}

test.each([
  ...['(11) 98765-4321', '987654321', '\u202a+55 11 98765\u20114321\u202c', '011 98765-4321', '+5511987654321'],
  ...[
    '55 (11) 98765.4321',
    '+55 (011) 98765-4321',
    'chave pix +55 11 98765-4321',
    '02/03/2026',
    '2/3/26',
    '02.03.2026',
  ],
  ...[
    '02-03-2026 15:30',
    '02/03/2026 às 12:30',
    '"txid":"cobranca20260302pedido00077abc"',
    'joana d arc',
    'joana d´arc',
  ],
  ...[
    'txid=cobranca20260302pedido00077abc',
    '?txid=cobranca20260302pedido00077abc',
    '&txid=cobranca20260302pedido00077abc',
    'endToEndId: E18236120202603021530s0123456789',
    "joana d'arc",
    'Joana d’Arc',
  ],
  ...['E18236120202603021530 s0123456789', 'cobranca20260302\npedido00077abc', 'cobranca20260302\u200bpedido00077abc,'],
  ...['nosso número COBRANCA20260302PEDIDO00077ABC', 'joana\u00a0d`arc', 'cobranca\u00ad20260302pedido00077abc'],
  ...['2 de março de 2026', '02/mar/2026', '02 MAR. 2026 15:30', '2 MAR 2026 às 15h30', '2º de Março de 26'],
  ...[
    '\\"txid\\":\\"cobranca20260302pedido00077abc\\"',
    '&quot;txid&quot;:&quot;cobranca20260302pedido00077abc&quot;,',
  ],
  ...[
    '?txid=cobranca20260302pedido00077abc&pagina=2',
    'https://loja.example/pix/cobranca20260302pedido00077abc/recibo?pagina=2',
    'ID da transação: E18236120202603021530s0123456789',
    'E2E:E18236120202603021530s0123456789',
    'segunda-feira, 2 de março de 2026',
    'https://wa.me/5511987654321',
    'wa.me/5511987654321?text=oi',
    'chave=%2B5511987654321',
    'd%E2%80%99Arc',
  ],
  ...['015 11 98765-4321', '0 15 (11) 98765-4321'],
])('%j finds the payment', (text) => {
  expect(found(text)).toEqual(['pix'])
})

test.each([
  ...[
    '+55 11 91234-5678',
    '912345678',
    '(11) 91234-5678',
    'CPF 012.345.678-90',
    'CPF: 012.345.678-90',
    'cpf=01234567890',
  ],
  ...['25/02/1985', '25-02-85', '25.2.1985', 'R$ 89,90 reais', 'valor: R$ 89,90', '"valor":"89.90"'],
  ...['1234567890', 'CPF 1234567890'],
])('%j finds the registration', (text) => {
  expect(found(text)).toEqual(['registration'])
})

test.each([
  'CEP 20040-020',
  'cep: 20040020',
  'CNPJ 00.000.000/0001-91',
  'CNPJ/CPF 00000000000191',
  'ana%40example.com',
])('%j finds the company', (text) => {
  expect(found(text)).toEqual(['company'])
})

test('Digits without the check digits of a CPF are no CPF that lost its first digit', () => {
  expect(found('1234567891')).toEqual([])
  expect(found('100% de desconto %zz')).toEqual([])
})

test.each(['nº4711', 'n.4711', 'nº 4711', '3333-4444', '(11) 3333-4444', '011 33334444', 'o’neill', 'o neill'])(
  '%j finds the landline',
  (text) => {
    expect(found(text)).toEqual(['landline'])
  },
)

test.each(['R$ 1.500,00', '1500,00', 'R$ 1500', 'R$ 1.500,00 reais', 'valor: R$ 1.500,00', '1.500,00 C', '1.500,00D'])(
  '%j finds the amount, also in a text without cents',
  (text) => {
    expect(found(text)).toEqual(['pix', 'landline'])
  },
)

test('A label alone is a word, and a phone of another area is not found', () => {
  expect(parseSearch('chave').words).toHaveLength(1)
  expect([found('(21) 98765-4321'), found('03/03/2026'), found('R$ 1501')]).toEqual([[], [], []])
})
