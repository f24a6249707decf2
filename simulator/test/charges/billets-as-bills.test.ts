import { beforeEach, describe, expect, it } from 'vitest'
import { nextBusinessDay } from '../../src/rules/business-days.ts'
import { addDays, dayNumberOf } from '../../src/rules/calendar-date.ts'
import { type Answer, simulatorForFile } from '../running.ts'
import { subscriptionClient } from '../subscriptions/subscription-client.ts'
import { CUSTOMER, chargeClient, LINK } from './charge-client.ts'

const running = simulatorForFile()
/** Monday noon in São Paulo. */
const TODAY = '2026-03-02'
const DUE = '2026-03-10'
beforeEach(() => production.setTime(`${TODAY}T15:00:00Z`))

const production = chargeClient(running, 'production')
const subscriptions = subscriptionClient(running, 'production')
const sandbox = chargeClient(running, 'sandbox')
const NOON = 'T15:00:00Z'

async function withBillet(changes: object = {}, beside: object = {}, charge: object = {}) {
  const id = await production.createCharge(charge)
  const { status, text, json } = await production.payByBillet(id, changes, beside)
  if (status !== 200) throw new Error(text)
  return { id, line: json.data.barcode as string }
}
const detail = (line: string, environment: 'production' | 'sandbox' = 'production') =>
  running().ask('payment', { path: `/v1/codBarras/${line}` }, environment)
const payOnly = (line: string, valor: number, dataPagamento: string) =>
  running().ask(
    'payment',
    { method: 'POST', path: `/v1/codBarras/${line}`, body: { valor, dataPagamento } },
    'production',
  )
async function pay(line: string, valor: number, day: string = TODAY): Promise<string> {
  await detail(line)
  const { status, text, json } = await payOnly(line, valor, day)
  if (status !== 201) throw new Error(text)
  return json.idPagamento
}
const payment = async (id: string) => (await running().ask('payment', { path: `/v1/${id}` }, 'production')).json
const numberOf = (index: number) => running().simulator.sites.production.applications.accounts()[index]?.number
const balance = async (index: number) =>
  (await production.control('GET', `/accounts/${numberOf(index)}/balance`)).json.balance as number
const lastMovement = async (index: number) =>
  (await production.control('GET', `/accounts/${numberOf(index)}/movements`)).json.movements.at(-1)
const settle = (id: string): Promise<Answer> => production.control('POST', `/payments/${id}/settle`)

/** The check digit of a field: double every second digit from the right, add the digits of the products. */
function luhn(digits: string): number {
  const sum = [...digits].reverse().reduce((all, digit, index) => {
    const product = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return all + (product > 9 ? product - 9 : product)
  }, 0)
  return (10 - (sum % 10)) % 10
}
/** The general check digit: weights 2 to 9 from the right, 11 less the rest; 0, 10 and 11 become 1. */
function general(digits: string): number {
  const sum = [...digits].reverse().reduce((all, digit, index) => all + Number(digit) * (2 + (index % 8)), 0)
  const digit = 11 - (sum % 11)
  return digit > 9 ? 1 : digit
}
/** Factor 1000 is 22 February 2025. */
const factorOf = (date: string) => 1000 + dayNumberOf(date) - dayNumberOf('2025-02-22')

describe('the line of a billet', () => {
  it.each([
    [1, DUE],
    [10_000, '2026-12-31'],
    [9_999_999_999, TODAY],
  ])('of %d cents that is due on %s has right check digits, amount and due factor', async (value, expire_at) => {
    const { id, line } = await withBillet({ expire_at }, {}, { items: [{ name: 'Book', value }] })
    const fields = [line.slice(0, 10), line.slice(10, 21), line.slice(21, 32)]
    for (const field of fields) expect(luhn(field.slice(0, -1))).toBe(Number(field.at(-1)))
    const free = fields.map((field, index) => field.slice(index === 0 ? 4 : 0, -1)).join('')
    const tail = line.slice(33)
    expect(tail).toBe(`${factorOf(expire_at)}${String(value).padStart(10, '0')}`)
    expect(general(`9999${tail}${free}`)).toBe(Number(line[32]))
    expect(Number(free)).toBe(id)
  })

  it('names no date that is too far away for a due factor', async () => {
    const { line } = await withBillet({ expire_at: '9999-12-31' })
    expect(line.slice(33)).toBe('00000000010000')
    expect((await detail(line)).json.datas.vencimento).toBe('9999-12-31 00:00:00')
  })
})

