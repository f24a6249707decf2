import { describe, expect, it } from 'vitest'
import { clientForFile, MONDAY } from './client.ts'

const client = clientForFile()

const refusal = (descricao: unknown = expect.any(String)) => ({ status: 400, json: { erro: 0, descricao } })
async function idOf(paying: ReturnType<typeof client.pay>): Promise<string> {
  const { status, json, text } = await paying
  if (status !== 201) throw new Error(`not paid: ${text}`)
  return json.idPagamento
}
const statusOf = async (id: string) => (await client.payment(id)).json.status
const balance = async () => (await client.running.control('GET', `/accounts/${client.account}/balance`)).json.balance
const setBalance = (cents: number) =>
  client.running.control('PUT', `/accounts/${client.account}/balance`, { balance: cents })

describe('endpoint 10', () => {
  it('accepts a payment of the same day, which is processed at once', async () => {
    const { status, json } = await client.pay(await client.billet(), { descricao: 'conta' })
    expect([status, json]).toEqual([
      201,
      {
        idPagamento: expect.stringMatching(/^\d+$/),
        valorPago: 10_000,
        status: 'EM_PROCESSAMENTO',
        data: { solicitacao: '2026-03-02 12:00:00', pagamento: '2026-03-02 00:00:00' },
      },
    ])
  })

  it('takes the typeable line too, and the description may be missing', async () => {
    const { json } = await client.show(await client.billet())
    expect((await client.payOnly(json.linhaDigitavel, { valor: 10_000, dataPagamento: MONDAY })).status).toBe(201)
  })

  it('requires that the account asked for the detail before', async () => {
    const code = await client.billet()
    const body = { valor: 10_000, dataPagamento: MONDAY }
    expect(await client.payOnly(code, body)).toMatchObject(refusal('Consulte o código de barras antes de pagar.'))
    const other = {
      headers: { authorization: `Bearer ${await client.running.tokenOf('payment', { account: 1 })}` },
    }
    const url = `${client.running.baseOf('payment')}/v1/codBarras/${code}`
    expect((await client.running.askRaw(url, other, client.running.tlsOf('sandbox', 1))).status).toBe(200)
    expect(await client.payOnly(code, body)).toMatchObject(refusal('Consulte o código de barras antes de pagar.'))
  })

  it('refuses wrong bodies with every violation', async () => {
    const code = await client.billet()
    await client.show(code)
    const wrong: [unknown, RegExp][] = [
      [{}, /^valor: informe um número .*; dataPagamento: informe uma data [^;]*$/],
      ['', /^valor: /],
      ['{"valor":', /JSON/],
      [[], /^corpo: /],
      [{ valor: 0, dataPagamento: MONDAY }, /^valor: /],
      [{ valor: 100.5, dataPagamento: MONDAY }, /^valor: /],
      [{ valor: '10000', dataPagamento: MONDAY }, /^valor: /],
      [{ valor: 10_000, dataPagamento: '2026-02-30' }, /^dataPagamento: /],
      [{ valor: 10_000, dataPagamento: '02/03/2026' }, /^dataPagamento: /],
      [{ valor: 10_000, dataPagamento: MONDAY, descricao: 7 }, /^descricao: /],
      [{ valor: 10_000, dataPagamento: MONDAY, moeda: 'BRL' }, /^moeda: /],
    ]
    for (const [body, text] of wrong)
      expect(await client.payOnly(code, body)).toMatchObject(refusal(expect.stringMatching(text)))
  })

  it('refuses wrong digits', async () => {
    const code = await client.billet()
    for (const wrong of [code.slice(1), `${code.slice(0, -1)}9`, 'x'])
      expect(await client.payOnly(wrong, { valor: 1, dataPagamento: MONDAY })).toMatchObject(refusal())
  })

  it('refuses a bill that was withdrawn, and one after its last day', async () => {
    const withdrawn = await client.billet({ payable: false })
    expect(await client.pay(withdrawn)).toMatchObject(refusal('Este código de barras não pode ser pago.'))
    expect((await client.show(withdrawn)).json.informacoesPagamento.podeSerPago).toBe(false)
    const late = await client.billet({ payableUntil: '2026-03-09' })
    const tooLate = refusal('O prazo para pagamento deste código de barras terminou.')
    expect(await client.pay(late, { dataPagamento: '2026-03-10' })).toMatchObject(tooLate)
    expect((await client.show(late)).json.informacoesPagamento.podeSerPago).toBe(true)
    expect((await client.pay(late, { dataPagamento: '2026-03-09' })).status).toBe(201)
    const over = await client.billet({ payableUntil: '2026-03-01' })
    expect((await client.show(over)).json.informacoesPagamento.podeSerPago).toBe(false)
    expect((await client.pay(await client.tax({ payable: false }), { valor: 5_000 })).status).toBe(400)
  })

  it('refuses a bill that was paid or is being paid, until that payment fails', async () => {
    for (const [code, valor] of [[await client.billet(), 10_000] as const, [await client.tax(), 5_000] as const]) {
      const id = await idOf(client.pay(code, { valor }))
      const paid = refusal('Este código de barras já foi pago, ou tem um pagamento em andamento.')
      expect(await client.pay(code, { valor })).toMatchObject(paid)
      await client.move(id, 'fail')
      expect((await client.pay(code, { valor })).status).toBe(201)
    }
  })
})

