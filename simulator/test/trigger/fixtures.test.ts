import { expect, it } from 'vitest'
import * as carnets from '../../src/carnets/answers.ts'
import * as charges from '../../src/charges/answers.ts'
import { PAYMENT_STATUSES } from '../../src/money/payment.ts'
import { OPEN_BANKING_STATUSES, OPEN_BANKING_TYPES } from '../../src/open-banking/callback-values.ts'
import { newIds, TRIGGER_KINDS } from '../../src/trigger/fixtures.ts'

const NOW = new Date('2026-03-02T15:00:00Z')
const statesOf = (kind: string) => TRIGGER_KINDS[kind]?.states ?? []
const bodyOf = (kind: string, state: string, ids = newIds()) =>
  TRIGGER_KINDS[kind]?.fixtureOf(state, ids, NOW).body as Record<string, never>

it.each([
  // Document 1, "Payment request status" and "Simplified account opening", with the decisions of simulator/docs.
  ['payment', [...PAYMENT_STATUSES]],
  ['registration', ['conta_aberta', 'conta_recusada_pelo_cliente_final', 'teste_webhook']],
  ['open-banking', [...OPEN_BANKING_STATUSES, 'devolucao']],
  // Document 2, "Charge status" and "Subscription status"; a carnet's are in the decisions.
  ['charge', ['new', 'waiting', 'unpaid', 'link', 'canceled', 'paid', 'expired']],
  ['subscription', ['new', 'active', 'canceled', 'expired']],
  ['carnet', ['up_to_date', 'unpaid', 'finished']],
  // The callbacks of instant payments: payments, refunds, recurrences and their charges.
  ['pix', ['payment', 'payments', 'refund', 'recurrence', 'recurring-charge', 'test-call']],
])('%s has a fixture of every state', (kind, states) => {
  expect([...statesOf(kind)].sort()).toEqual([...states].sort())
})

it('the states of charges and carnets are those that the simulator answers', () => {
  expect([...statesOf('charge')].sort()).toEqual([...charges.status.options].sort())
  expect([...statesOf('carnet')].sort()).toEqual([...carnets.carnetSchema.shape.status.options].sort())
})

it('each fixture says its state where the documents have it, about the ids that were given', () => {
  const ids = newIds()
  for (const state of statesOf('payment'))
    expect(bodyOf('payment', state, ids)).toMatchObject({ identificador: ids.payment, status: { atual: state } })
  for (const [kind, id] of [
    ['charge', 'charge'],
    ['subscription', 'subscription'],
    ['carnet', 'carnet'],
  ] as const)
    for (const state of statesOf(kind)) {
      const entry = { [`${id}_id`]: ids[id], status: state }
      expect(bodyOf(kind, state, ids)).toMatchObject({ notification: { token: ids.token, entries: [entry] } })
    }
  for (const state of statesOf('registration'))
    expect(bodyOf('registration', state, ids)).toMatchObject({ evento: state })
  const types = statesOf('open-banking').map((state) => bodyOf('open-banking', state, ids).tipo)
  expect([...new Set(types)]).toEqual([...OPEN_BANKING_TYPES])
})