describe('the detail of a billet (endpoint 9)', () => {
  it('has the parties and the terms of its charge', async () => {
    const account = running().simulator.sites.production.applications.accounts()[0]
    const conditional_discount = { type: 'percentage', value: 1500, until_date: '2026-03-04' }
    const { line } = await withBillet({}, { conditional_discount })
    const { status, json } = await detail(line)
    expect([status, json]).toEqual([
      200,
      {
        tipo: 'boleto',
        banco: { codigo: 999, nome: 'Banco 999' },
        codBarras: expect.stringMatching(/^9999\d1381\d{35}$/),
        linhaDigitavel: line,
        datas: { vencimento: '2026-03-10 00:00:00', limitePagamento: '9999-12-31 00:00:00' },
        beneficiario: { nome: account?.name, fantasia: account?.name, documento: account?.document },
        pagador: { nome: CUSTOMER.name, documento: CUSTOMER.cpf },
        valores: { original: 10_000, abatimento: 0, multa: 0, juros: 0, desconto: 1_500, final: 8_500 },
        informacoesPagamento: {
          divergente: { deveAceitar: false, valorMinimo: 8_500, valorMaximo: 8_500 },
          parcial: { deveAceitar: false, limiteDePagamentos: 0 },
          podeSerPago: true,
        },
      },
    ])
  })

  it('cannot be paid when the charge is paid or cancelled, nor for nothing', async () => {
    const [paid, canceled] = [await withBillet(), await withBillet()]
    const free = await withBillet({}, {}, { items: [{ name: 'Gift', value: 0 }] })
    await production.control('POST', `/charges/${paid.id}/pay`)
    await production.call('PUT', `/charge/${canceled.id}/cancel`)
    const details = [await detail(paid.line), await detail(canceled.line), await detail(free.line)]
    expect(details.map(({ json }) => [json.informacoesPagamento.podeSerPago, json.valores.final])).toEqual([
      [false, 0],
      [false, 10_000],
      [false, 0],
    ])
    const refusals = [await payOnly(paid.line, 10_000, TODAY), await payOnly(canceled.line, 10_000, TODAY)]
    expect(refusals.map(({ status, json }) => [status, json.descricao])).toEqual([
      [400, 'Este código de barras já foi pago, ou tem um pagamento em andamento.'],
      [400, 'Este código de barras não pode ser pago.'],
    ])
  })

  it.each(['production', 'sandbox'] as const)('refuses the zeros of the sandbox, in %s', async (environment) => {
    const { json } = await sandbox.payByBillet(await sandbox.createCharge())
    const answers = [await detail(json.data.barcode, environment), await detail('0'.repeat(44), environment)]
    expect(answers.map(({ status, json }) => [status, json.mensagem])).toEqual(
      Array(2).fill([400, 'Este boleto é do ambiente de testes e não pode ser pago.']),
    )
  })

  it('follows a change of the link: new digits for a new date or discount, and the old ones cannot be paid', async () => {
    const id = await production.createCharge()
    await production.call('POST', `/charge/${id}/link`, LINK)
    const { payment_url } = (await production.show(id)).link
    await running().askRaw(payment_url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...CUSTOMER, method: 'banking_billet' }).toString(),
    })
    const lineOf = async () => (await production.show(id)).payment.banking_billet.barcode
    const before = await lineOf()
    const changes = { expire_at: '2026-03-12', billet_discount: 2_500 }
    await production.call('PUT', `/charge/${id}/link`, { ...LINK, ...changes })
    const [old, now] = [(await detail(before)).json, (await detail(await lineOf())).json]
    expect([old.informacoesPagamento.podeSerPago, now.informacoesPagamento.podeSerPago]).toEqual([false, true])
    expect([now.datas.vencimento, now.valores.original, now.valores.final]).toEqual([
      ...['2026-03-12 00:00:00', 7_500, 7_500],
    ])
    const conditional_discount = { type: 'currency', value: 500, until_date: '2026-03-12' }
    await production.call('PUT', `/charge/${id}/link`, { ...LINK, ...changes, conditional_discount })
    expect((await detail(await lineOf())).json.valores).toMatchObject({ desconto: 500, final: 7_000 })
  })

  it('keeps the terms of the charge: the control API can only make it unknown or withdraw it', async () => {
    const { line } = await withBillet()
    const patch = (terms: object) => production.control('PATCH', `/bills/${line}`, terms)
    const refused = await patch({ fine: null, abatement: 5 })
    expect([refused.status, refused.json.error]).toEqual([
      409,
      expect.stringMatching(/^abatement, fine: follows from charge \d+; of its billet only unknown and payable/),
    ])
    expect((await patch({ payable: false })).status).toBe(200)
    expect((await detail(line)).json.informacoesPagamento.podeSerPago).toBe(false)
    await patch({ payable: true, unknown: true })
    expect((await detail(line)).status).toBe(400)
    await patch({ unknown: false })
    expect((await detail(line)).json.informacoesPagamento.podeSerPago).toBe(true)
  })
})