describe('amounts', () => {
  it('of a billet and of a tax are exact, unless others are accepted', async () => {
    for (const [code, valor] of [[await client.billet(), 10_000] as const, [await client.tax(), 5_000] as const]) {
      for (const wrong of [valor - 1, valor + 1])
        expect(await client.pay(code, { valor: wrong })).toMatchObject(
          refusal(`O valor na data do pagamento é ${valor}, em centavos.`),
        )
      expect((await client.pay(code, { valor })).status).toBe(201)
    }
  })

  it.each([
    [4_999, 400],
    [5_000, 201],
    [20_000, 201],
    [20_001, 400],
  ])('a divergent amount of %d within 5000 to 20000: %d', async (valor, status) => {
    const code = await client.billet({ divergent: { min: 5_000, max: 20_000 } })
    expect((await client.pay(code, { valor })).status).toBe(status)
    expect((await client.show(code)).json.informacoesPagamento.podeSerPago).toBe(status === 400)
  })

  it('the exact one is accepted outside the bounds of divergent ones', async () => {
    const code = await client.billet({ divergent: { min: 100, max: 200 } })
    expect((await client.pay(code)).status).toBe(201)
  })

  it('are those of the day of payment: a fine that begins before it counts', async () => {
    const code = await client.billet({ fine: { type: 'currency', value: 250 } })
    expect((await client.pay(code, { dataPagamento: '2026-03-10' })).status).toBe(400)
    expect((await client.pay(code, { dataPagamento: '2026-03-10', valor: 10_250 })).status).toBe(201)
  })

  it('that are refused are answered with those that are accepted', async () => {
    const texts = [
      [await client.billet({ divergent: { min: 5, max: 7 } }), 'é 10000; outros valores vão de 5 a 7'],
      [await client.tax({ amount: 0 }), 'O valor vai de 1 a 9999999999'],
    ] as const
    for (const [code, text] of texts)
      expect(await client.pay(code, { valor: 10_000_000_000 })).toMatchObject(refusal(expect.stringContaining(text)))
  })

  it('any amount is accepted where the digits name none', async () => {
    for (const code of [await client.billet({ amount: 0 }), await client.tax({ amount: 0 })])
      expect((await client.pay(code, { valor: 1_234 })).status).toBe(201)
  })
})

