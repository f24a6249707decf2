import { type BrokenRule, rulesOf } from './broken-rule.ts'

export const BROKEN_CHARGES: readonly BrokenRule[] = [
  ...rulesOf('charges/amounts.ts', 'charges/payments.test.ts', [
    [
      'a conditional discount holds on until_date',
      'paidOn > discount.until_date',
      'paidOn >= discount.until_date',
      'in currency, on its last day',
    ],
    [
      'percentages are hundredths of a percent',
      '(total * discount.value) / 10_000',
      '(total * discount.value) / 1_000',
      'in percentage, on its last day',
    ],
  ]),
  ...rulesOf('charges/billet-digits.ts', 'charges/payments.test.ts', [
    [
      'a billet of the sandbox has a line of zeros',
      "'0'.repeat(47)",
      "'1'.repeat(47)",
      'of the sandbox has a line of zeros and cannot be paid',
    ],
  ]),
  ...rulesOf('charges/payments.ts', 'charges/payments.test.ts', [
    [
      'cards of production do not become paid by themselves',
      "else if (site.environment === 'sandbox') confirmCard(site, charge)",
      'else confirmCard(site, charge)',
      'of production waits until the control API confirms or refuses it',
    ],
  ]),
  ...rulesOf('charges/cards.ts', 'charges/payments.test.ts', [
    [
      'a card token is used once',
      'if (card.isUsed)',
      'if (card.isUsed === null)',
      'token has 40 hexadecimal characters and can be used once, in capitals too',
    ],
  ]),
  ...rulesOf('charges/endpoints.ts', 'charges/charges.test.ts', [
    [
      'an unpaid charge can be canceled',
      "['new', 'waiting', 'unpaid', 'link']",
      "['new', 'waiting', 'link']",
      'is allowed while the charge is unpaid',
    ],
  ]),
  ...rulesOf('charges/links.ts', 'charges/links.test.ts', [
    [
      'a link that was moved has another last day',
      "if (status === 'expired') return 'link'",
      "if (status === 'expired') return 'expired'",
      'that was moved to a later day expires then; what has expired is renewed by a new date',
    ],
  ]),
]

export const BROKEN_NOTIFICATIONS: readonly BrokenRule[] = [
  ...rulesOf('notifications/notification-log.ts', 'notifications/notifications.test.ts', [
    [
      'ids rise from 1',
      'id: entries.length + 1',
      'id: entries.length',
      'is resolved to entries with ids from 1, oldest first',
    ],
    [
      'entries are kept for six months',
      'KEPT_MONTHS = 6',
      'KEPT_MONTHS = 7',
      'names entries of the last six months only',
    ],
  ]),
  ...rulesOf('webhooks/webhooks.ts', 'notifications/notifications.test.ts', [
    [
      'a token form is delivered when it was fetched',
      "isSuccess(outcome) && notification?.form !== 'token'",
      'isSuccess(outcome)',
      'comes again after a 200 until its entries were fetched',
    ],
  ]),
]