describe('what a billet costs', () => {
  const LATE = { fine: 200, interest: 33 }

  it('late: the fine in hundredths of a percent once, the interest in thousandths for each day', async () => {
    const { id, line } = await withBillet({ configurations: LATE }, {}, { items: [{ name: 'Book', value: 100_000 }] })
    await production.setTime(`2026-03-20${NOON}`)
    expect((await detail(line)).json.valores).toMatchObject({ multa: 2_000, juros: 330, final: 102_330 })
    await production.control('POST', `/charges/${id}/pay`)
    expect((await production.show(id)).payment.paid_value).toBe(102_330)
  })

  it('is the same for both interfaces, on any day, with every discount and rate', async () => {
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    for (let round = 0; round < 12; round++) {
      await production.setTime(`${TODAY}${NOON}`)
      const expire_at = addDays(TODAY, random(12))
      const type = random(2) === 0 ? 'currency' : 'percentage'
      const discount = {
        type,
        value: random(type === 'currency' ? 3_000 : 4_000),
        until_date: addDays(TODAY, random(12)),
      }
      const configurations = { fine: random(1_000), interest: random(330) }
      const items = [{ name: 'Book', value: 1 + random(20_000), amount: 1 + random(3) }]
      const { id, line } = await withBillet(
        { expire_at, configurations },
        { conditional_discount: discount },
        { items },
      )
      const day = nextBusinessDay(addDays(TODAY, random(25)))
      await production.setTime(`${day}${NOON}`)
      const { final } = (await detail(line)).json.valores
      await production.control('POST', `/charges/${id}/pay`)
      expect([round, (await production.show(id)).payment.paid_value]).toEqual([round, final])
    }
  })

  it('has at most ten digits of fine and of interest', async () => {
    const configurations = { fine: Number.MAX_SAFE_INTEGER, interest: Number.MAX_SAFE_INTEGER }
    const { id, line } = await withBillet({ configurations })
    await production.setTime(`2026-03-20${NOON}`)
    expect((await detail(line)).json.valores.final).toBe(20_000_009_998)
    await production.control('POST', `/charges/${id}/pay`)
    expect((await production.show(id)).payment.paid_value).toBe(20_000_009_998)
  })
})

