import { expect, it } from 'vitest'
import { payerIn } from '../../../src/domain/search/event-payer.ts'

it.each([
  [{ pagador: { nome: 'Maria', cpf: '1' } }, 'Maria'],
  [{ pix: [{ txid: '1', pagador: { nome: 'Maria' } }] }, 'Maria'],
  [{ pix: [{ txid: '1', extras: { pagador: { nome: 'Maria' } } }] }, 'Maria'],
  [{ notification: { entries: [{ customer: { corporate_name: 'Livraria' } }] } }, 'Livraria'],
  [{ pagador: '***' }, '***'],
  [{ pagador: { cpf: '1', nome: '' } }, null],
  [{ pagador: null, favorecido: { nome: 'Maria' } }, null],
  [[{ pagador: { nome: 'A' } }, { pagador: { nome: 'B' } }], null],
  ['pagador', null],
  [null, null],
])('the payer in %j is %j', (data, payer) => {
  expect(payerIn(data)).toBe(payer)
})
