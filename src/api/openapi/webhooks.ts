import type { JsonSchema } from '../http/json-schema.ts'

const text = (description: string, schema: JsonSchema, required = true) => ({ description, schema, required })
const ENVIRONMENTS = { type: 'string', enum: ['production', 'sandbox'] }

/** What `delivery/request-headers.ts` sends with each delivery, besides the headers that the destination adds. */
const HEADERS = {
  'webhook-id': text("The event's id, the same in every attempt: deduplicate on it.", {
    type: 'string',
    pattern: '^evt_[0-9a-z_]+$',
    examples: ['evt_1c_0123456789'],
  }),
  'webhook-timestamp': text('Seconds since 1970 of this attempt.', {
    type: 'string',
    pattern: '^[0-9]+$',
    examples: ['1772463600'],
  }),
  'webhook-signature': text(
    'Standard Webhooks: `v1,` and HMAC-SHA256 over `id.timestamp.body`; two during a rotation.',
    {
      type: 'string',
      examples: ['v1,MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='],
    },
  ),
  'portaria-kind': text('Kind of the event.', { type: 'string', examples: ['payment'] }),
  'portaria-environment': text('Environment of the event.', ENVIRONMENTS),
  'portaria-authentication': text('How the caller was authenticated.', {
    type: 'string',
    examples: ['mutual-tls'],
  }),
  'portaria-received-at': text('When the callback arrived.', { type: 'string', format: 'date-time' }),
  'portaria-attempt': text('Number of this attempt, from 1.', {
    type: 'string',
    pattern: '^[1-9][0-9]*$',
    examples: ['1'],
  }),
  'cdn-loop': text('The gateways that forwarded this (RFC 8586).', {
    type: 'string',
    examples: ['portaria-0123456789'],
  }),
  'user-agent': text('Name and version of the gateway.', { type: 'string', examples: ['Portaria/0.1.0'] }),
  'portaria-source': text(
    'Set where the gateway asked the service for the event.',
    { type: 'string', enum: ['resolved', 'reconciled'] },
    false,
  ),
  'portaria-unresolved': text('Set where the service did not say what a token means.', { const: 'true' }, false),
  'portaria-replay': text('Set on a replayed event.', { const: 'true' }, false),
  'portaria-part': text(
    'Which fact of a callback with several.',
    {
      type: 'string',
      pattern: '^[0-9]+/[0-9]+$',
      examples: ['2/3'],
    },
    false,
  ),
}

const STRING = { type: 'string' }
/** Members can be added at any time. */
const OPEN = { type: 'object', additionalProperties: true }
const object = (properties: JsonSchema): JsonSchema => ({ type: 'object', properties })
const list = (properties: JsonSchema): JsonSchema => ({ type: 'array', items: object(properties) })
/** A state with its time. */
const STEP = { status: STRING, data: STRING }
const END_TO_END_ID = 'E00000000202603021500aaaaaaaaaa1'
const TXID = 'c3e0e7a4e7f1469a9f782d3d4999343c'
const PAYMENT = {
  identificador: '1000001',
  status: { anterior: 'EXECUTADO', atual: 'LIQUIDADO' },
  valor: '150.10',
  horario: { solicitacao: '2026-03-02T15:00:00.000Z', liquidacao: '2026-03-02T15:01:30.000Z' },
  extras: {
    codigoBarras: '00193373700000001000500940144816060680935031',
    linhaDigitavel: '00190500954014481606906809350314337370000000100',
    dataExecucao: '2026-03-02',
  },
}

interface Delivered {
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly properties: JsonSchema
  readonly example: object
}

const AS_RECEIVED = 'Format `original`: the bytes as the service sent them, whatever their content type.'

