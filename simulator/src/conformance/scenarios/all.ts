import type { Scenario } from '../scenario.ts'
import { CALLBACKS, CONTENT_TYPES } from './callbacks.ts'
import { CHARGES } from './charges.ts'
import { CUT_CONNECTION, DISTURBANCES, SLOW_BODY } from './disturbances.ts'
import { ANSWER_TIME, EXPECTATIONS } from './expectations.ts'
import { OWN_CERTIFICATE_SCENARIOS } from './own-certificate.ts'
import { STORED, STORED_SAME_BYTES } from './stored.ts'
import { TWO_REQUESTS } from './two-requests.ts'
import { WRONG_CALLERS } from './wrong-callers.ts'

/** For a receiver of callbacks over mutual TLS, in the order of the report. */
export const CALLBACK_SCENARIOS: readonly Scenario[] = [
  ...TWO_REQUESTS,
  ...WRONG_CALLERS,
  ...CALLBACKS,
  ...EXPECTATIONS,
  ...DISTURBANCES,
  ...STORED,
  ...OWN_CERTIFICATE_SCENARIOS,
]

/** For a receiver of charge notifications. */
export const CHARGE_SCENARIOS: readonly Scenario[] = [
  ...CHARGES,
  CONTENT_TYPES,
  ANSWER_TIME,
  SLOW_BODY,
  CUT_CONNECTION,
  ...STORED.filter(({ id }) => id !== 'stored-refused'),
  STORED_SAME_BYTES,
  ...OWN_CERTIFICATE_SCENARIOS,
]
