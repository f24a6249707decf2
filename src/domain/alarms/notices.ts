import type { OwnEvent } from '../event.ts'
import type { ReasonText } from '../overview/reasons.ts'
import { type Alarm, type AlarmReason, type AlarmState, keyOfAlarm, type NoticeCode } from './alarm.ts'
import { beginning } from './changes.ts'

/** Filled in as those of reasons. */
export const NOTICE_TEXTS: Readonly<Record<NoticeCode, ReasonText>> = {
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
}

/**
 * The notice of an operator event; null: a reason of the overview tells the same (silent kinds, outages, refused callbacks). Events of expected subjects
 * are counted by their kind, because the subject is that of a payment.
 */
export function noticeOf({ body, madeAt }: Pick<OwnEvent, 'body' | 'madeAt'>): AlarmReason | null {
  const facts = JSON.parse(body) as Readonly<Record<string, string | undefined>>
  const { type, set, where, kind, environment, notAfter, problem = null } = facts
  const nothing = { value: null, detail: null, until: null }
  const certificate = `${set}: ${where}`
  if (type === 'certificate.expiring') {
    const value = Math.floor((Date.parse(notAfter ?? '') - madeAt) / DAY_MS)
    return value < 0
      ? null
      : { ...nothing, code: 'certificate_warning', subject: certificate, severity: 'warning', value }
  }
  if (type === 'certificate.loses_client_use')
    return {
      ...nothing,
      code: 'certificate_loses_client_use',
      subject: certificate,
      severity: 'problem',
      detail: problem,
    }
  if (type === 'expected.silent')
    return { ...nothing, code: 'subjects_silent', subject: `${kind} (${environment})`, severity: 'warning', value: 1 }
  return null
}

const DAY_MS = 86_400_000

/** The state with notices: those of the same code and subject that are not sent yet become one. */
export function withNotices(state: AlarmState, notices: readonly AlarmReason[], now: number): AlarmState {
  const alarms = new Map(state.alarms.map((one) => [keyOfAlarm(one), one]))
  for (const notice of notices) {
    const waiting = alarms.get(keyOfAlarm(notice))
    alarms.set(keyOfAlarm(notice), waiting === undefined ? beginning(notice, now) : joined(waiting, notice))
  }
  return { ...state, alarms: [...alarms.values()] }
}

/** Channels that have the earlier one get this one, too. */
function joined(waiting: Alarm, { code, value }: AlarmReason): Alarm {
  return { ...waiting, value: code === 'subjects_silent' ? (waiting.value ?? 0) + (value ?? 0) : value, told: {} }
}
