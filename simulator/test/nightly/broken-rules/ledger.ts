import { rulesOf } from './broken-rule.ts'

const LEDGER = [
  ...rulesOf('account/ledger.ts', 'account/movements.test.ts', [
    [
      'a debit takes no more than what is available',
      'cents > available',
      'cents > available + 1',
      'cannot be used by debits',
    ],
    [
      'a reversal is whole',
      'cents !== given.cents',
      'cents > given.cents',
      'estornoPixEnviado gives a movement of the kind pixEnviadoChave back, once, whole',
    ],
    [
      'refunds are no more than the payment in sum',
      'back + cents > given.cents',
      'cents > given.cents',
      'pixDevolucaoEnviada gives parts of a movement of the kind pixRecebido back, never more in sum',
    ],
  ]),
  ...rulesOf('account/ledger.ts', 'account/ledger.test.ts', [
    [
      'a local day ends before 00:00:00.000 of the next one',
      'at < end',
      'at <= end',
      'has the movements up to the last millisecond of the local day',
    ],
  ]),
  ...rulesOf('account/balance-endpoint.ts', 'account/balance.test.ts', [
    [
      'the blocked total is the sum',
      'decimalOf(judicial + med)',
      'decimalOf(judicial)',
      'the balance has two decimals, and the blocked amounts where the query asks for them in any case',
    ],
  ]),
]

const PAYMENTS = [
  ...rulesOf('account/ledger.ts', 'account/movements-of-payments.test.ts', [
    [
      'payments of bills cannot use blocked amounts',
      '- judicial - med)',
      '- judicial)',
      'can use all that is not blocked, and not a cent of the rest',
    ],
    [
      'the payment of a bill is reversed by its failure only',
      "origin?.kind !== 'bill_payment'",
      "origin?.kind === 'bill_payment'",
      'is reversed by its failure only',
    ],
  ]),
  ...rulesOf('charges/payments.ts', 'account/movements-of-payments.test.ts', [
    [
      'a paid charge is a movement',
      'if (cents > 0 &&',
      'if (cents > 10_000 &&',
      'by card is one when the control API confirms it, in production',
    ],
  ]),
]

export const BROKEN_LEDGER = [...LEDGER, ...PAYMENTS]
