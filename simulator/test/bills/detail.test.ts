import { describe, expect, it } from 'vitest'
import { clientForFile } from './client.ts'

const client = clientForFile()

/** From other people's documents. */
const BILLET_LINE = '23794150096000005550330090100006796240000021320'
const BILLET_BARCODE = '23797962400000213204150060000055503009010000'
const TAX_LINE = '846200000004470000113220292826006077729363538004'

describe('endpoint 9, a billet', () => {
  it('shows every field of the document', async () => {
    const code = await client.billet({
      bank: 341,
      beneficiary: { name: 'Loja S.A.', tradeName: 'Loja', document: '10458237000174' },
      payer: { name: 'Maria', document: '10473298597' },
      payableUntil: '2026-03-31',
      abatement: 100,
      discount: { type: 'currency', value: 500, until: '2026-03-05' },
      divergent: { min: 5_000, max: 20_000 },
      partial: { maxPayments: 3 },
    })
    const { status, json } = await client.show(code)
    expect([status, json]).toEqual([
      200,
      {
        tipo: 'boleto',
        banco: { codigo: 341, nome: 'Itaú' },
        codBarras: code,
        linhaDigitavel: expect.stringMatching(/^3419\d{43}$/),
        datas: { vencimento: '2026-03-09 00:00:00', limitePagamento: '2026-03-31 00:00:00' },
        beneficiario: { nome: 'Loja S.A.', fantasia: 'Loja', documento: '10458237000174' },
        pagador: { nome: 'Maria', documento: '10473298597' },
        valores: { original: 10_000, abatimento: 100, multa: 0, juros: 0, desconto: 500, final: 9_400 },
        informacoesPagamento: {
          divergente: { deveAceitar: true, valorMinimo: 5_000, valorMaximo: 20_000 },
          parcial: { deveAceitar: true, limiteDePagamentos: 3 },
          podeSerPago: true,
        },
      },
    ])
  })

  it('is the same one by barcode and by typeable line', async () => {
    const { json } = await client.show(await client.billet())
    expect((await client.show(json.linhaDigitavel)).json).toEqual(json)
  })

  it('of another issuer is known by its digits, the same one every time', async () => {
    await client.at('2024-02-09 12:00:00')
    const { json } = await client.show(BILLET_LINE)
    expect(json).toMatchObject({
      banco: { codigo: 237, nome: 'Bradesco' },
      codBarras: BILLET_BARCODE,
      linhaDigitavel: BILLET_LINE,
      datas: { vencimento: '2024-02-12 00:00:00' },
      valores: { original: 21_320, final: 21_320, multa: 0, juros: 0, desconto: 0 },
      informacoesPagamento: { podeSerPago: true, divergente: { deveAceitar: false } },
    })
    expect((await client.show(BILLET_BARCODE)).json).toEqual(json)
  })

  it('of another issuer can be paid although it is old', async () => {
    await client.at('2026-11-23 12:00:00')
    const { json } = await client.show(BILLET_LINE)
    expect([json.informacoesPagamento.podeSerPago, json.valores.final]).toEqual([true, 21_320])
  })

  it('without a due date is paid when it is presented', async () => {
    const { json } = await client.show(await client.billet({ dueDate: null }))
    expect(json.datas).toEqual({ vencimento: 'contraApresentacao', limitePagamento: '9999-12-31 00:00:00' })
  })

  it('without an amount takes any', async () => {
    const { json } = await client.show(await client.billet({ amount: 0 }))
    expect(json.informacoesPagamento.divergente).toEqual({
      deveAceitar: true,
      valorMinimo: 1,
      valorMaximo: 9_999_999_999,
    })
  })

  it('shows the amount of the day on which it would be paid: a due date at the weekend lasts until Monday', async () => {
    const terms = { dueDate: '2026-03-07', fine: { type: 'percentage', value: 200 } }
    const code = await client.billet({ ...terms, interest: { type: 'currency', value: 3 } })
    await client.at('2026-03-09 23:59:59')
    expect((await client.show(code)).json.valores.final).toBe(10_000)
    await client.at('2026-03-10 00:00:00')
    const { multa, juros, final } = (await client.show(code)).json.valores
    expect([multa, juros, final]).toEqual([200, 9, 10_209])
  })

  it('at a weekend shows the amount of Monday', async () => {
    const code = await client.billet({ dueDate: '2026-03-06', interest: { type: 'currency', value: 10 } })
    await client.at('2026-03-08 12:00:00')
    expect((await client.show(code)).json.valores.juros).toBe(30)
  })
})