describe('partial payments', () => {
  const partial = { partial: { maxPayments: 2 } }

  it('reduce what is left, and end at limiteDePagamentos', async () => {
    const code = await client.billet(partial)
    expect((await client.pay(code, { valor: 10_001 })).status).toBe(400)
    expect((await client.pay(code, { valor: 3_000 })).status).toBe(201)
    const { valores, informacoesPagamento } = (await client.show(code)).json
    expect([valores.final, informacoesPagamento.podeSerPago]).toEqual([7_000, true])
    expect((await client.pay(code, { valor: 7_001 })).status).toBe(400)
    expect((await client.pay(code, { valor: 6_000 })).status).toBe(201)
    expect(await client.pay(code, { valor: 1_000 })).toMatchObject(
      refusal('O limite de pagamentos parciais foi atingido.'),
    )
    expect((await client.show(code)).json.informacoesPagamento.podeSerPago).toBe(false)
  })

  it('end when everything is paid', async () => {
    const code = await client.billet(partial)
    expect((await client.pay(code, { valor: 10_000 })).status).toBe(201)
    expect((await client.pay(code, { valor: 1 })).status).toBe(400)
  })

  it('that failed or were canceled do not count', async () => {
    const code = await client.billet(partial)
    await client.move(await idOf(client.pay(code, { valor: 9_000 })), 'fail')
    await client.move(await idOf(client.pay(code, { valor: 9_000, dataPagamento: '2026-03-03' })), 'cancel')
    await idOf(client.pay(code, { valor: 4_000 }))
    expect((await client.pay(code, { valor: 6_000 })).status).toBe(201)
  })

  it('of an amount below the lowest divergent one are refused', async () => {
    const code = await client.billet({ ...partial, divergent: { min: 5_000, max: 10_000 } })
    expect((await client.pay(code, { valor: 4_999 })).status).toBe(400)
    expect((await client.pay(code, { valor: 5_000 })).status).toBe(201)
  })

  it('that were accepted together are all executed, although the later one costs a fine', async () => {
    const code = await client.billet({ ...partial, dueDate: MONDAY, fine: { type: 'currency', value: 500 } })
    const first = await idOf(client.pay(code, { valor: 4_000 }))
    const second = await idOf(client.pay(code, { valor: 6_500, dataPagamento: '2026-03-03' }))
    await client.advance('48h')
    expect([await statusOf(first), await statusOf(second)]).toEqual(['LIQUIDADO', 'LIQUIDADO'])
  })
})

describe('several payments of one billet', () => {
  it('the earlier request has precedence at the request, also where the later one would be executed first', async () => {
    const code = await client.billet()
    const first = await idOf(client.pay(code, { dataPagamento: '2026-03-03' }))
    expect(await client.pay(code)).toMatchObject(
      refusal('Este código de barras já foi pago, ou tem um pagamento em andamento.'),
    )
    await client.advance('48h')
    expect(await statusOf(first)).toBe('LIQUIDADO')
  })

  it('the earlier request has precedence at the execution, also of the one that is executed first', async () => {
    const code = await client.billet({ partial: { maxPayments: 2 } })
    const first = await idOf(client.pay(code, { valor: 4_000, dataPagamento: '2026-03-03' }))
    const second = await idOf(client.pay(code, { valor: 6_000 }))
    await client.patch(code, { partial: { maxPayments: 1 } })
    await client.advance('48h')
    expect([await statusOf(first), await statusOf(second)]).toEqual(['LIQUIDADO', 'NAO_REALIZADO'])
    expect((await client.payment(second)).json.retornoBancario).toBe('O limite de pagamentos parciais foi atingido.')
  })
})

describe('cut-offs of the same day', () => {
  it.each([
    ['a billet', { amount: 24_900_000 }, '22:00:00', '22:00:01'],
    ['a billet above 249000.00', { amount: 24_900_001 }, '14:00:00', '14:00:01'],
    ['a tax', { kind: 'tax', amount: 100 }, '18:00:00', '18:00:01'],
  ])('of %s', async (_what, terms, last, after) => {
    const make = () => ('kind' in terms ? client.tax(terms) : client.billet(terms))
    const codes = [await make(), await make(), await make()] as const
    const body = { valor: terms.amount, dataPagamento: MONDAY }
    await client.at(`${MONDAY} ${last}`)
    expect((await client.pay(codes[0], body)).json.status).toBe('EM_PROCESSAMENTO')
    await client.at(`${MONDAY} ${after}`)
    expect(await client.pay(codes[1], body)).toMatchObject(refusal(expect.stringContaining(last)))
    const tomorrow = await client.pay(codes[2], { ...body, dataPagamento: '2026-03-03' })
    expect([tomorrow.status, tomorrow.json.status]).toEqual([201, 'AGENDADO'])
  })

  it('a date that is over is refused, the same day at 00:00:00 is not', async () => {
    await client.at('2026-03-03 00:00:00')
    const code = await client.billet()
    expect(await client.pay(code, { dataPagamento: MONDAY })).toMatchObject(refusal('A data de pagamento já passou.'))
    expect((await client.pay(code)).status).toBe(201)
  })
})

