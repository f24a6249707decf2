import { type BrokenRule, rulesOf } from './broken-rule.ts'

const PARCELS = rulesOf('carnets/carnets.ts', 'carnets/carnets.test.ts', [
  [
    'a parcel each month',
    'expireAt: laterBy(expireAt, months)',
    'expireAt: laterBy(expireAt, 0)',
    'gives every month the original day, or its last one where the month is too short',
  ],
  [
    'discounts of parcels move with the due date',
    'discountLaterBy(conditionalDiscount, months)',
    'discountLaterBy(conditionalDiscount, 0)',
    'takes a conditional discount, whose last day moves with the due date, and null is none',
  ],
  [
    'cents that cannot be divided are in the first parcel',
    'index === 0 ? total - share * (repeats - 1) : share',
    'share',
    'gives each parcel the total of the items, or its share of each item with the cents left over in the first one',
  ],
  [
    'own carnets only',
    'carnet?.account !== account',
    'carnet === undefined',
    'of another account, of the other environment, or unknown, does not exist',
  ],
])

const STATUSES = rulesOf('carnets/carnet-status.ts', 'carnets/parcels.test.ts', [
  [
    'a carnet with an unpaid parcel is unpaid',
    "some(({ status }) => status === 'unpaid')",
    "every(({ status }) => status === 'unpaid')",
    'is unpaid when the due date of a parcel has passed, not a second before, and up to date when it was paid',
  ],
  [
    'cancelled parcels finish a carnet',
    "status === 'paid' || status === 'canceled'",
    "status === 'paid'",
    'is finished when every parcel is paid or cancelled, for good',
  ],
  [
    'changes of the status of a carnet are reported',
    'notifyOfCarnet(site, changed, carnet.status)',
    '',
    'as JSON name the carnet and its parcels, with one token',
  ],
])

const REQUESTS = [
  ...rulesOf('carnets/schema.ts', 'carnets/carnets.test.ts', [
    [
      'at least 2 parcels',
      'const FEWEST_PARCELS = 2',
      'const FEWEST_PARCELS = 1',
      'with one parcel is refused by the name of its property, and leaves no charge',
    ],
    [
      'at most 24 parcels',
      'const MOST_PARCELS = 24',
      'const MOST_PARCELS = 25',
      'with 25 parcels is refused by the name of its property, and leaves no charge',
    ],
  ]),
  ...rulesOf('carnets/pages.ts', 'carnets/pages.test.ts', [
    [
      'cancelled parcels are not printed',
      "parcel.status === 'canceled' ? parcel : ",
      '',
      'the page lists the parcels with their status, and its button prints those that are not cancelled',
    ],
  ]),
]

export const BROKEN_CARNETS: readonly BrokenRule[] = [...PARCELS, ...STATUSES, ...REQUESTS]
