import { type BrokenRule, rulesOf } from './broken-rule.ts'

export const BROKEN_PAYMENTS: readonly BrokenRule[] = [
  ...rulesOf('bills/payment-flow.ts', 'bills/payments.test.ts', [
    [
      'the amount is taken from the account',
      "movementOf(payment, 'transferenciaEnviada')",
      "{ ...movementOf(payment, 'transferenciaEnviada'), cents: 1 }",
      'takes the amount from the account',
    ],
  ]),
  ...rulesOf('bills/endpoints.ts', 'bills/detail.test.ts', [
    [
      'a payment needs svc.barcode.pay.write',
      "scope: 'svc.barcode.pay.write'",
      "scope: 'svc.barcode.read'",
      'each endpoint demands its scope',
    ],
  ]),
]