describe('paying a billet (endpoint 10)', () => {
  it('pays its charge at the execution: record, notification, mail and both ledgers', async () => {
    const metadata = { notification_url: 'http://127.0.0.1:9/x' }
    const { id, line } = await withBillet({ message: 'Thank you' }, {}, { metadata })
    const before = [await balance(0), await balance(1)]
    const token = await running().tokenOf('payment', { environment: 'production', account: 1 })
    const ask = (method: string, body?: object) =>
      running().askRaw(
        `${running().baseOf('payment', 'production')}/v1/codBarras/${line}`,
        {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        },
        running().tlsOf('production', 1),
      )
    await ask('GET')
    const { json } = await ask('POST', { valor: 10_000, dataPagamento: TODAY })
    expect([json.status, await production.statusOf(id)]).toEqual(['EM_PROCESSAMENTO', 'waiting'])
    await production.advance('30s')
    const shown = await production.show(id)
    expect([shown.status, shown.payment]).toMatchObject([
      'paid',
      { paid_at: '2026-03-02 12:00:30', paid_value: 10_000, received_by_bank_at: TODAY },
    ])
    expect([await balance(0), await balance(1)]).toEqual([(before[0] ?? 0) + 10_000, (before[1] ?? 0) - 10_000])
    const [received, sent] = await Promise.all([0, 1].map(lastMovement))
    expect([received, sent]).toMatchObject([
      { kind: 'transferenciaRecebida', amount: 10_000, origin: { kind: 'charge', id } },
      { kind: 'transferenciaEnviada', amount: 10_000, origin: { kind: 'bill_payment', id: Number(json.idPagamento) } },
    ])
    const { callbacks } = (await production.control('GET', '/callbacks')).json
    const bodies = callbacks.map(({ body }: { body: string }) => body)
    const told = bodies.find((body: string) => body.includes('"status":"paid"'))
    expect(JSON.parse(told).notification.entries).toMatchObject([
      { charge_id: id, created_at: '2026-03-02 12:00:30', received_by_bank_at: TODAY },
    ])
    const { messages } = (await production.control('GET', '/outbox')).json
    expect(messages.at(-1)).toMatchObject({ to: CUSTOMER.email, text: expect.stringContaining('Thank you') })
    expect((await detail(line)).json.informacoesPagamento.podeSerPago).toBe(false)
  })

  it('on a later day: the amount and day of that day', async () => {
    const { id, line } = await withBillet({ configurations: { fine: 200 } })
    const payId = await pay(line, 10_200, '2026-03-11')
    await production.setTime(`2026-03-10${NOON}`)
    expect(await production.statusOf(id)).toBe('waiting')
    await production.setTime(`2026-03-11${NOON}`)
    expect(await payment(payId)).toMatchObject({ status: 'LIQUIDADO', valorPago: 10_200 })
    expect((await production.show(id)).payment).toMatchObject({
      paid_value: 10_200,
      received_by_bank_at: '2026-03-11',
      paid_at: '2026-03-11 08:00:30',
    })
  })

  it('that the control API settles before its day pays the charge today, with the amount of the payment', async () => {
    const discount = { type: 'currency', value: 500, until_date: '2026-03-04' }
    const { id, line } = await withBillet({}, { conditional_discount: discount })
    await settle(await pay(line, 10_000, '2026-03-05'))
    expect((await production.show(id)).payment).toMatchObject({ paid_value: 10_000, received_by_bank_at: TODAY })
  })

  it.each([
    ['was paid elsewhere', 'A cobrança já foi paga.', (id: number) => production.control('POST', `/charges/${id}/pay`)],
    ['was cancelled', 'O emissor retirou a cobrança.', (id: number) => production.call('PUT', `/charge/${id}/cancel`)],
  ])('is NAO_REALIZADO when the charge %s meanwhile, and takes no money', async (_what, reason, change) => {
    const { id, line } = await withBillet()
    const payId = await pay(line, 10_000, '2026-03-05')
    await change(id)
    const [before, status] = [await balance(0), await production.statusOf(id)]
    await production.setTime(`2026-03-05${NOON}`)
    expect(await payment(payId)).toMatchObject({ status: 'NAO_REALIZADO', motivoRecusa: reason })
    expect([await balance(0), await production.statusOf(id)]).toEqual([before, status])
  })

  it('that fails after its execution gives the payer the money back, and the charge stays paid', async () => {
    const { id, line } = await withBillet()
    const before = await balance(0)
    const payId = await pay(line, 10_000)
    await production.advance('30s')
    await production.control('POST', `/payments/${payId}/fail`)
    // The first account is payer and beneficiary.
    expect([await production.statusOf(id), await balance(0)]).toEqual(['paid', before + 10_000])
    const again = await payOnly(line, 10_000, TODAY)
    expect([again.status, (await payment(payId)).status]).toEqual([400, 'NAO_REALIZADO'])
  })

  it('pays the charges of a subscription', async () => {
    const id = await subscriptions.createSubscription()
    const { json } = await subscriptions.payByBillet(id)
    await settle(await pay(json.data.barcode, 10_000))
    expect((await subscriptions.recordOf(id)).history[0].status).toBe('paid')
  })
})

it('what comes next of a charge tells the payment that was requested for its billet, and that it pays the charge', async () => {
  const { id, line } = await withBillet({ expire_at: DUE })
  const idPagamento = await pay(line, 10_000, '2026-03-03')
  const timed = async () => {
    const { next } = (await production.control('GET', `/charges/${id}`)).json as { next: { at: string | null }[] }
    return next.filter(({ at }) => at !== null)
  }
  expect(await timed()).toEqual([
    { at: '2026-03-03T11:00:00.000Z', what: `payment ${idPagamento} becomes EM_PROCESSAMENTO` },
    { at: '2026-03-03T11:00:30.000Z', what: `payment ${idPagamento} becomes EXECUTADO: charge ${id} becomes paid` },
    { at: '2026-03-03T11:01:30.000Z', what: `payment ${idPagamento} becomes LIQUIDADO` },
  ])
  await production.control('POST', `/payments/${idPagamento}/cancel`)
  const due = [{ at: '2026-03-11T03:00:00.000Z', what: `the due date ${DUE} is over: charge ${id} becomes unpaid` }]
  expect(await timed()).toEqual(due)
})
