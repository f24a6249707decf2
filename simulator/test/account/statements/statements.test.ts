import { beforeEach, describe, expect, it } from 'vitest'
import { addMovement, balanceAtEndOf, MOVEMENT_KINDS, setBalance } from '../../../src/account/ledger.ts'
import { RECORD_KINDS } from '../../../src/account/statements/record-kinds.ts'
import type { Environment } from '../../../src/interfaces.ts'
import { runSimulator, simulatorForFile } from '../../running.ts'
import { readStatement } from './read-statement.ts'

const running = simulatorForFile()
beforeEach(async () => {
  await running().control('POST', '/reset')
  await setClock('2026-03-05T12:00:00.123-03:00')
})

const PATH = '/v2/svc/relatorios/extrato-conciliacao'
const ALL = Object.fromEntries(RECORD_KINDS.map((kind) => [kind, true]))
const YESTERDAY = { dataMovimento: '2026-03-04', tipoRegistros: ALL }
const TYPES = 'https://pix.bcb.gov.br/api/v2/error/'
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

const setClock = (now: string) => running().control('PUT', '/clock', { now, frozen: true })
const advance = (by: string) => running().control('POST', '/clock/advance', { by })
const site = (environment: Environment = 'sandbox') => running().simulator.sites[environment]
const account = (environment: Environment = 'sandbox') => site(environment).applications.accounts()[0]?.number ?? ''
const post = (body: unknown, environment?: Environment) =>
  running().ask('account', { method: 'POST', path: PATH, body }, environment)
const download = (id: string, environment?: Environment) =>
  running().ask('account', { path: `/v2/svc/relatorios/${id}` }, environment)

