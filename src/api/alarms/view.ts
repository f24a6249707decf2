import {
  type Alarm,
  type AlarmMute,
  type AlarmState,
  type ChannelTest,
  isNotice,
  keyOfAlarm,
  muteOf,
  type NoticeCode,
} from '../../domain/alarms/alarm.ts'
import type { AlarmFacts } from '../../domain/alarms/alarm-facts.ts'
import type { AlarmPlan } from '../../domain/alarms/alarm-source.ts'
import { ALARM_FAILURES, type AlarmFailureFacts, failureText } from '../../domain/alarms/failure.ts'
import { NOTICE_TEXTS } from '../../domain/alarms/notices.ts'
import { isQuiet } from '../../domain/alarms/quiet-hours.ts'
import { type SendContext, sendStateOf } from '../../domain/alarms/send-state.ts'
import { filledIn, REASON_TEXTS, type ReasonCode } from '../../domain/overview/reasons.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { alarmsSchema, alarmTestSchema } from './schema.ts'

export type AlarmsView = View<typeof alarmsSchema>
export type AlarmTestView = View<typeof alarmTestSchema>
export type AlarmMuteView = AlarmsView['mutes'][number]
export type AlarmFailureView = NonNullable<AlarmsView['channels'][number]['error']>

interface Known {
  /** null: the configuration has no section `alarms`. */
  readonly plan: AlarmPlan | null
  /** By `keyOfAlarm`. */
  readonly facts: ReadonlyMap<string, AlarmFacts>
  readonly now: number
}

export function alarmsView(state: AlarmState, { plan, facts, now }: Known): AlarmsView {
  const { channels = [], quietHours = null, hasHeartbeat = false } = plan ?? {}
  const known = channels.map(({ name, kind }) => {
    const kept = state.channels.find((one) => one.name === name)
    return { kind, kept: kept ?? { name, failingSince: null, error: null, summedUpAt: now } }
  })
  const context: SendContext = { mutes: state.mutes, quietHours, now }
  return {
    configured: plan !== null,
    heartbeat: hasHeartbeat,
    quiet: quietHours !== null && isQuiet(quietHours, now),
    channels: known.map(({ kind, kept: { name, failingSince, error } }) => ({
      name,
      kind,
      failingSince: isoOrNull(failingSince),
      error: error && failureView(error),
    })),
    alarms: state.alarms.map((alarm) => ({
      ...alarmView(alarm),
      ...factsView(facts.get(keyOfAlarm(alarm))),
      muted: muteOf(alarm, state.mutes, now)?.id ?? null,
      channels: known.map(({ kept }) => ({ name: kept.name, state: sendStateOf(alarm, kept, context) })),
    })),
    mutes: state.mutes.filter(({ until }) => until > now).map(muteView),
  }
}

function alarmView(alarm: Alarm) {
  const { code, severity, value, detail, until, beganAt, endedAt } = alarm
  const subject = alarm.subject === '' ? null : alarm.subject
  const texts = isNotice(alarm) ? NOTICE_TEXTS[code as NoticeCode] : REASON_TEXTS[code as ReasonCode]
  return {
    code,
    subject,
    severity,
    text: filledIn(texts.text, { subject, value, detail, until }),
    detail,
    value,
    until,
    nextStep: texts.nextStep,
    beganAt: iso(beganAt),
    endedAt: isoOrNull(endedAt),
  }
}

/** Without the words of an answer: they may say whose payment it is. */
function factsView({ waiting, oldest, lastAnswer }: AlarmFacts = NO_FACTS) {
  const { cents = 0, payments = 0, others = 0, isMore: more = false } = waiting ?? {}
  const { status = null, error = null, at = 0 } = lastAnswer ?? {}
  return {
    waiting: waiting && { payments, amount: (cents / 100).toFixed(2), others, more },
    oldest: oldest && { standing: oldest.standing, status: oldest.status },
    lastAnswer: lastAnswer && { status, error: status === null ? error : null, at: iso(at) },
  }
}

const NO_FACTS: AlarmFacts = { waiting: null, oldest: null, lastAnswer: null }

export function muteView({ id, code, subject, mutedAt, until, mutedBy, note }: AlarmMute): AlarmMuteView {
  return { id, code: code ?? 'all', subject, mutedAt: iso(mutedAt), until: iso(until), by: mutedBy, note }
}

export function testView(tests: readonly ChannelTest[]): AlarmTestView {
  return {
    channels: tests.map(({ channel: name, error }) => ({
      name,
      sent: error === null,
      error: error && failureView(error),
    })),
  }
}

function failureView(failure: AlarmFailureFacts): AlarmFailureView {
  const { code, words } = failure
  return { code, text: failureText(failure), nextStep: ALARM_FAILURES[code].nextStep, words }
}