describe('scheduling', () => {
  it('a day that is no business day means the next one', async () => {
    const code = await client.billet()
    const { json } = await client.pay(code, { dataPagamento: '2026-03-07' })
    expect([json.status, json.data.pagamento]).toEqual(['AGENDADO', '2026-03-09 00:00:00'])
  })

  it('a payment waits for 08:00 of its day, and is executed and settled then', async () => {
    const id = await idOf(client.pay(await client.billet(), { dataPagamento: '2026-03-04' }))
    await client.at('2026-03-04 07:59:59')
    expect(await statusOf(id)).toBe('AGENDADO')
    await client.advance('1s')
    expect(await statusOf(id)).toBe('EM_PROCESSAMENTO')
    await client.advance('30s')
    expect((await client.payment(id)).json).toMatchObject({
      status: 'EXECUTADO',
      data: { solicitacao: '2026-03-02 12:00:00', pagamento: '2026-03-04 08:00:30' },
    })
    await client.advance('59s')
    expect(await statusOf(id)).toBe('EXECUTADO')
    await client.advance('1s')
    expect(await statusOf(id)).toBe('LIQUIDADO')
  })
})

describe('the execution', () => {
  it('takes the amount from the account', async () => {
    await setBalance(10_000)
    await idOf(client.pay(await client.billet()))
    expect(await balance()).toBe(10_000)
    await client.advance('30s')
    expect(await balance()).toBe(0)
  })

  it('without enough balance the payment is not made', async () => {
    await setBalance(9_999)
    const id = await idOf(client.pay(await client.billet()))
    await client.advance('5m')
    expect((await client.payment(id)).json).toMatchObject({
      status: 'NAO_REALIZADO',
      motivoRecusa: 'A conta não tem saldo suficiente.',
    })
    expect(await balance()).toBe(9_999)
  })

  it('finds a bill that its issuer withdrew, or that is no longer known', async () => {
    for (const terms of [{ payable: false }, { unknown: true }]) {
      const code = await client.billet()
      const id = await idOf(client.pay(code, { dataPagamento: '2026-03-04' }))
      await client.patch(code, terms)
      await client.at('2026-03-05 00:00:00')
      expect(await statusOf(id)).toBe('NAO_REALIZADO')
      await client.at(`${MONDAY} 12:00:00`)
    }
  })
})

describe('endpoint 11', () => {
  it('shows a settled payment without a reason', async () => {
    const id = await idOf(client.pay(await client.billet()))
    await client.advance('5m')
    expect((await client.payment(id)).json).toEqual({
      idPagamento: id,
      valorPago: 10_000,
      status: 'LIQUIDADO',
      motivoRecusa: null,
      data: { solicitacao: '2026-03-02 12:00:00', pagamento: '2026-03-02 12:00:30' },
    })
  })

  it('shows a payment that was not made with retornoBancario, and protocolo null', async () => {
    const code = await client.billet()
    const id = await idOf(client.pay(code, { descricao: 'conta' }))
    await client.move(id, 'fail', { reason: 'Conta encerrada.' })
    const { linhaDigitavel } = (await client.show(code)).json
    expect((await client.payment(id)).json).toEqual({
      idPagamento: id,
      valorPago: 10_000,
      status: 'NAO_REALIZADO',
      motivoRecusa: 'Conta encerrada.',
      data: { solicitacao: '2026-03-02 12:00:00', pagamento: '2026-03-02 00:00:00' },
      codBarras: code,
      linhaDigitavel,
      retornoBancario: 'Conta encerrada.',
      protocolo: null,
      descricao: 'conta',
      horario: { solicitacao: '2026-03-02 12:00:00' },
    })
  })

  it('refuses ids of other accounts and unknown ones; what is no number is another path', async () => {
    const id = await idOf(client.pay(await client.billet()))
    const headers = { authorization: `Bearer ${await client.running.tokenOf('payment', { account: 1 })}` }
    const url = `${client.running.baseOf('payment')}/v1/${id}`
    const foreign = await client.running.askRaw(url, { headers }, client.running.tlsOf('sandbox', 1))
    expect(foreign).toMatchObject(refusal('Este pagamento não existe.'))
    expect(await client.payment('7')).toMatchObject(refusal('Este pagamento não existe.'))
    const headersOfOwn = { authorization: `Bearer ${await client.running.tokenOf('payment')}` }
    const other = `${client.running.baseOf('payment')}/v1/7a`
    expect((await client.running.askRaw(other, { headers: headersOfOwn }, client.running.tlsOf())).status).toBe(404)
  })

  it('writes nothing, and neither does endpoint 12', async () => {
    const id = await idOf(client.pay(await client.billet()))
    const before = client.site.records.dump()
    await client.payment(id)
    await client.running.ask('payment', { path: `/v1/resumo?dataInicio=${MONDAY}&dataFim=${MONDAY}` })
    expect(client.site.records.dump()).toEqual(before)
  })
})

