/** A rule of the simulator, a change of the source that breaks it, and the test that must fail then. */
export interface BrokenRule {
  readonly rule: string
  /** Below src/simulator. */
  readonly file: string
  /** Occurs once in the file. */
  readonly text: string
  readonly instead: string
  /** Below test/simulator. */
  readonly test: string
  /** A part of the test's title, as its file has it. */
  readonly title: string
}

type Row = readonly [rule: string, text: string, instead: string, title: string]

function rulesOf(file: string, test: string, rows: readonly Row[]): BrokenRule[] {
  return rows.map(([rule, text, instead, title]) => ({ rule, file, text, instead, test, title }))
}

const RULES_OF_DIGITS: readonly BrokenRule[] = [
  ...rulesOf('rules/due-factor.ts', 'rules/due-factor.test.ts', [
    [
      'a due date lies at most 3000 days ago',
      'DAYS_PAST = 3000',
      'DAYS_PAST = 2999',
      'is 3000 days ago still, and 3001 days ago no longer',
    ],
    [
      'a due date lies at most 5500 days ahead',
      'DAYS_AHEAD = 5500',
      'DAYS_AHEAD = 5501',
      'is 5500 days ahead already, and 5501 days ahead not yet',
    ],
    [
      'the factor begins again at 1000',
      'FIRST_FACTOR + (days % FACTORS)',
      'FIRST_FACTOR + days',
      'rises by 1 a day and begins again at 1000 after 9999, for 60 years',
    ],
  ]),
  ...rulesOf('rules/check-digits.ts', 'rules/barcode.test.ts', [
    [
      'modulo 11 of a billet is never 0',
      'digit > 9 ? 1 : digit',
      'digit > 9 ? 0 : digit',
      'of a whole billet is never 0: what would be 0, 10 or 11 is 1',
    ],
    [
      'modulo 10 adds the digits of each product',
      'product > 9 ? product - 9 : product',
      'product',
      'reads the line',
    ],
  ]),
  ...rulesOf('rules/tax-ids.ts', 'rules/tax-ids.test.ts', [
    [
      'a CPF of one digit repeated is none',
      '!isOneCharacter(text) && text === withCpfDigits(text.slice(0, 9))',
      'text === withCpfDigits(text.slice(0, 9))',
      'is no CPF',
    ],
  ]),
  ...rulesOf('rules/business-days.ts', 'rules/business-days.test.ts', [
    [
      '20 November is a holiday since 2024',
      "['11-20', 2024]",
      "['11-20', 2025]",
      '20 November is a holiday since 2024',
    ],
    [
      'Monday of carnival is a holiday',
      '[-48, -47, -2, 60]',
      '[-47, -2, 60]',
      'holidays are those of the calendar of ANBIMA',
    ],
  ]),
  ...rulesOf('rules/cut-offs.ts', 'rules/cut-offs.test.ts', [
    [
      'the second of the cut-off belongs to the time before it',
      'time <= cutOff',
      'time < cutOff',
      'includes the fractions of its second',
    ],
    [
      'above 249000.00 the cut-off is 14:00',
      'amountCents > LARGE_CENTS',
      'amountCents >= LARGE_CENTS',
      'a billet of exactly 249000.00',
    ],
  ]),
]