/** Members of the bodies that say what an event is about. A body has more of them, and can be no JSON. */
const DELIVERED: readonly Delivered[] = [
  {
    id: 'deliverPayment',
    summary: 'An event of kind payment',
    description: AS_RECEIVED,
    properties: {
      identificador: STRING,
      valor: STRING,
      horario: OPEN,
      status: object({ anterior: STRING, atual: STRING }),
    },
    example: PAYMENT,
  },
  {
    id: 'deliverRegistration',
    summary: 'An event of kind registration',
    description: AS_RECEIVED,
    properties: { contaSimplificada: object({ identificador: STRING }), evento: STRING },
    example: { contaSimplificada: { identificador: '7c1e0f5e-6a0d-4b0e-9b52-1f6f0f3f6f10' }, evento: 'conta_aberta' },
  },
  {
    id: 'deliverCharge',
    summary: 'An event of kind charge',
    description: `${AS_RECEIVED} An entry of a token comes in this form too.`,
    properties: { notification: object({ token: STRING, entries: { type: 'array' } }) },
    example: {
      notification: {
        token: 'f171907e-e02a-4c87-8dae-45503cc1710f',
        entries: [
          {
            charge_id: 1000001,
            custom_id: 'order 1',
            status: 'paid',
            created_at: '2026-03-02 12:00:05',
            received_by_bank_at: '2026-03-02',
          },
        ],
      },
    },
  },
  {
    id: 'deliverOpenBanking',
    summary: 'An event of kind openBanking',
    description: AS_RECEIVED,
    properties: {
      identificadorPagamento: STRING,
      identificadorDevolucao: STRING,
      valor: STRING,
      status: STRING,
      motivo: STRING,
      dataCriacao: STRING,
      endToEndId: STRING,
      idProprio: STRING,
      tipo: STRING,
    },
    example: {
      identificadorPagamento: 'urn:participant:fd2be7c4-6073-4d3c-8b5e-4b6f7ba0c5a1',
      valor: '12.34',
      status: 'aceito',
      dataCriacao: '2026-03-02T15:00:00.000Z',
      endToEndId: END_TO_END_ID,
      idProprio: 'order 1',
      tipo: 'pagamento',
    },
  },
  {
    id: 'deliverPix',
    summary: 'An event of kind pix',
    description: `${AS_RECEIVED} The list has one payment, with its refunds.`,
    properties: {
      pix: list({
        endToEndId: STRING,
        txid: STRING,
        chave: STRING,
        valor: STRING,
        horario: STRING,
        infoPagador: STRING,
        devolucoes: list({
          id: STRING,
          rtrId: STRING,
          valor: STRING,
          natureza: STRING,
          horario: object({ solicitacao: STRING, liquidacao: STRING }),
          status: STRING,
          motivo: STRING,
        }),
      }),
    },
    example: { pix: [{ endToEndId: END_TO_END_ID, txid: TXID, valor: '110.00', horario: '2026-03-02T15:00:00.358Z' }] },
  },
  {
    id: 'deliverRec',
    summary: 'An event of kind rec: a recurrence',
    description: `${AS_RECEIVED} The list has one recurrence.`,
    properties: {
      recs: list({
        idRec: STRING,
        status: STRING,
        atualizacao: list(STEP),
        ativacao: object({ tipoJornada: STRING, dadosJornada: object({ txid: STRING }) }),
      }),
    },
    example: { recs: [{ idRec: 'RR0000000020260302aaaaaaaaaaa', status: 'APROVADA' }] },
  },
  {
    id: 'deliverCobr',
    summary: 'An event of kind cobr: a charge of a recurrence',
    description: `${AS_RECEIVED} The list has one charge.`,
    properties: {
      cobsr: list({
        idRec: STRING,
        txid: STRING,
        status: STRING,
        atualizacao: list(STEP),
        tentativas: list({ dataLiquidacao: STRING, tipo: STRING, status: STRING, endToEndId: STRING }),
      }),
    },
    example: { cobsr: [{ idRec: 'RR0000000020260302aaaaaaaaaaa', txid: TXID, status: 'ATIVA' }] },
  },
  {
    id: 'deliverOpenFinance',
    summary: 'An event of the kinds of open finance',
    description: `${AS_RECEIVED} What it is about is in the path of the callback: the member \`subject\` of the event has it.`,
    properties: { data: object({ timestamp: STRING }) },
    example: { data: { timestamp: '2026-03-02T15:00:00Z' } },
  },
  {
    id: 'deliverEnvelope',
    summary: 'An event of any kind in the format event',
    description:
      'Format `event` of a destination. `data` has the body; of one that is no JSON, `dataBase64` has its bytes.',
    properties: {
      id: STRING,
      kind: STRING,
      institution: { type: ['string', 'null'] },
      environment: ENVIRONMENTS,
      receivedAt: { type: 'string', format: 'date-time' },
      subject: { type: ['string', 'null'] },
      status: { type: ['string', 'null'] },
      authentication: STRING,
      source: { type: ['string', 'null'] },
      unresolved: { type: 'boolean' },
      contentType: { type: ['string', 'null'] },
      part: { type: 'integer' },
      parts: { type: 'integer' },
      data: {},
      dataBase64: STRING,
    },
    example: {
      id: 'evt_1c_0123456789',
      kind: 'payment',
      institution: null,
      environment: 'production',
      subject: '1000001',
      status: 'LIQUIDADO',
      receivedAt: '2026-03-02T15:01:31.250Z',
      authentication: 'mutual-tls',
      source: null,
      unresolved: false,
      part: 1,
      parts: 1,
      contentType: 'application/json',
      data: PAYMENT,
    },
  },
]

/** The requests to the URLs of destinations (OpenAPI 3.1 section 4.8.1). */
export function webhooks(): Readonly<Record<string, JsonSchema>> {
  const parameters = Object.entries(HEADERS).map(([name, header]) => ({ name, in: 'header', ...header }))
  return Object.fromEntries(
    DELIVERED.map(({ id, summary, description, properties, example }) => {
      const content = { 'application/json': { schema: { ...OPEN, properties }, example } }
      const responses = {
        '2XX': { description: 'Accepted.' },
        410: { description: 'Pauses the destination and keeps its backlog.' },
        default: { description: 'Failed, redirects too: the delivery is attempted again by its schedule.' },
      }
      const post = { operationId: id, tags: ['Destinations'], summary, description, security: [], parameters }
      return [id, { post: { ...post, requestBody: { required: true, content }, responses } }]
    }),
  )
}
