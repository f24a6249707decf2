import { inspect } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createServiceClient, type ServiceClient } from '../../src/service/client.ts'
import { isAboutSubject } from '../../src/service/failure.ts'
import { askChargeRecord, askOpening, askPayment, askPaymentSummary } from '../../src/service/questions.ts'
import { readStatement } from '../../src/service/statement.ts'
import { issuePairs } from '../support/issued-pairs.ts'
import { collectLines, failureOf, guardedConnect } from './service.ts'
import { httpAnswer, startWitness, TOKEN_ANSWER } from './witness.ts'

let pairs: Awaited<ReturnType<typeof issuePairs>>
beforeAll(async () => {
  pairs = await issuePairs()
})

/** A client of a TLS server that answers with a token, and then with these bytes. */
async function clientOfAnswers(...answers: readonly string[]) {
  const witness = await startWitness(pairs, [TOKEN_ANSWER, ...answers])
  const { lines, log } = collectLines()
  const base = `https://127.0.0.1:${witness.port}`
  const client = createServiceClient({
    environment: 'sandbox',
    clientId: 'id',
    clientSecret: 'our-client-secret',
    authorities: pairs.authority.cert,
    certificate: { tls: pairs.client, problem: () => null, subject: null, notAfter: null },
    baseAddresses: { account: base, payment: base, registration: base, openBanking: null, charges: base },
    servicePathSegment: 'svc',
    connect: guardedConnect(),
    now: Date.now,
    random: () => 0,
    log,
  })
  onTestFinished(() => client.close())
  return { client, lines, witness }
}

const ok = (json: unknown) => httpAnswer('200 OK', JSON.stringify(json))

describe('an answer that is none of the service', () => {
  const payment = {
    idPagamento: '7',
    status: 'LIQUIDADO',
    valorPago: 15_010,
    data: { solicitacao: '2026-03-04 08:00:00' },
  }
  const record = { charge_id: 7, status: 'paid', custom_id: null, total: 15_010 }
  const summary = {
    datas: { inicial: '2026-03-04', final: '2026-03-04' },
    solicitacoes: { total: 1, processando: 0, sucesso: 0, falha: 1, cancelada: 0 },
    solicitacoesFalhas: [7],
  }
  const askSeven = (client: ServiceClient) => askPayment(client, '7')
  const askCharge = (client: ServiceClient) => askChargeRecord(client, 'charge', '7')
  const askDay = (client: ServiceClient) => askPaymentSummary(client, '2026-03-04', '2026-03-04')
  const { total, ...counts } = summary.solicitacoes

  it('differs from one with members that nothing knows', async () => {
    const { client } = await clientOfAnswers(ok({ ...payment, novo: [1] }), ok({ ...payment, data: {} }))
    expect(await askSeven(client)).toEqual({ sort: 'told', status: 'LIQUIDADO', cents: 15_010, day: '2026-03-04' })
    expect(await askSeven(client)).toMatchObject({ day: null })
    const charges = await clientOfAnswers(ok({ code: 200, data: { ...record, novo: 1 } }))
    expect(await askCharge(charges.client)).toEqual({ sort: 'told', status: 'paid', customId: null })
    expect(await askDay((await clientOfAnswers(ok({ ...summary, novo: 1 }))).client)).toMatchObject({ failed: ['7'] })
  })

  it.each([
    ['another payment', askSeven, { ...payment, idPagamento: '8' }],
    ['a payment without an id', askSeven, { ...payment, idPagamento: undefined }],
    ['a payment with an unknown status', askSeven, { ...payment, status: 'PAGO' }],
    ['a payment with a status that every object has', askSeven, { ...payment, status: 'constructor' }],
    ['a payment with a fraction of a cent', askSeven, { ...payment, valorPago: 150.1 }],
    ['a payment with an amount as text', askSeven, { ...payment, valorPago: '15010' }],
    ['a list', askSeven, [payment]],
    ['another charge', askCharge, { code: 200, data: { ...record, charge_id: 8 } }],
    ['a subscription in place of a charge', askCharge, { code: 200, data: { subscription_id: 7, status: 'active' } }],
    ['a charge with an unknown status', askCharge, { code: 200, data: { ...record, status: 'up_to_date' } }],
    ['another period', askDay, { ...summary, datas: { inicial: '2026-03-03', final: '2026-03-04' } }],
    ['a summary without a total', askDay, { ...summary, solicitacoes: counts }],
    ['a summary with a negative count', askDay, { ...summary, solicitacoes: { total, ...counts, falha: -1 } }],
    ['a summary without ids', askDay, { ...summary, solicitacoesFalhas: undefined }],
    ['a summary with an id that is a path', askDay, { ...summary, solicitacoesFalhas: ['../webhook'] }],
  ])('fails the question, and counts against the service: %s', async (_what, ask, body) => {
    const { client, witness } = await clientOfAnswers(ok(body))
    const failure = await failureOf(ask(client))
    expect([failure.code, isAboutSubject(failure), witness.seen.length]).toEqual(['garbage', false, 2])
  })
})

