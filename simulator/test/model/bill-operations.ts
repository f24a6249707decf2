import fc from 'fast-check'
import { expect } from 'vitest'
import { plusDays } from './calendar.ts'
import type { ModelPayment } from './model.ts'
import { expectStatus, operation, perform, pickFor, which } from './operation.ts'

const [make, show, pay, ...moves] = [
  operation(
    'make a bill',
    fc.record({ amount: fc.constantFrom(1, 5_000, 24_000_000) }),
    () => true,
    async ({ model, real }, { amount }) => {
      const answer = await real.client.control('POST', '/bills', { kind: 'billet', amount, dueDate: null })
      expectStatus(answer, 201)
      model.bills.push({ code: answer.json.codBarras, amount, payments: [], isDetailed: false })
    },
  ),
  operation(
    'show a bill',
    fc.record({ which }),
    ({ bills }) => bills.length > 0,
    async ({ model, real }, { which }) => {
      const bill = pickFor(model.bills, which, ({ isDetailed }) => !isDetailed)
      const { status, json } = await real.running.ask(
        'payment',
        { path: `/v1/codBarras/${bill.code}` },
        real.environment,
      )
      expect([status, json.valores.original]).toEqual([200, bill.amount])
      bill.isDetailed = true
    },
  ),
  operation(
    'pay a bill',
    fc.record({ which, days: fc.constantFrom(0, 0, 0, 0, 0, 1, 3, -1), more: fc.constantFrom(0, 0, 0, 0, 0, 1) }),
    ({ bills }) => bills.length > 0,
    async ({ model, real }, { which, days, more }) => {
      const bill = pickFor(model.bills, which, ({ isDetailed, payments }) => isDetailed && payments.length === 0)
      const date = plusDays(model.today, days)
      const isPaid = bill.payments.some(({ status }) => status !== 'NAO_REALIZADO' && status !== 'CANCELADO')
      const day = model.paymentDay(date)
      const isAccepted = bill.isDetailed && !isPaid && more === 0 && day !== null
      const body = { valor: bill.amount + more, dataPagamento: date }
      const asked = { method: 'POST', path: `/v1/codBarras/${bill.code}`, body }
      const answer = await real.running.ask('payment', asked, real.environment)
      if (expectStatus(answer, isAccepted ? 201 : 400))
        model.requestPayment(answer.json.idPagamento, bill, day as string)
    },
  ),
  ...(['cancel', 'fail', 'settle'] as const).map((how) =>
    operation(
      `${how} a payment`,
      fc.record({ which }),
      ({ payments }) => payments.length > 0,
      async ({ model, real }, { which }) => {
        await perform(model.payments, which, {
          call: ({ id }) => real.client.control('POST', `/payments/${id}/${how}`, how === 'settle' ? undefined : {}),
          isAccepted: ({ status }) => MOVABLE[how].includes(status),
          isPreferred: ({ status }) => (how === 'cancel' ? status === 'AGENDADO' : status === 'EXECUTADO'),
          refused: 409,
          change(payment) {
            if (how === 'cancel') model.setPayment(payment, 'CANCELADO')
            else if (how === 'fail') model.fail(payment)
            else model.settle(payment)
          },
        })
      },
    ),
  ),
]

/** The next step of a payment, which seldom follows from the other moves of the clock. */
export const STEP = operation(
  'wait for a step of payments',
  fc.constant('30s'),
  ({ payments }) => payments.some(({ status }) => status === 'EM_PROCESSAMENTO'),
  async ({ model, real }, by) => {
    await real.client.advance(by)
    model.advance(30_000)
  },
)

/** Payments can only be moved for some seconds, so there are many of them. */
export const BILLS = fc.oneof(make, show, show, pay, pay, pay, ...moves, ...moves, ...moves)

const MOVABLE: Readonly<Record<'cancel' | 'fail' | 'settle', readonly ModelPayment['status'][]>> = {
  cancel: ['AGENDADO'],
  fail: ['AGENDADO', 'EM_PROCESSAMENTO', 'EXECUTADO'],
  settle: ['AGENDADO', 'EM_PROCESSAMENTO', 'EXECUTADO'],
}
