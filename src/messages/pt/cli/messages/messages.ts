import type { Texts } from '../../../translator.ts'
import { API_MESSAGES } from './api.ts'
import { CERTIFICATES_MESSAGES } from './certificates.ts'
import { CONFIGURATION_MESSAGES } from './configuration.ts'
import { DEMO_MESSAGES } from './demo.ts'
import { FILES_MESSAGES } from './files.ts'
import { INVARIANTS_MESSAGES } from './invariants.ts'
import { OPTIONS_MESSAGES } from './options.ts'
import { OUTCOMES_MESSAGES } from './outcomes.ts'
import { RESULTS_MESSAGES } from './results.ts'
import { RULES_MESSAGES } from './rules.ts'
import { SERVICE_MESSAGES } from './service.ts'
import { SERVICE_ANSWERS } from './service-answers.ts'
import { SIGN_IN_MESSAGES } from './sign-in.ts'
import { STORAGE_MESSAGES } from './storage.ts'
import { SYSTEM_MESSAGES } from './system.ts'
import { VALUES_MESSAGES } from './values.ts'

/** Errors and results of the whole program, which findings of the check may quote. */
export const MESSAGES: Texts = {
  ...API_MESSAGES,
  ...CERTIFICATES_MESSAGES,
  ...CONFIGURATION_MESSAGES,
  ...DEMO_MESSAGES,
  ...FILES_MESSAGES,
  ...INVARIANTS_MESSAGES,
  ...OPTIONS_MESSAGES,
  ...OUTCOMES_MESSAGES,
  ...RESULTS_MESSAGES,
  ...RULES_MESSAGES,
  ...SERVICE_MESSAGES,
  ...SIGN_IN_MESSAGES,
  ...SERVICE_ANSWERS,
  ...STORAGE_MESSAGES,
  ...SYSTEM_MESSAGES,
  ...VALUES_MESSAGES,
}
