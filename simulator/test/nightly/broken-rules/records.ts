import { type BrokenRule, rulesOf } from './broken-rule.ts'

const TEST = 'control/records.test.ts'

/** Records of the control API, as `ctl show` shows them. */
export const BROKEN_RECORDS: readonly BrokenRule[] = [
  ...rulesOf('control-api/outlook.ts', TEST, [
    [
      'a record names what comes in the order of the times',
      '(one.at ?? Number.POSITIVE_INFINITY) - (other.at ?? Number.POSITIVE_INFINITY)',
      '(other.at ?? Number.POSITIVE_INFINITY) - (one.at ?? Number.POSITIVE_INFINITY)',
      'has its states, messages and attempts in the order of their times',
    ],
  ]),
  ...rulesOf('webhooks/callback-outlook.ts', TEST, [
    [
      'a record names the time of the next try',
      'return [{ at: dueAt, what',
      'return [{ at: site.clock.now(), what',
      'has its callbacks with their next try',
    ],
    [
      'a callback that was given up is counted as such',
      "given_up: count('given_up')",
      "given_up: count('pending')",
      'says that a token comes again until its entries are fetched, and when a callback is given up',
    ],
  ]),
  ...rulesOf('charges/charge-outlook.ts', TEST, [
    [
      'the record of a card in production names who confirms it',
      "site.environment === 'production' && outcome === 'paid'",
      "site.environment === 'production' && outcome === 'unpaid'",
      'with a card waits for the card’s bank, in production for the control API',
    ],
  ]),
  ...rulesOf('subscriptions/subscription-record.ts', TEST, [
    [
      'the record of a subscription tells a new charge from one that waits for the end of a trial',
      'nextParcel > chargeIds.length',
      'nextParcel < chargeIds.length',
      'has its charges, and the next cycle with its due date',
    ],
  ]),
  ...rulesOf('bills/payment-flow.ts', TEST, [
    [
      'a payment keeps the time of each state',
      'const states = [...payment.states, { status: to',
      'const states = [{ status: to',
      'has its terms, its readers, and each state of its payments with its time',
    ],
  ]),
  ...rulesOf('bills/payment-outlook.ts', TEST, [
    [
      'the record of a bill says that a payment will fail',
      'const reason = reasonAgainst(site, payment)',
      'const reason = null as ReturnType<typeof reasonAgainst>',
      'says that a payment will not be made as things are, and why it was not',
    ],
  ]),
]