describe('endpoint 9, a utility or tax', () => {
  it('has only the members that service-decisions.md lists', async () => {
    const { status, json } = await client.show(TAX_LINE)
    expect([status, json]).toEqual([
      200,
      {
        tipo: 'tributo',
        banco: null,
        codBarras: '84620000000470000113222928260060772936353800',
        linhaDigitavel: TAX_LINE,
        datas: { vencimento: 'contraApresentacao', limitePagamento: null },
        beneficiario: null,
        pagador: null,
        sacadorAvalista: null,
        valores: { original: 4_700, abatimento: null, pago: null, final: 4_700 },
        informacoesPagamento: null,
      },
    ])
  })

  it('has a due date when its free field begins with one', async () => {
    const code = await client.tax({ dueDate: '2026-03-20' })
    expect((await client.show(code)).json.datas.vencimento).toBe('2026-03-20 00:00:00')
  })
})

describe('endpoint 9, failures', () => {
  it('are 400: wrong digits, shorter than 44 or longer than 48 characters, something else than digits', async () => {
    const wrong = [
      [`${BILLET_BARCODE.slice(0, 4)}8${BILLET_BARCODE.slice(5)}`, 'erro_de_validacao'],
      [BILLET_LINE.replace('5550', '5551'), 'erro_de_validacao'],
      [`${BILLET_BARCODE}0`, 'erro_de_validacao'],
      [BILLET_BARCODE.slice(1), undefined],
      [`${TAX_LINE}0`, undefined],
      [`${BILLET_BARCODE.slice(1)}x`, 'Error'],
    ] as const
    for (const [code, nome] of wrong) {
      const { status, json } = await client.show(code)
      expect([code, status, json]).toEqual([
        ...[code, 400],
        { ...(nome !== undefined && { nome }), mensagem: expect.any(String) },
      ])
    }
  })

  it('48 digits are a typeable line only with an 8 in front', async () => {
    const { json } = await client.show('2'.repeat(48))
    expect(json.mensagem).toMatch(/47, ou 48 se o primeiro é 8: foram recebidos 48\.$/)
  })

  it('name the check digit that is wrong', async () => {
    const { json } = await client.show(BILLET_LINE.replace('5550', '5551'))
    expect(json.mensagem).toBe('O dígito verificador na posição 21 está errado: seria 1.')
  })

  it('are 400 for a barcode that the control API made unknown, also to pay it', async () => {
    await client.show(BILLET_LINE)
    const patched = await client.patch(BILLET_LINE, { unknown: true })
    expect([patched.status, patched.json.terms.unknown]).toEqual([200, true])
    const { status, json } = await client.show(BILLET_BARCODE)
    expect([status, json.nome, json.mensagem]).toEqual([
      ...[400, 'erro_de_validacao', 'Este código de barras não é conhecido.'],
    ])
    const paid = await client.payOnly(BILLET_LINE, { valor: 21_320, dataPagamento: '2026-03-02' })
    expect([paid.status, paid.json]).toEqual([400, { erro: 0, descricao: 'Este código de barras não é conhecido.' }])
    await client.patch(BILLET_LINE, { unknown: false })
    expect((await client.show(BILLET_BARCODE)).status).toBe(200)
  })
})

it('a detail writes nothing but that the account asked for it', async () => {
  const code = await client.billet()
  const dump = () => {
    const { 'sandbox.bookkeeping.detailed': detailed, ...rest } = client.site.records.dump()
    return { rest, detailed }
  }
  const before = dump()
  await client.show(code)
  const after = dump()
  await client.advance('1h')
  await client.show(code)
  expect([after.rest, Object.keys(after.detailed ?? {})]).toEqual([before.rest, [`${client.account} ${code}`]])
  expect(dump().detailed).toEqual(after.detailed)
})

it('each endpoint demands its scope', async () => {
  const code = await client.billet()
  const other = await client.running.tokenOf('payment', { scope: 'payment.webhook.read' })
  const denied = async (method: string, path: string, scope: string) => {
    const asked = { method, path, ...(method === 'POST' && { body: { valor: 1, dataPagamento: '2026-03-02' } }) }
    const refused = await client.running.ask('payment', { ...asked, token: other })
    const token = await client.running.tokenOf('payment', { scope })
    const { status } = await client.running.ask('payment', { ...asked, token })
    return [refused.status, refused.json.error, status]
  }
  expect([
    await denied('GET', `/v1/codBarras/${code}`, 'svc.barcode.read'),
    await denied('POST', `/v1/codBarras/${code}`, 'svc.barcode.pay.write'),
    await denied('GET', '/v1/1', 'svc.barcode.pay.read'),
    await denied('GET', '/v1/resumo?dataInicio=2026-01-01&dataFim=2026-01-31', 'svc.barcode.pay.read'),
  ]).toEqual([
    [403, 'insufficient_scope', 200],
    [403, 'insufficient_scope', 400],
    [403, 'insufficient_scope', 400],
    [403, 'insufficient_scope', 200],
  ])
})
