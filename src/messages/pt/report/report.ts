import { ALARM_FAILURE_CODES, ALARM_FAILURES } from '../../../domain/alarms/failure.ts'
import { FORWARDING_TEXTS, type ForwardingCode } from '../../../domain/forwarding/forwarding-texts.ts'
import { REFUSAL_CODES, REFUSAL_REASONS } from '../../../domain/refusal.ts'
import type { Texts } from '../../translator.ts'
import { FAILURES } from '../alarm-failures.ts'
import { FORWARDING } from '../forwarding.ts'
import { QUESTIONS } from '../init.ts'
import { REFUSALS } from '../refusals.ts'
import { CERTIFICATE_PROBLEMS } from './certificate-problems.ts'
import { FINDINGS } from './check-findings.ts'
import { CHECK_TABLE, GOOD_FINDINGS, SUBJECTS } from './check-good.ts'
import { AREAS, ITEMS } from './check-items.ts'
import { NETWORK_STEPS } from './check-network-steps.ts'
import { CHECK_STEPS } from './check-steps.ts'
import { FINDING_VALUES } from './check-values.ts'
import { CONFIGURATION_MISTAKES } from './configuration-mistakes.ts'
import { DESCRIPTIONS } from './descriptions.ts'
import { PROBE_TEXTS } from './probe.ts'
import { REASON_SENTENCES } from './reason-findings.ts'
import type { Sentence } from './sentence.ts'
import { SERVICE_FAILURES } from './service-failures.ts'
import { SYSTEM_WORDS } from './system-words.ts'
import { TLS_ALERTS } from './tls-alerts.ts'

const values = Object.entries(FINDING_VALUES).flatMap(([code, sentences]) =>
  sentences.map(([english, own]): Sentence => [english, own === '' ? (FINDINGS[code]?.found ?? '') : own]),
)
const forwarding = (Object.keys(FORWARDING_TEXTS) as ForwardingCode[]).map(
  (code): Sentence => [FORWARDING_TEXTS[code], FORWARDING[code]],
)
const alarms = ALARM_FAILURE_CODES.flatMap((code): Sentence[] => [
  [ALARM_FAILURES[code].text, FAILURES[code].text],
  [ALARM_FAILURES[code].nextStep, FAILURES[code].nextStep],
])
const refusals = REFUSAL_CODES.map((code): Sentence => [REFUSAL_REASONS[code], REFUSALS.reasons[code]])

/** What the findings of `check`, `probe` and `certs`, refusals and failed calls say, and what they are about. */
export const REPORT: Texts = Object.fromEntries([
  ...Object.entries(AREAS),
  ...Object.entries(ITEMS),
  ...Object.entries(QUESTIONS),
  ...DESCRIPTIONS,
  ...SUBJECTS,
  ...CERTIFICATE_PROBLEMS,
  ...CONFIGURATION_MISTAKES,
  ...SYSTEM_WORDS,
  ...SERVICE_FAILURES,
  ...PROBE_TEXTS,
  ...TLS_ALERTS,
  ...CHECK_TABLE,
  ...CHECK_STEPS,
  ...NETWORK_STEPS,
  ...GOOD_FINDINGS,
  ...refusals,
  ...alarms,
  ...forwarding,
  ...values,
  ...REASON_SENTENCES,
  ['more with the same reason: {count}', 'mais com o mesmo motivo: {count}'],
])
