import { ALARM_FAILURES, type AlarmFailureCode, type FailureText } from '../../domain/alarms/failure.ts'
import { NOTICE_TEXTS } from '../../domain/alarms/notices.ts'

/** What alarms say. Texts with braces are filled in as those of the overview. */
export const ALARMS = {
  problems: (count: number) => (count === 1 ? '1 problem' : `${count} problems`),
  warnings: (count: number) => (count === 1 ? '1 warning' : `${count} warnings`),
  over: (count: number) => `${count} over`,
  goingOn: (count: number) => `${count} still open`,
  labels: { problem: 'PROBLEM', warning: 'WARNING', over: 'OVER', goingOn: 'STILL OPEN' },
  since: (time: string) => `Since ${time}`,
  lasted: (from: string, to: string) => `From ${from} to ${to}`,
  nextStep: (text: string) => `Next step: ${text}`,
  more: (count: number) => `and ${count} more with the same reason`,
  quietEnd: 'The quiet hours are over. This is what is open.',
  test: 'Test',
  testText: 'This is a test of the alarms. Nothing has happened.',
  notices: NOTICE_TEXTS,
  failures: ALARM_FAILURES as Readonly<Record<AlarmFailureCode, FailureText>>,
} as const
