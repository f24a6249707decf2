import { expect, it } from 'vitest'
import { readBarcode } from '../../src/rules/barcode.ts'
import { simulatorForTest } from '../running.ts'
import { clientForFile, MONDAY } from './client.ts'

const client = clientForFile()
const make = (body: object) => client.running.control('POST', '/bills', body)
const read = (code: string) => {
  const reading = readBarcode(code)
  if (reading.outcome === 'refused') throw new Error(JSON.stringify(reading.problem))
  return reading.bill
}

it('makes a billet whose digits say what was asked for', async () => {
  const { status, json } = await make({ kind: 'billet', amount: 15_010, dueDate: '2026-04-30', bank: 1 })
  expect([status, json]).toMatchObject([
    ...[201, { kind: 'billet', amount: 15_010, dueDate: '2026-04-30', terms: { payableUntil: '2026-06-29' } }],
  ])
  expect(read(json.codBarras)).toMatchObject({ kind: 'billet', bank: 1, amountCents: 15_010 })
  expect(read(json.linhaDigitavel)).toEqual(read(json.codBarras))
})

it('makes a billet that is due in 7 days unless it says otherwise', async () => {
  expect((await make({ kind: 'billet', amount: 1 })).json.dueDate).toBe('2026-03-09')
})

it.each([
  [{ modulo: 10 }, { valueIdentifier: 6, segment: 2, amountCents: 5_000 }],
  [
    { modulo: 11, segment: 6 },
    { valueIdentifier: 8, segment: 6, amountCents: 5_000 },
  ],
  [
    { modulo: 10, amount: 0 },
    { valueIdentifier: 7, amountCents: null },
  ],
  [
    { modulo: 11, amount: 0, dueDate: '2026-03-20' },
    { valueIdentifier: 9, amountCents: null },
  ],
])('makes a tax of %j', async (wanted, digits) => {
  const { status, json } = await make({ kind: 'tax', amount: 5_000, ...wanted })
  expect(status).toBe(201)
  expect(read(json.codBarras)).toMatchObject(digits)
  expect(read(json.linhaDigitavel)).toMatchObject(digits)
  expect(json.dueDate).toBe('dueDate' in wanted ? wanted.dueDate : null)
})

it('makes another barcode each time', async () => {
  const codes = [await client.billet(), await client.billet(), await client.tax(), await client.tax()]
  expect(new Set(codes).size).toBe(4)
})

it('refuses what no barcode can carry, and terms that do not belong together', async () => {
  const wrong = [
    { kind: 'billet', amount: 10_000_000_000 },
    { kind: 'billet', amount: 1, bank: 850 },
    { kind: 'billet', amount: 1, dueDate: '1999-12-31' },
    { kind: 'billet', amount: 1, dueDate: '2045-01-01' },
    { kind: 'billet', amount: 1, divergent: { min: 2, max: 1 } },
    { kind: 'billet', amount: 1, fine: { type: 'currency', value: -1 } },
    { kind: 'billet', amount: 1, partial: { maxPayments: 0 } },
    { kind: 'billet', amount: 1, colour: 'red' },
    { kind: 'tax', amount: 1, segment: 8 },
    { kind: 'tax', amount: 1, fine: null },
    { kind: 'cheque', amount: 1 },
    {},
  ]
  const answers = await Promise.all(wrong.map(make))
  expect(answers.map(({ status, json }, index) => [wrong[index], status, typeof json.error])).toEqual(
    wrong.map((body) => [body, 400, 'string']),
  )
  expect((await client.running.control('GET', '/bills')).json).toEqual([])
})

it('changes terms one by one, and null takes them away', async () => {
  const code = await client.billet({ fine: { type: 'currency', value: 100 }, abatement: 10 })
  const patched = await client.patch(code, { partial: { maxPayments: 5 }, fine: null })
  expect([patched.status, patched.json.terms]).toEqual([
    ...[200, expect.objectContaining({ partial: { maxPayments: 5 }, fine: null, abatement: 10 })],
  ])
  const { json } = await client.show(code)
  expect([json.informacoesPagamento.parcial, json.valores.abatimento]).toEqual([
    ...[{ deveAceitar: true, limiteDePagamentos: 5 }, 10],
  ])
})

it('changes bills of other issuers, by barcode or typeable line', async () => {
  const line = '10498527246100010004200649158714796260000065000'
  await client.at('2024-02-09 12:00:00')
  const { json } = await client.show(line)
  await client.patch(line, { payer: { name: 'José', document: '10473298597' } })
  expect((await client.show(json.codBarras)).json).toEqual({
    ...json,
    pagador: { nome: 'José', documento: '10473298597' },
  })
})

it('says why a change is refused', async () => {
  const answers = [
    await client.patch(await client.tax(), { fine: null }),
    await client.patch('123', { payable: false }),
    await client.patch('846200000004470000113220292826006077729363538005', { payable: false }),
    await client.patch(await client.billet(), { amount: 1 }),
  ]
  expect(answers.map(({ status, json }) => [status, json.error])).toEqual([
    [400, 'only a billet has fine, not a utility or tax'],
    [400, '123 is no barcode and no typeable line: it has 3 digits, not 44, nor 47, nor 48 with an 8 in front'],
    [400, expect.stringMatching(/: the check digit at position 48 is 5, not 4$/)],
    [400, expect.stringContaining('/amount')],
  ])
})

it('strict errors have nome and mensagem at endpoints 9 to 11', async () => {
  const running = await simulatorForTest({ errors: 'strict' })
  const body = { valor: 1, dataPagamento: MONDAY }
  const answers = [
    await running.ask('payment', { path: '/v1/codBarras/1' }),
    await running.ask('payment', { path: `/v1/codBarras/${'x'.repeat(44)}` }),
    await running.ask('payment', { method: 'POST', path: '/v1/codBarras/1', body }),
    await running.ask('payment', { method: 'POST', path: '/v1/codBarras/1', body: '{' }),
    await running.ask('payment', { path: '/v1/1' }),
  ]
  expect(answers.map(({ status, json }) => [status, Object.keys(json), json.nome])).toEqual(
    answers.map(() => [400, ['nome', 'mensagem'], 'erro_de_validacao']),
  )
})

it('each environment has bills, payments and balances of its own', async () => {
  const { codBarras } = (
    await client.running.control('POST', '/bills?environment=production', { kind: 'tax', amount: 5 })
  ).json
  await client.running.ask('payment', { path: `/v1/codBarras/${codBarras}` }, 'production')
  const paid = { method: 'POST', path: `/v1/codBarras/${codBarras}`, body: { valor: 5, dataPagamento: MONDAY } }
  expect((await client.running.ask('payment', paid, 'production')).status).toBe(201)
  await client.advance('5m')
  const number = client.running.simulator.sites.production.applications.list()[0]?.account
  const balance = await client.running.control('GET', `/accounts/${number}/balance?environment=production`)
  expect([balance.json.balance, client.site.records.dump()['sandbox.payments']]).toEqual([99_999_995, undefined])
})
