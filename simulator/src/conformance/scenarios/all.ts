import type { Scenario } from '../scenario.ts'
import { CALLBACKS } from './callbacks.ts'
import { DISTURBANCES } from './disturbances.ts'
import { EXPECTATIONS } from './expectations.ts'
import { OWN_CERTIFICATE_SCENARIOS } from './own-certificate.ts'
import { STORED } from './stored.ts'
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