describe('the control API', () => {
  it('cancels a scheduled payment only', async () => {
    const id = await idOf(client.pay(await client.billet(), { dataPagamento: '2026-03-04' }))
    const { status, json } = await client.move(id, 'cancel', { reason: 'Mudei de ideia.' })
    expect([status, json.status, json.reason]).toEqual([200, 'CANCELADO', 'Mudei de ideia.'])
    await client.at('2026-03-05 00:00:00')
    expect((await client.payment(id)).json).toMatchObject({ status: 'CANCELADO', motivoRecusa: 'Mudei de ideia.' })
    const processed = await idOf(client.pay(await client.billet()))
    const refused = await client.move(processed, 'cancel')
    expect([refused.status, refused.json.error]).toEqual([
      ...[409, `payment ${processed} is EM_PROCESSAMENTO: it cannot become CANCELADO`],
    ])
  })

  it('lets a payment fail in every state that is not final, and the amount goes back', async () => {
    await setBalance(50_000)
    const scheduled = await idOf(client.pay(await client.billet(), { dataPagamento: '2026-03-04' }))
    const processed = await idOf(client.pay(await client.billet()))
    const executed = await idOf(client.pay(await client.billet()))
    await client.move(scheduled, 'fail')
    await client.move(processed, 'fail')
    await client.advance('30s')
    expect([await statusOf(executed), await balance()]).toEqual(['EXECUTADO', 40_000])
    await client.move(executed, 'fail')
    expect(await balance()).toBe(50_000)
    for (const id of [scheduled, processed, executed]) {
      expect(await statusOf(id)).toBe('NAO_REALIZADO')
      expect((await client.move(id, 'fail')).status).toBe(409)
    }
  })

  it('settles a payment at once, whose own steps do nothing afterwards', async () => {
    await setBalance(10_000)
    const id = await idOf(client.pay(await client.billet(), { dataPagamento: '2026-03-04' }))
    expect((await client.move(id, 'settle')).json.status).toBe('LIQUIDADO')
    await client.at('2026-03-05 00:00:00')
    expect([await statusOf(id), await balance()]).toEqual(['LIQUIDADO', 0])
    expect((await client.move(id, 'settle')).status).toBe(409)
    expect((await client.move('7', 'settle')).status).toBe(404)
  })

  it('lists payments, and bills with their payments', async () => {
    const code = await client.billet()
    const id = await idOf(client.pay(code))
    const payment = {
      idPagamento: id,
      account: client.account,
      codBarras: code,
      amount: 10_000,
      day: MONDAY,
      status: 'EM_PROCESSAMENTO',
      reason: null,
    }
    expect((await client.running.control('GET', '/payments')).json).toEqual([payment])
    expect((await client.running.control('GET', '/bills')).json).toEqual([
      expect.objectContaining({ codBarras: code, kind: 'billet', dueDate: '2026-03-09', payments: [payment] }),
    ])
    expect((await client.running.control('GET', '/payments?environment=production')).json).toEqual([])
  })

  it('says which balance it cannot set', async () => {
    const answers = [
      await client.running.control('PUT', '/accounts/7/balance', { balance: 1 }),
      await client.running.control('PUT', `/accounts/${client.account}/balance`, { balance: 1.5 }),
    ]
    expect(answers.map(({ status, json }) => [status, json.error])).toEqual([
      [404, expect.stringContaining(client.account)],
      [400, expect.stringContaining('/balance')],
    ])
  })
})
