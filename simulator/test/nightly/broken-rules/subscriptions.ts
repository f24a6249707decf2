import { type BrokenRule, rulesOf } from './broken-rule.ts'

const CYCLES = rulesOf('subscriptions/cycles.ts', 'subscriptions/cycles.test.ts', [
  [
    'a cycle begins at 00:00',
    "'00:00:00', site.settings.timeZone",
    "'00:00:01', site.settings.timeZone",
    'generate a charge at the beginning of its local day, not a second before',
  ],
  [
    'due dates move by the interval',
    'expireAt: laterBy(choice.expireAt, months)',
    'expireAt: laterBy(choice.expireAt, 0)',
    'generate a charge at the beginning of its local day, not a second before',
  ],
  [
    'the last repeat',
    'parcel >= repeats',
    'parcel > repeats',
    'end after the last repeat: the subscription is expired, and its last charge can be paid',
  ],
  [
    'a deleted plan stops the cycles',
    'if (findPlan(site, subscription.planId).isDeleted) return',
    '',
    'that the plan did not outlast has no first charge',
  ],
  [
    'a trial delays the first charge',
    'addDays(todayOf(site), trialDays)',
    'addDays(todayOf(site), 0)',
    'of a card delays the first charge, which stays new',
  ],
  [
    'next_execution',
    '(nextParcel - 1) * plan.interval)\n}\n\n/** The due date',
    'nextParcel * plan.interval)\n}\n\n/** The due date',
    'generate a charge at the beginning of its local day, not a second before',
  ],
])

const RECORDS = [
  ...rulesOf('charges/amounts.ts', 'subscriptions/cycles.test.ts', [
    [
      'discounts move by the interval',
      'laterBy(discount.until_date, months)',
      'laterBy(discount.until_date, 0)',
      'move the due date and the discount by the interval, from the days of the first charge',
    ],
  ]),
  ...rulesOf('subscriptions/subscriptions.ts', 'subscriptions/subscriptions.test.ts', [
    [
      'metadata of every charge',
      'for (const charge of chargesOf(site, subscription)) changeCharge(site, charge, metadata)',
      '',
      'are changed in the subscription and in all its charges, past ones too',
    ],
    [
      'own subscriptions only',
      'subscription?.account !== account',
      'subscription === undefined',
      'of another account, or unknown, does not exist',
    ],
  ]),
  ...rulesOf('subscriptions/subscriptions.ts', 'subscriptions/notifications.test.ts', [
    [
      'callbacks that wait go to the new address of the subscription',
      'if (url !== undefined) redirect(site, subscription.notificationToken, url)',
      '',
      'go to the new address of the subscription, those of earlier charges and those that wait included',
    ],
    [
      'changes of the status of the subscription are reported',
      'notifyOf(site, changed, subscription.status)',
      '',
      'as JSON name the subscription and its charges, with one token for its whole life',
    ],
  ]),
  ...rulesOf('subscriptions/subscriptions.ts', 'subscriptions/cycles.test.ts', [
    [
      'a cancelled subscription generates nothing',
      "{ status: 'canceled', nextParcel: null }",
      "{ status: 'canceled' }",
      'ends an active subscription: nothing is generated any more, and issued charges stay',
    ],
    [
      'new charges are cancelled with the subscription',
      "if (charge.status === 'new') changeStatus",
      "if (charge.status === 'link') changeStatus",
      'ends one that is new or in its trial, together with its new charge',
    ],
  ]),
]

const REQUESTS = [
  ...rulesOf('subscriptions/schema.ts', 'subscriptions/plans.test.ts', [
    [
      'interval of at most 24 months',
      '.max(24)',
      '.max(25)',
      'with an interval of 25 is refused by the name of its property',
    ],
    ['at least 2 repeats', '.min(2)', '.min(1)', 'with one repeat is refused by the name of its property'],
    ['at most 120 repeats', '.max(120)', '.max(121)', 'with 121 repeats is refused by the name of its property'],
  ]),
  ...rulesOf('subscriptions/schema.ts', 'subscriptions/subscriptions.test.ts', [
    ['characters of custom_id', '[\\p{L}\\d_\\s-]', '[\\p{L}\\d_\\s#-]', '{"custom_id":"order#1"} is refused'],
    ['metadata need a property', '.some((value) => value !== undefined)', '.every(() => true)', '{} is refused'],
  ]),
  ...rulesOf('subscriptions/plan-endpoints.ts', 'subscriptions/plans.test.ts', [
    [
      'offset of the list',
      'const first = Number(offset)',
      'const first = 0',
      'is filtered by a part of the name, limit and offset',
    ],
  ]),
  ...rulesOf('subscriptions/endpoints.ts', 'subscriptions/cycles.test.ts', [
    [
      'only new and active subscriptions are cancelled',
      "if (status === 'new' || status === 'active') return subscription",
      'if (status !== null) return subscription',
      'is refused when it is canceled or expired',
    ],
  ]),
  ...rulesOf('charges/endpoints.ts', 'subscriptions/payments.test.ts', [
    [
      'a charge of a subscription takes no method of its own',
      'if (belongsTo !== null) throw',
      'if (belongsTo === undefined) throw',
      'is not set for a single charge of a subscription, nor a link',
    ],
  ]),
]

export const BROKEN_SUBSCRIPTIONS: readonly BrokenRule[] = [...CYCLES, ...RECORDS, ...REQUESTS]
