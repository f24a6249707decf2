import type { CallOptions } from '../calls.ts'

/** A callback of the prepared site: by default of production, as JSON. */
export interface PreparedCallback extends Pick<CallOptions, 'environment' | 'headers'> {
  readonly path: string
  readonly body: string | Uint8Array | object
}

export const OWN_KEY = 'pix@livraria.example'
const MARIA = { nome: 'Maria da Conceição', cpf: '111.444.777-35' }

/** One payment of each kind that a shop gets, with values that a person would search for. */
export const ORDINARY: readonly PreparedCallback[] = [
  { path: '/callbacks/registration', body: {} },
  { path: '/callbacks/registration', body: registration('ac2d9b4e', 'conta_aberta') },
  { path: '/callbacks/registration', body: registration('77f1c02a', 'conta_recusada_pelo_cliente_final') },
  { path: '/callbacks/payment', body: payment('90817', 'LIQUIDADO', '150.10') },
  { path: '/callbacks/payment', body: payment('90818', 'NAO_REALIZADO', '1234.56') },
  { path: '/callbacks/payment', body: payment('90819', 'AGENDADO', '89.90'), environment: 'sandbox' },
  { path: '/callbacks/charge', body: charge(1000001, 'pedido-2041', 'paid') },
  { path: '/callbacks/charge', body: charge(1000002, 'pedido-2042', 'waiting') },
  { path: '/callbacks/charge', body: charge(1000003, 'pedido-2043', 'canceled'), environment: 'sandbox' },
  { path: '/callbacks/open-banking', body: openBanking('5f1e6a70', 'aceito') },
  {
    path: '/callbacks/instant-payment/pix',
    body: { pix: [instantPayment('shop7781', '150.10', MARIA), instantPayment('shop7782', '42.00')] },
  },
]

export function registration(identificador: string, evento: string) {
  return { contaSimplificada: { identificador }, evento }
}

export function payment(identificador: string, atual: string, valor: string) {
  return {
    identificador,
    status: { anterior: 'CRIADO', atual },
    valor,
    horario: { solicitacao: '2026-03-02T11:58:00.000Z', liquidacao: '2026-03-02T12:00:04.000Z' },
    extras: { codigoBarras: '36490000000000150100000000000000000000009081', dataExecucao: '2026-03-02' },
  }
}

export function charge(id: number, customId: string, current: string) {
  const [status, identifiers] = [{ current, previous: 'new' }, { charge_id: id }]
  return { data: [{ id: 2, type: 'charge', custom_id: customId, status, identifiers, value: 15010 }] }
}

export function openBanking(identificadorPagamento: string, status: string) {
  const endToEndId = `E00000000202603021200${identificadorPagamento}abcd`
  return { identificadorPagamento, valor: '75.00', status, endToEndId, tipo: 'pix' }
}

export function instantPayment(txid: string, valor: string, pagador: object = MARIA, chave = OWN_KEY) {
  const endToEndId = `E00000000202603021201${txid}wxyz`
  return { endToEndId, txid, chave, valor, horario: '2026-03-02T12:01:00.000Z', pagador, infoPagador: 'Livro usado' }
}

/** Runs if any of the markup below is taken for markup. */
export const HARM = 'globalThis.harm=true'

/** Texts that are dangerous where they are not escaped: in content, in attributes, in addresses, in scripts, in headers of downloads. */
export const MARKUP: readonly string[] = [
  `<script>${HARM}</script>`,
  `"><img src=x onerror="${HARM}">`,
  `' onmouseover='${HARM}' autofocus onfocus='${HARM}`,
  `</textarea></title></pre></style></script><svg onload="${HARM}">`,
  `javascript:${HARM}`,
  '<base href="https://harm.example/"><meta http-equiv="refresh" content="0;url=https://harm.example/">',
  '<form action="https://harm.example/"><button>Sign in</button></form><link rel=stylesheet href=https://harm.example/x.css>',
  `--></script><script>${HARM}</script><!--`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template expression that must not be evaluated
  '${harm=true}{{constructor.constructor("harm=true")()}}',
  'abc\u202ecba\u0000\u0007\ud800\r\n\tend',
]

/** Every field of every kind has markup; a key too. */
export const HOSTILE: readonly PreparedCallback[] = MARKUP.flatMap((text, number) => [
  { path: '/callbacks/registration', body: { [text]: text, ...registration(text, text) } },
  { path: '/callbacks/payment', body: { ...payment(`h${number}${text}`, text, text), [text]: [text] } },
  { path: '/callbacks/charge', body: { ...charge(2_000_000 + number, text, text), [text]: null } },
  { path: '/callbacks/open-banking', body: openBanking(`h${number}${text}`, text) },
  {
    path: '/callbacks/instant-payment',
    body: { pix: [instantPayment(`h${number}${text}`, text, { nome: text, cpf: text })] },
  },
])

const xml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>${HARM}</script></html>`

/** Bodies that are no JSON objects, or claim to be documents. */
export const UNREADABLE: readonly PreparedCallback[] = [
  { path: '/callbacks/payment', body: xml, headers: { 'content-type': 'application/xhtml+xml' } },
  { path: '/callbacks/payment', body: `<script>${HARM}</script>`, headers: { 'content-type': 'text/html' } },
  { path: '/callbacks/payment', body: '{"identificador":"cut', headers: { 'content-type': 'application/json' } },
  {
    path: '/callbacks/payment',
    body: Buffer.from([0, 255, 60, 62, 128, 10]),
    headers: { 'content-type': 'image/png' },
  },
  {
    path: '/callbacks/payment',
    body: '"<b>text</b>"',
    headers: { 'content-type': '<b>text</b>', 'user-agent': '<b>' },
  },
]

/** About an account that is not ours. */
export const QUARANTINED: readonly PreparedCallback[] = ['shop9001', 'shop9002', MARKUP[0] as string].map((txid) => ({
  path: '/callbacks/instant-payment/pix',
  body: { pix: [instantPayment(txid, '10.00', MARIA, 'someone@else.example')] },
}))
