import { BROKEN_BILLS } from './bills.ts'
import type { BrokenRule } from './broken-rule.ts'
import { BROKEN_ACCESS, BROKEN_WEBHOOKS } from './calls.ts'
import { BROKEN_CARNETS } from './carnets.ts'
import { BROKEN_CHARGES } from './charges.ts'
import { BROKEN_DIGITS } from './digits.ts'
import { BROKEN_INSTANT_PAYMENTS } from './instant-payments.ts'
import { BROKEN_LEDGER } from './ledger.ts'
import { BROKEN_PAYMENTS } from './payments.ts'
import { BROKEN_RECORDS } from './records.ts'
import { BROKEN_OPEN_BANKING, BROKEN_REGISTRATION } from './registration.ts'
import { BROKEN_STATEMENTS } from './statements.ts'
import { BROKEN_SUBSCRIPTIONS } from './subscriptions.ts'

/** Campaigns of about the same length, which run side by side. */
export const RULES_OF_BILLS: BrokenRule[] = [
  ...BROKEN_DIGITS,
  ...BROKEN_BILLS,
  ...BROKEN_PAYMENTS,
  ...BROKEN_WEBHOOKS,
  ...BROKEN_ACCESS,
  ...BROKEN_RECORDS,
]

export const RULES_OF_CHARGES: BrokenRule[] = [
  ...BROKEN_CHARGES,
  ...BROKEN_LEDGER,
  ...BROKEN_REGISTRATION,
  ...BROKEN_OPEN_BANKING,
]

export const RULES_OF_SUBSCRIPTIONS: readonly BrokenRule[] = [
  ...BROKEN_SUBSCRIPTIONS,
  ...BROKEN_CARNETS,
  ...BROKEN_STATEMENTS,
  ...BROKEN_INSTANT_PAYMENTS,
]

export const ALL_RULES: readonly BrokenRule[] = [...RULES_OF_BILLS, ...RULES_OF_CHARGES, ...RULES_OF_SUBSCRIPTIONS]