describe('the secret of an opened account', () => {
  const SECRETS = ['Client_Id_of-the-account', 'Client_Secret+of/the-account', 'payee-code-0123456789']
  const credentials = { clientId: SECRETS[0], clientSecret: SECRETS[1], conta: { numero: '1', payeeCode: SECRETS[2] } }
  const all = SECRETS.join(' ')
  const error = {
    ...credentials,
    nome: all,
    mensagem: all,
    error: all,
    error_description: all,
    erros: [{ mensagem: all }],
  }
  const body = JSON.stringify(error)
  const headers = [`location: https://x.example/?${encodeURIComponent(all)}`, `www-authenticate: Bearer ${all}`]

  /** The question, and everything that is left of its answer: result or failure with causes, log, history. */
  async function asked(...answers: readonly string[]) {
    const { client, lines } = await clientOfAnswers(...answers)
    const outcome = await askOpening(client, '0f1e2d3c').catch((failure: unknown) => failure)
    const said = inspect([outcome, lines, client.state()], { depth: null, showHidden: true, maxStringLength: null })
    return { outcome, said }
  }
  const leaksIn = (said: string) =>
    SECRETS.filter((secret) => [secret, encodeURIComponent(secret)].some((form) => said.includes(form)))

  it('is in nothing that is left of a successful answer', async () => {
    const { outcome, said } = await asked(ok(credentials))
    expect([outcome, leaksIn(said)]).toEqual([{ sort: 'opened' }, []])
  })

  it.each([
    '201 Created',
    '302 Found',
    '400 Bad Request',
    '403 Forbidden',
    '409 Conflict',
    '422 Unprocessable',
    '429 Too Many Requests',
    '500 Internal Server Error',
    '503 Service Unavailable',
  ])('is in no text of a failure with %s', async (status) => {
    const { outcome, said } = await asked(httpAnswer(status, body, headers))
    expect([outcome, leaksIn(said)]).toEqual([expect.any(Error), []])
  })

  it('is in no text of a refused token, nor of an unknown or undecided opening', async () => {
    const refused = httpAnswer('401 Unauthorized', body, headers)
    const { outcome, said } = await asked(refused, TOKEN_ANSWER, refused)
    expect([outcome, leaksIn(said)]).toEqual([expect.objectContaining({ code: 'credentials_refused' }), []])
    const undecided = await asked(httpAnswer('412 Precondition Failed', body))
    expect([undecided.outcome, leaksIn(undecided.said)]).toEqual([{ sort: 'undecided' }, []])
    const unknown = await asked(httpAnswer('404 Not Found', body))
    expect([unknown.outcome, leaksIn(unknown.said)]).toEqual([{ sort: 'unknown' }, []])
  })

  it.each([
    ['chunks that are none', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}`],
    ['a head that is none', `HTTP/1.1 200 OK\r\nbroken ${body}\r\n\r\n`],
    ['no HTTP', body],
    ['more than one answer', `${ok(credentials)}${body}`],
    ['more than 1 MiB', httpAnswer('200 OK', body.padEnd(1_048_577))],
  ])('is in nothing that is left of %s', async (_what, bytes) => {
    expect(leaksIn((await asked(bytes)).said)).toEqual([])
  })

  it('is dropped as it comes', async () => {
    const { client } = await clientOfAnswers(ok(credentials), ok(credentials))
    const request = { method: 'GET', path: '/v1/a', expects: 'nothing' } as const
    expect((await client.request('registration', request)).bytes.length).toBeGreaterThan(0)
    expect((await client.request('registration', { ...request, onlyNames: [] })).bytes).toHaveLength(0)
  })

  it('of a 412 only the name that it knows is looked at', async () => {
    const refused = (nome: string) => httpAnswer('412 Precondition Failed', JSON.stringify({ ...error, nome }))
    const { outcome, said } = await asked(refused('conta_em_processamento'))
    expect([outcome, leaksIn(said)]).toEqual([{ sort: 'processing' }, []])
    expect((await asked(refused('conta_nao_aprovada_ou_recusada'))).outcome).toEqual({ sort: 'undecided' })
  })
})

describe('the file of a statement', () => {
  const FILE = [
    'CA;Serviço simulado;999;CONCILIACAO;200001-4;Integrator (sandbox);2026-03-04;2026-03-04;Extrato de conciliação;1',
    'saldoDiaAnterior;;2026-03-03;;;1000000.00;;;;',
    'transferenciaEnviada;7;2026-03-04;08:00:30.000;D;80.00;Pagamento de conta 1000001;idPagamento;1000001;',
    'pixRecebido;9;2026-03-04;10:15:00.250;C;25.00;Pix recebido;;;',
    'pixRecebido;10;2026-03-04;11:40:02.007;C;0.10;Pix recebido;;;',
    'T;4;2;25.10;1;80.00;999945.10',
  ]

  it('is counted by kind of record, with line ends of any system', () => {
    for (const end of ['\n', '\r\n'])
      expect(readStatement(FILE.join(end) + end, '2026-03-04')).toEqual({
        kinds: new Map([
          ['saldoDiaAnterior', { count: 1, cents: 100_000_000n }],
          ['transferenciaEnviada', { count: 1, cents: 8000n }],
          ['pixRecebido', { count: 2, cents: 2510n }],
        ]),
        credits: { count: 2, cents: 2510n },
        debits: { count: 1, cents: 8000n },
      })
  })

  it.each([
    ['a missing record', FILE.toSpliced(3, 1), 'whose trailer contradicts its records'],
    ['another amount', FILE.with(3, FILE[3]?.replace('25.00', '25.01') ?? ''), 'whose trailer contradicts its records'],
    ['another count', FILE.with(5, 'T;4;3;25.10;1;80.00;999945.10'), 'whose trailer contradicts its records'],
    ['no trailer', FILE.slice(0, -1), 'without a trailer'],
    ['no header', FILE.slice(1), 'without a header'],
    ['a record without an amount', FILE.with(3, 'pixRecebido;9;;;C;;;;;'), 'with a record that cannot be read'],
    ['an empty file', [''], 'without a header'],
  ])('is refused with %s', (_what, lines, problem) => {
    expect(readStatement(lines.join('\n'), '2026-03-04')).toEqual({ problem })
  })

  it('is that of the day', () => {
    expect(readStatement(FILE.join('\n'), '2026-03-05')).toEqual({ problem: 'of another day than 2026-03-05' })
  })
})
