import { expect, it } from 'vitest'
import { RECORD_KINDS } from '../../../src/account/statements/record-kinds.ts'
import { clientForFile } from '../../bills/client.ts'
import { chargeClient } from '../../charges/charge-client.ts'
import { readStatement } from './read-statement.ts'

const bills = clientForFile({ bills: { settlementSeconds: 172_800 } })
const charges = chargeClient(() => bills.running, 'sandbox')
const tipoRegistros = Object.fromEntries(RECORD_KINDS.map((kind) => [kind, true]))

async function statementOf(dataMovimento: string) {
  const body = { dataMovimento, tipoRegistros }
  const request = { method: 'POST', path: '/v2/svc/relatorios/extrato-conciliacao', body }
  const { id } = (await bills.running.ask('account', request)).json
  await bills.advance('30s')
  return readStatement((await bills.running.ask('account', { path: `/v2/svc/relatorios/${id}` })).text)
}

it('has what moved the balance on its day, and begins with the balance at the end of the day before', async () => {
  const payment = (await bills.pay(await bills.billet())).json.idPagamento
  // A card of the sandbox moves nothing.
  await charges.payByCard(await charges.createCharge())
  await bills.advance('31s')
  await bills.at('2026-03-03 09:00:00')
  await bills.move(payment, 'fail')
  const received = { kind: 'pixRecebido', amount: 2500, description: 'a;"b" T;0' }
  await bills.running.control('POST', `/accounts/${bills.account}/movements`, received)
  await bills.at('2026-03-05 12:00:00')

  const days = []
  for (const date of ['2026-03-02', '2026-03-03', '2026-03-04']) days.push(await statementOf(date))
  const movements = days.map(({ records }) => records.slice(1, -1))
  expect(movements[0]).toMatchObject([
    { kind: 'transferenciaEnviada', time: '12:00:30.000', amount: '100.00', origin: 'idPagamento', originId: payment },
  ])
  const sent = movements[0]?.[0]?.id
  expect(movements[1]).toMatchObject([
    { kind: 'estornoTransferenciaEnviada', amount: '100.00', originId: payment, reverses: sent },
    { kind: 'pixRecebido', amount: '25.00', description: "a,'b' T,0", origin: '', originId: '' },
  ])
  expect(movements[2]).toEqual([])

  const { saldo } = (await bills.running.ask('account', { path: '/v2/svc/saldo' })).json
  const ends = ['1000000.00', '999900.00', '1000025.00', saldo]
  expect(days.map(({ records }) => records[0]?.amount)).toEqual(ends.slice(0, 3))
  expect(days.map(({ trailer }) => trailer[6])).toEqual(ends.slice(1))
})
