import type { HAND_MADE } from '../../support/receivers/set-ups.ts'

/** By scenario: a verdict that is not `pass`. */
export type Findings = Readonly<Record<string, 'fail' | 'warn' | 'skip'>>

/** No institution is named. */
export const OF_NO_PRESET: Findings = { 'answer-status': 'skip', 'answer-echo': 'skip' }

/** Its callbacks carry one fact each, and it has no test call. */
export const OF_OPEN_FINANCE: Findings = {
  'batch-member': 'skip',
  'batch-root': 'skip',
  'suffix-behind-query': 'skip',
  'suffix-double-slash': 'skip',
  'test-event': 'skip',
  'test-object': 'skip',
  'test-empty': 'skip',
}

/** A chain with its root trusts every issuer below the root. */
const SAME_ROOT: Findings = { sibling: 'fail', 'other-environment': 'fail', 'stored-refused': 'fail' }

/** The published examples have two addresses, and parse JSON up to 100 KiB. */
const APP: Findings = {
  suffix: 'fail',
  'suffix-double-slash': 'fail',
  'large-body': 'fail',
  'stored-before-answer': 'fail',
  'stored-once': 'warn',
}

/** What the campaign finds at each set-up; simulator/docs/conformance.md has the same table. */
export const FINDINGS: Readonly<Record<keyof typeof HAND_MADE, Findings>> = {
  'nginx-on': { ...OF_NO_PRESET, ...SAME_ROOT, ...APP },
  'nginx-optional': { ...OF_NO_PRESET, ...SAME_ROOT, ...APP },
  'nginx-name': { ...OF_NO_PRESET, 'foreign-same-name': 'fail', 'stored-refused': 'fail', ...APP },
  'nginx-published': {
    ...OF_NO_PRESET,
    sibling: 'fail',
    'other-environment': 'fail',
    'large-body': 'fail',
    'stored-before-answer': 'fail',
  },
  'nginx-php': { ...OF_NO_PRESET, ...SAME_ROOT, 'stored-once': 'warn' },
  'express-unchecked': {
    ...OF_NO_PRESET,
    certless: 'fail',
    'certless-without-name': 'fail',
    'certless-by-address': 'fail',
    'tls-1-2': 'fail',
    'tls-1-3': 'fail',
    ...SAME_ROOT,
    foreign: 'fail',
    'foreign-same-name': 'fail',
    expired: 'fail',
    'server-only': 'fail',
    'session-without-certificate': 'fail',
    ...APP,
  },
  'express-authorized': { ...OF_NO_PRESET, ...SAME_ROOT, ...APP },
  apache: { ...OF_NO_PRESET, ...SAME_ROOT, 'stored-once': 'warn' },
  // It reads the first certificate of the chain alone, which is the issuing one.
  caddy: { ...OF_NO_PRESET, ...APP },
  haproxy: { ...OF_NO_PRESET, ...SAME_ROOT, ...APP },
}
