/** Calls that must not compile: an error that the compiler does not find is an error itself. */

import * as account from './account/index.ts'
import * as charges from './charges/index.ts'
import * as payment from './payment/index.ts'

export async function wrong() {
  // @ts-expect-error: an id is a number
  await charges.showCharge({ path: { id: 'one' } })
  // @ts-expect-error: items are required
  await charges.createCharge({ body: {} })
  // @ts-expect-error: a member is misspelt
  await charges.createPlan({ body: { name: 'Mensal', interval: 1, repeat: 2 } })
  // @ts-expect-error: a Boolean is no number
  await account.showBalance({ query: { bloqueios: 1 } })
  // @ts-expect-error: the end of the period is required
  await payment.summarizePayments({ query: { dataInicio: '2026-03-01' } })
  const { data } = await payment.showPayment({ path: { idPagamento: '1' }, throwOnError: true })
  // @ts-expect-error: no payment has this status
  return data.status === 'PAGO'
}