/** As the second account of the sandbox. */
async function askAsSecond(method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${await running().tokenOf('account', { account: 1 })}` }
  const asked = { method, headers, ...(body !== undefined && { body }) }
  return running().askRaw(`${running().baseOf('account')}${path}`, asked, running().tlsOf('sandbox', 1))
}

async function fileOf(body: unknown) {
  const { id } = (await post(body)).json
  await advance('30s')
  const answer = await download(id)
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
  return readStatement(answer.text)
}

describe('a request of a statement', () => {
  it('is 201 with id, time with milliseconds and status', async () => {
    expect(await post(YESTERDAY)).toMatchObject({
      status: 201,
      json: {
        id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        dataSolicitacao: '2026-03-05T15:00:00.123Z',
        status: 'AGUARDANDO_PROCESSAMENTO',
      },
    })
  })

  it('of 30 seconds is 202 with the same body, through three states, and then the file', async () => {
    const { json } = await post(YESTERDAY)
    for (const [by, status] of [
      ['9s', 'AGUARDANDO_PROCESSAMENTO'],
      ['1s', 'EM_PROCESSAMENTO'],
      ['19s', 'EM_PROCESSAMENTO'],
    ] as const) {
      await advance(by)
      const answer = await download(json.id)
      expect([answer.status, answer.json]).toEqual([202, { ...json, status }])
    }
    await advance('1s')
    expect((await download(json.id)).status).toBe(200)
    expect((await post(YESTERDAY)).json).toEqual({ ...json, status: 'CONCLUIDO' })
  })

  it('with the same parameters is the same statement, with its first time and its present state', async () => {
    const { json } = await post({ dataMovimento: '2026-03-04', tipoRegistros: { saldoDia: true, pixRecebido: true } })
    await advance('10s')
    const again = { pixRecebido: true, pixEnviadoChave: false, saldoDia: true }
    const dadosAdicionais = { pixRecebido: ['nome'], pixEnviadoChave: ['nome', 'documento'] }
    expect((await post({ dataMovimento: '2026-03-04', tipoRegistros: again, dadosAdicionais })).json).toEqual({
      ...json,
      status: 'EM_PROCESSAMENTO',
    })
  })

  it('with another date, other flags, of another account or environment is another statement', async () => {
    const one = { dataMovimento: '2026-03-04', tipoRegistros: { saldoDia: true } }
    const ids = [
      (await post(one)).json.id,
      (await post({ ...one, dataMovimento: '2026-03-03' })).json.id,
      (await post({ ...one, tipoRegistros: { saldoDiaAnterior: true } })).json.id,
      (await post({ ...one, tipoRegistros: { saldoDia: true, saldoDiaAnterior: true } })).json.id,
      (await askAsSecond('POST', PATH, one)).json.id,
      (await post(one, 'production')).json.id,
    ]
    expect(new Set(ids).size).toBe(6)
  })

  it('needs svc.reports.write, and the download svc.reports.read', async () => {
    const { id } = (await post(YESTERDAY)).json
    const [write, read] = await Promise.all(
      ['svc.reports.write', 'svc.reports.read'].map((scope) => running().tokenOf('account', { scope })),
    )
    const statusOf = async (method: string, path: string, token = '') =>
      (await running().ask('account', { method, path, token, ...(method === 'POST' && { body: YESTERDAY }) })).status
    expect([await statusOf('POST', PATH, write), await statusOf('POST', PATH, read)]).toEqual([201, 403])
    const file = `/v2/svc/relatorios/${id}`
    expect([await statusOf('GET', file, read), await statusOf('GET', file, write)]).toEqual([202, 403])
  })

  it('is 405 with Allow by another method', async () => {
    const answers = [
      await running().ask('account', { method: 'PUT', path: PATH, body: YESTERDAY }),
      await running().ask('account', { method: 'POST', path: `/v2/svc/relatorios/${UNKNOWN_ID}`, body: YESTERDAY }),
    ]
    expect(answers.map(({ status, headers, json }) => [status, headers.allow, json.nome])).toEqual([
      [405, 'POST', 'metodo_nao_permitido'],
      [405, 'GET, HEAD', 'metodo_nao_permitido'],
    ])
  })
})

describe('a body that is not valid', () => {
  it.each<[unknown, string[]]>([
    [{}, ['.body.dataMovimento', '.body.tipoRegistros']],
    ['', ['.body.dataMovimento', '.body.tipoRegistros']],
    [[], ['.body']],
    ['"text"', ['.body']],
    ['{"dataMovimento":', ['.body']],
    [{ ...YESTERDAY, dataMovimento: '2026-03-05' }, ['.body.dataMovimento']],
    [{ ...YESTERDAY, dataMovimento: '2026-02-29' }, ['.body.dataMovimento']],
    [{ ...YESTERDAY, dataMovimento: '0000-12-31' }, ['.body.dataMovimento']],
    [{ ...YESTERDAY, dataMovimento: '04/03/2026' }, ['.body.dataMovimento']],
    [{ ...YESTERDAY, dataMovimento: 20260304 }, ['.body.dataMovimento']],
    [{ ...YESTERDAY, tipoRegistros: {} }, ['.body.tipoRegistros']],
    [{ ...YESTERDAY, tipoRegistros: { saldoDia: false } }, ['.body.tipoRegistros']],
    [{ ...YESTERDAY, tipoRegistros: [true] }, ['.body.tipoRegistros']],
    [{ ...YESTERDAY, tipoRegistros: null }, ['.body.tipoRegistros']],
    [{ ...YESTERDAY, tipoRegistros: { saldoDia: 'true' } }, ['.body.tipoRegistros.saldoDia']],
    [{ ...YESTERDAY, tipoRegistros: { other: true } }, ['.body.tipoRegistros.other', '.body.tipoRegistros']],
    [{ ...YESTERDAY, tipoRegistros: { toString: true } }, ['.body.tipoRegistros.toString', '.body.tipoRegistros']],
    [
      '{"dataMovimento":"2026-03-04","tipoRegistros":{"saldoDia":true,"__proto__":{}}}',
      ['.body.tipoRegistros.__proto__'],
    ],
    [{ ...YESTERDAY, tipoRegistros: { ...ALL, 'a/b~c': 1 } }, ['.body.tipoRegistros.a/b~c']],
    [{ ...YESTERDAY, other: 1 }, ['.body.other']],
    [{ ...YESTERDAY, dadosAdicionais: { pixRecebido: ['documento'] } }, ['.body.dadosAdicionais.pixRecebido.0']],
    [
      { dataMovimento: 1, tipoRegistros: { saldoDia: 1, pixRecebido: null, other: 1 }, more: 1 },
      [
        ...['.body.dataMovimento', '.body.tipoRegistros.pixRecebido', '.body.tipoRegistros.saldoDia'],
        ...['.body.tipoRegistros.other', '.body.more'],
      ],
    ],
  ])('%j is 400 with every violation', async (body, properties) => {
    const { status, json } = await post(body)
    const { type, title, detail, violacoes, ...rest } = json
    expect([status, type, rest]).toEqual([400, `${TYPES}ExtratoConciliacaoConsultaInvalida`, { status: 400 }])
    expect([title, detail]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)])
    expect(violacoes.map((one: { propriedade: string }) => one.propriedade)).toEqual(properties)
    for (const { razao } of violacoes) expect(razao).toMatch(/^\p{Lu}.*\.$/u)
  })

  it('takes each of the 17 flags alone, and any past date', async () => {
    for (const kind of RECORD_KINDS)
      expect((await post({ dataMovimento: '2026-03-04', tipoRegistros: { [kind]: true } })).status).toBe(201)
    expect(RECORD_KINDS).toHaveLength(17)
    const { records } = await fileOf({ dataMovimento: '0001-01-01', tipoRegistros: ALL })
    expect(records.map(({ date, amount }) => [date, amount])).toEqual([
      ['0000-12-31', '1000000.00'],
      ['0001-01-01', '1000000.00'],
    ])
  })

  it('today is that of the local day', async () => {
    await setClock('2026-03-05T02:59:59.999Z')
    expect((await post(YESTERDAY)).status).toBe(400)
    await setClock('2026-03-05T03:00:00.000Z')
    expect((await post(YESTERDAY)).status).toBe(201)
  })
})

describe('a statement that is not there', () => {
  it.each([UNKNOWN_ID, 'extrato', '1', '%ZZ', '__proto__'])('%s is 404 in its form', async (id) => {
    const { status, json } = await download(id)
    const form = { type: `${TYPES}NaoEncontrado`, title: expect.any(String), status: 404, detail: expect.any(String) }
    expect([status, json]).toEqual([404, form])
  })

  it('is also one of another account or environment', async () => {
    const { id } = (await post(YESTERDAY)).json
    await advance('30s')
    expect((await askAsSecond('GET', `/v2/svc/relatorios/${id}`)).json).toMatchObject({ type: `${TYPES}NaoEncontrado` })
    expect((await download(id, 'production')).json).toMatchObject({ type: `${TYPES}NaoEncontrado` })
  })
})

it('a failure of the service is 500 in its form', async () => {
  await running().control('POST', '/faults', { on: 'api', fault: 'server_error', path: '/relatorios', count: 2 })
  for (const { status, json } of [await post(YESTERDAY), await download(UNKNOWN_ID)]) {
    const form = { type: `${TYPES}ErroInterno`, title: expect.any(String), status: 500, detail: expect.any(String) }
    expect([status, json]).toEqual([500, form])
  }
})

it('strict errors have nome and mensagem', async () => {
  const strict = await runSimulator({ errors: 'strict' })
  try {
    const request = (body: unknown) => strict.ask('account', { method: 'POST', path: PATH, body })
    expect((await request({ dataMovimento: '2026-02-30', tipoRegistros: { saldoDia: 1 } })).json).toEqual({
      nome: 'erro_de_validacao',
      mensagem: expect.any(String),
      erros: ['/dataMovimento', '/tipoRegistros/saldoDia'].map((caminho) => ({
        caminho,
        mensagem: expect.any(String),
      })),
    })
    expect((await request('{')).json).toEqual({ nome: 'json_invalido', mensagem: expect.any(String) })
    const unknown = await strict.ask('account', { path: `/v2/svc/relatorios/${UNKNOWN_ID}` })
    expect([unknown.status, unknown.json.nome]).toEqual([404, 'extrato_nao_encontrado'])
  } finally {
    await strict.stop()
  }
})

it('the time of processing is a setting', async () => {
  const quick = await runSimulator({ statements: { processingSeconds: 0 } })
  try {
    const { json } = await quick.ask('account', { method: 'POST', path: PATH, body: { ...YESTERDAY } })
    expect(json.status).toBe('CONCLUIDO')
  } finally {
    await quick.stop()
  }
})

describe('a file', () => {
  const receive = (cents: number) =>
    addMovement(site(), { account: account(), kind: 'pixRecebido', cents, origin: null, description: `${cents}` })

  it('has the movements of its local day, from 00:00:00.000 to 23:59:59.999', async () => {
    for (const [now, cents] of [
      ['2026-03-04T02:59:59.999Z', 1],
      ['2026-03-04T03:00:00.000Z', 2],
      ['2026-03-05T02:59:59.999Z', 4],
      ['2026-03-05T03:00:00.000Z', 8],
    ] as const) {
      await setClock(now)
      receive(cents)
    }
    const { records, trailer } = await fileOf(YESTERDAY)
    expect(records.map(({ kind, date, time, amount }) => [kind, date, time, amount])).toEqual([
      ['saldoDiaAnterior', '2026-03-03', '', '1000000.01'],
      ['pixRecebido', '2026-03-04', '00:00:00.000', '0.02'],
      ['pixRecebido', '2026-03-04', '23:59:59.999', '0.04'],
      ['saldoDia', '2026-03-04', '', '1000000.07'],
    ])
    expect(trailer).toEqual(['T', '4', '2', '0.06', '0', '0.00', '1000000.07'])
  })

  it('agrees with the ledger and with endpoint 4', async () => {
    await setClock('2026-03-04T12:00:00-03:00')
    let last = 0
    for (const kind of MOVEMENT_KINDS.filter((one) => !/^estorno|^pixDevolucao/.test(one)))
      last = addMovement(site(), { account: account(), kind, cents: (last + 1) * 100, origin: null }).id
    const sent = addMovement(site(), { account: account(), kind: 'transferenciaEnviada', cents: 5, origin: null })
    const back = { account: account(), kind: 'estornoTransferenciaEnviada', cents: 5, origin: null } as const
    addMovement(site(), { ...back, reverses: sent.id })
    await setClock('2026-03-05T00:00:00-03:00')
    const { records, trailer } = await fileOf(YESTERDAY)
    const { saldo } = (await running().ask('account', { path: '/v2/svc/saldo' })).json
    expect([trailer[6], records.at(-1)?.amount]).toEqual([saldo, saldo])
    expect(records.at(-2)).toMatchObject({ kind: 'estornoTransferenciaEnviada', reverses: String(sent.id) })
    expect(records).toHaveLength(last + 2 + 2)
  })

  it('has no movement of another account, and the balance of every kind beside its own flags', async () => {
    await setClock('2026-03-04T12:00:00-03:00')
    receive(100)
    const second = site().applications.accounts()[1]?.number ?? ''
    setBalance(site(), second, 1)
    await setClock('2026-03-05T12:00:00-03:00')
    const { header, records, trailer } = await fileOf({
      dataMovimento: '2026-03-04',
      tipoRegistros: { transferenciaEnviada: true },
    })
    expect([header[4], records]).toEqual(['200001-4', []])
    expect(trailer).toEqual(['T', '0', '0', '0.00', '0', '0.00', '1000001.00'])
  })

  it('of a past day agrees with the ledger after the clock was set back', async () => {
    await setClock('2026-03-04T12:00:00-03:00')
    receive(1000)
    await setClock('2026-03-05T12:00:00-03:00')
    const before = await fileOf(YESTERDAY)
    await setClock('2026-03-04T08:00:00-03:00')
    // The clock was set back to the day itself, which is not over.
    expect((await post(YESTERDAY)).status).toBe(400)
    addMovement(site(), { account: account(), kind: 'tarifaPixRecebido', cents: 30, origin: null })
    await setClock('2026-03-05T00:00:00-03:00')
    const { status, id } = (await post(YESTERDAY)).json
    expect(status).toBe('CONCLUIDO')
    const after = readStatement((await download(id)).text)
    expect(before.records.map(({ kind }) => kind)).toEqual(['saldoDiaAnterior', 'pixRecebido', 'saldoDia'])
    expect(after.records.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['saldoDiaAnterior', '1000000.00'],
      ['tarifaPixRecebido', '0.30'],
      ['pixRecebido', '10.00'],
      ['saldoDia', '1000009.70'],
    ])
    expect(balanceAtEndOf(site(), account(), '2026-03-04')).toBe(100_000_970)
  })

  it('of a day that is not over again is not ready', async () => {
    const { id } = (await post(YESTERDAY)).json
    await setClock('2026-03-04T23:59:59.999-03:00')
    expect(await download(id)).toMatchObject({ status: 202, json: { status: 'AGUARDANDO_PROCESSAMENTO' } })
  })

  it('changes no record', async () => {
    const { id } = (await post(YESTERDAY)).json
    await advance('30s')
    const before = running().simulator.sites.sandbox.records.dump()
    await download(id)
    await post(YESTERDAY)
    expect(running().simulator.sites.sandbox.records.dump()).toEqual(before)
  })
})