const BILLS: readonly BrokenRule[] = [
  ...rulesOf('bills/amounts.ts', 'bills/amounts.test.ts', [
    [
      'a due date at the weekend lasts until Monday',
      'day > nextBusinessDay(dueDate)',
      'day > dueDate',
      'has neither on the first business day after a due date at the weekend, and then interest from the due date',
    ],
    [
      'a discount includes its last day',
      'day <= terms.discount.until',
      'day < terms.discount.until',
      'has its discount up to and on its last day',
    ],
  ]),
  ...rulesOf('bills/payable.ts', 'bills/payments.test.ts', [
    [
      'partial payments end at limiteDePagamentos',
      'payments >= partial.maxPayments',
      'payments > partial.maxPayments',
      'reduce what is left, and end at limiteDePagamentos',
    ],
    [
      'a bill is paid on its last day at the latest',
      'day > payableUntil',
      'day < payableUntil',
      'refuses a bill that was withdrawn, and one after its last day',
    ],
  ]),
  ...rulesOf('bills/payment-flow.ts', 'bills/payments.test.ts', [
    [
      'a payment needs enough balance',
      "balanceOf(site, account) < amountCents ? 'balance' : null",
      "balanceOf(site, account) < 0 ? 'balance' : null",
      'without enough balance the payment is not made',
    ],
    [
      'the amount is taken from the account',
      'balanceOf(site, account) - amountCents',
      'balanceOf(site, account)',
      'takes the amount from the account',
    ],
  ]),
  ...rulesOf('bills/detailed.ts', 'bills/payments.test.ts', [
    [
      'the detail is asked for before the payment',
      'barcode}`) !== undefined',
      'barcode}`) !== null',
      'requires that the account asked for the detail before',
    ],
  ]),
  ...rulesOf('bills/callback.ts', 'bills/callbacks.test.ts', [
    [
      'the amount of a callback has two decimals',
      'valor: decimalOf(payment.amountCents)',
      'valor: String(payment.amountCents)',
      'the body has the members of the field, and the amount two decimals',
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

const REGISTRATION: readonly BrokenRule[] = [
  ...rulesOf('registration/opening-checks.ts', 'registration/opening-requests.test.ts', [
    [
      'two calendar days after a refusal',
      'DAYS_AFTER_REFUSAL = 2',
      'DAYS_AFTER_REFUSAL = 1',
      'after a refusal is possible from the beginning of the second day, local time',
    ],
    [
      'an end client is of age',
      'birth > yearsBefore(today, ADULT_YEARS)',
      'birth >= yearsBefore(today, ADULT_YEARS)',
      'the birthday that makes somebody of age is that of the local day',
    ],
    [
      'the webhook comes first, of the same account',
      "webhook.interface === 'registration' && webhook.account === account",
      "webhook.interface === 'registration'",
      'without a registered webhook of the same account a request is 412 webhook_nao_cadastrado',
    ],
    [
      'scopes are the integrator’s own',
      'foreign.length > 0',
      'foreign.length > 15',
      'a scope that the integrator does not have is 403',
    ],
  ]),
  ...rulesOf('registration/openings.ts', 'registration/openings.test.ts', [
    [
      'a refusal has an event of its own',
      "'conta_recusada_pelo_cliente_final'",
      "'conta_aberta_pelo_cliente_final'",
      'conta_recusada_pelo_cliente_final arrives at once, at every registered URL',
    ],
    [
      'an account of a company belongs to the company',
      'document: endClient.cnpj ?? endClient.cpf',
      'document: endClient.cpf',
      'who has no account opens a new one, of the company where one is linked',
    ],
  ]),
  ...rulesOf('registration/opening-endpoints.ts', 'registration/openings.test.ts', [
    [
      'conta_em_processamento until the account is there',
      "'conta_em_processamento'",
      "'conta_nao_aprovada_ou_recusada '",
      'are 412 conta_em_processamento from the acceptance until the account is there',
    ],
  ]),
]

const OPEN_BANKING: readonly BrokenRule[] = rulesOf('open-banking/settings.ts', 'open-banking/open-banking.test.ts', [
  ['the hash goes behind an existing query', 'search}&$', 'search}?$', 'with hmac goes to'],
  [
    'the last address replaces the one before',
    'registered.delete(webhook.id)',
    'void webhook.id',
    'goes to the last address only',
  ],
])

const CHARGES: readonly BrokenRule[] = [
  ...rulesOf('charges/amounts.ts', 'charges/payments.test.ts', [
    [
      'a conditional discount holds on until_date',
      'paidOn > discount.until_date',
      'paidOn >= discount.until_date',
      'currency, on its last day',
    ],
    [
      'percentages are hundredths of a percent',
      '(total * discount.value) / 10_000',
      '(total * discount.value) / 1_000',
      'percentage, on its last day',
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
      'is allowed while the charge is',
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

const NOTIFICATIONS: readonly BrokenRule[] = [
  ...rulesOf('notifications/notification-log.ts', 'notifications/notifications.test.ts', [
    ['ids rise from 1', 'id: entries.length + 1', 'id: entries.length', 'is resolved to entries with ids from 1'],
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

const WEBHOOKS: readonly BrokenRule[] = [
  ...rulesOf('webhooks/two-requests.ts', 'webhooks/webhooks.test.ts', [
    [
      'an address that answers callers without a certificate is refused',
      'outcome.status !== 401 && outcome.status !== 403',
      'outcome.status >= 600',
      'names what is wrong with an address',
    ],
  ]),
  ...rulesOf('webhooks/two-requests.ts', 'notifications/notifications.test.ts', [
    [
      'redirects fail',
      'outcome.status < 300',
      'outcome.status < 400',
      'come again by the preset until they are answered with 2xx, redirects being none',
    ],
  ]),
  ...rulesOf('webhooks/retries.ts', 'webhooks/webhooks.test.ts', [
    [
      'the short preset',
      'short: [0, 5, 5,',
      'short: [0, 5, 10,',
      'is tried again in simulated time until it is answered with 2xx',
    ],
  ]),
]

const ACCESS: readonly BrokenRule[] = [
  ...rulesOf('http/access.ts', 'access.test.ts', [
    [
      'a token works with its own certificate only',
      'token.fingerprint !== fingerprint',
      'token.fingerprint === undefined',
      'a token is good at its own interface and environment, and with its own certificate only',
    ],
    [
      'a token works at its own interface only',
      'token.interface !== rules.interface',
      'token.interface === undefined',
      'a token is good at its own interface and environment, and with its own certificate only',
    ],
    [
      'credentials work with a certificate of their account only',
      'isCertificateOf(rules.applications, application, fingerprint)',
      'isCertificateOf(rules.applications, application, null)',
      'credentials of the other environment, of another account’s certificate and wrong ones are 401',
    ],
  ]),
  ...rulesOf('http/access.ts', 'registration/openings.test.ts', [
    [
      'a token has no scope that was not granted',
      'scopes.some((one) => !own.includes(one))',
      'scopes.length === 0',
      'is 403 where its scopes do not reach, and gets no token for another scope',
    ],
  ]),
  ...rulesOf('http/interface-router.ts', 'access.test.ts', [
    [
      'a caller without an account certificate is cut off',
      'request.socket.destroy()',
      'next()',
      'cuts the connection of a caller without an account certificate',
    ],
  ]),
]

export const BROKEN_RULES: readonly BrokenRule[] = [
  ...RULES_OF_DIGITS,
  ...BILLS,
  ...REGISTRATION,
  ...OPEN_BANKING,
  ...CHARGES,
  ...NOTIFICATIONS,
  ...WEBHOOKS,
  ...ACCESS,
]
