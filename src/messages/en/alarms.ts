import type { NoticeCode } from '../../domain/alarms/alarm.ts'
import type { ReasonText } from '../../domain/overview/reasons.ts'

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
  notices: {
    certificate_warning: {
      text: 'the certificate {subject} expires; days left: {count}',
      nextStep: 'renew it in time: the page of the certificates shows all of them',
    },
    certificate_loses_client_use: {
      text: 'the certificate {subject} is, or will be, of no use for TLS clients: {detail}',
      nextStep: 'ask its authority for a certificate with the extended key usage clientAuth',
    },
    subjects_silent: {
      text: 'expected payments or charges of {subject} without any event for longer than usual: {count}',
      nextStep: 'see which ones on the page of the gaps; the service is asked for them if the section service says so',
    },
  } as Readonly<Record<NoticeCode, ReasonText>>,
} as const
