import { type BrokenRule, rulesOf } from './broken-rule.ts'

const CODES = 'charges/instant-payments.test.ts'

/** Random keys, and the instant-payment codes under them. */
export const BROKEN_INSTANT_PAYMENTS: readonly BrokenRule[] = [
  ...rulesOf('account/keys.ts', 'account/keys.test.ts', [
    [
      'number of keys',
      'keys.length >= MOST_KEYS',
      'keys.length > MOST_KEYS',
      'are 20 at most; the place of a removed key is free again',
    ],
    [
      'keys of another account',
      'record === undefined || !keys.includes(key)',
      'record === undefined',
      'with errors: field, unknown keys are not found',
    ],
    [
      'settings of a removed key',
      'removeKeySettings(site, account, key)\n',
      'void removeKeySettings\n',
      'lose their settings when they are removed',
    ],
  ]),
  ...rulesOf('charges/instant-payments.ts', CODES, [
    [
      'codes under the newest key',
      '.at(-1)',
      '.at(0)',
      'has the fields of the scheme under the newest key, and an image that another reader reads',
    ],
    [
      'codes of a removed key are gone',
      'if (!instantPayment || !hasKey(site, instantPayment.key))',
      'if (!instantPayment)',
      'a code is gone from answers, page and location, and cannot be paid; the billet can',
    ],
    [
      'codes of a removed key cannot be paid',
      ' || !hasKey(site, key)) return undefined',
      ') return undefined',
      'a code is gone from answers, page and location, and cannot be paid; the billet can',
    ],
  ]),
  ...rulesOf('charges/instant-payment-control.ts', CODES, [
    [
      'kind of movement of a code',
      ", kind: 'pixRecebido' })",
      ' })',
      'pays its charge, with the discount of the day, as pixRecebido of the account',
    ],
  ]),
  ...rulesOf('rules/instant-payment-code.ts', CODES, [
    ['check value of a code', 'if (checked !== check)', "if (checked === '')", 'says what is wrong with a code'],
  ]),
]
