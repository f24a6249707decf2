import type { Waiting } from '../../domain/alarms/alarm-facts.ts'
import { ALARM_FAILURES, type AlarmFailureCode, type FailureText } from '../../domain/alarms/failure.ts'
import { NOTICE_TEXTS } from '../../domain/alarms/notices.ts'
import { COMMAND } from '../../platform/installation.ts'

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
  waiting: ({ payments, others, isMore }: Pick<Waiting, 'payments' | 'others' | 'isMore'>, amount: string) => {
    const parts = [
      ...(payments === 0 ? [] : [`${payments} ${payments === 1 ? 'payment' : 'payments'}, ${amount} in all`]),
      ...(others === 0 ? [] : [`${others} without an amount`]),
    ]
    return `Waiting${isMore ? ', the newest of more' : ''}: ${parts.join('; ')}`
  },
  oldest: (text: string, then: string) => `The oldest: ${text}. ${then}`,
  lastAnswer: (answer: string, time: string) => `Last answer of the receiver: ${answer} (${time})`,
  page: (address: string) => `Page: ${address}`,
  howToMute: (address: string | null) =>
    `To mute an alarm until a time: ${address ?? 'the page /ui/alarms'}, or the command ${COMMAND} alarms mute with the code in brackets`,
  more: (count: number) => `and ${count} more with the same reason`,
  quietEnd: 'The quiet hours are over. This is what is open.',
  test: 'Test',
  testText: 'This is a test of the alarms. Nothing has happened.',
  notices: NOTICE_TEXTS,
  failures: ALARM_FAILURES as Readonly<Record<AlarmFailureCode, FailureText>>,
} as const
