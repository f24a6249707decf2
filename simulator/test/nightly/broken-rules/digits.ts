import { type BrokenRule, rulesOf } from './broken-rule.ts'

export const BROKEN_DIGITS: readonly BrokenRule[] = [
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
  ]),
  ...rulesOf('rules/tax-ids.ts', 'rules/tax-ids.test.ts', [
    [
      'a CPF of one digit repeated is none',
      '!isOneCharacter(text) && text === withCpfDigits(text.slice(0, 9))',
      'text === withCpfDigits(text.slice(0, 9))',
      '"11111111111" is no CPF',
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
      'of a billet of exactly 249000.00',
    ],
  ]),
]
