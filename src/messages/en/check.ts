import { COMMAND } from '../../platform/installation.ts'

/** The page with the findings of `portaria check`. */
export const CHECK = {
  title: 'Check',
  text: 'The check looks for what keeps callbacks from being received or forwarded. It takes some seconds, and changes nothing. The operator does on the machine of the gateway what it advises.',
  runNow: 'Run now',
  confirmClock: 'Confirm the clock',
  confirmClockHint:
    'Only after you compared the clock of the gateway with a right one: retention and expiry go on by it.',
  clockConfirmed: 'The clock is confirmed.',
  hasRun: 'The check has run.',
  none: 'No check has run since the gateway started.',
  ranAt: 'Run at',
  took: (seconds: string) => `took ${seconds} s`,
  good: 'All is well',
  goodWithWarnings: (count: number) => (count === 1 ? 'Good, with 1 warning' : `Good, with ${count} warnings`),
  bad: (count: number) => (count === 1 ? '1 problem' : `${count} problems`),
  levels: { problem: 'problem', warning: 'warning', good: 'good', accepted: 'accepted' },
  attention: 'What needs attention',
  nothing: 'Nothing needs attention.',
  accepted: 'Accepted findings',
  acceptedText: 'check.accepted of the configuration names them: they do not count.',
  passed: (count: number) => `What is good (${count})`,
  severity: 'Severity',
  area: 'Area',
  what: 'Subject',
  found: 'Found',
  nextStep: 'What to do',
  reason: 'Reason',
  detail: 'Detail',
  /** The report says so in English itself. */
  well: '',
  more: (count: number) =>
    `There are ${count} more. The operator sees all with "${COMMAND} check" on the machine of the gateway.`,
} as const
