import { type Alarm, type AlarmChannel, type AlarmState, isNotice, keyOfAlarm, LOSING_CODES, muteOf } from './alarm.ts'
import { changedAt, TRIED_MS, withTold } from './changes.ts'
import type { AlarmFailureFacts } from './failure.ts'
import { isQuiet, lastEndOf, type QuietHours } from './quiet-hours.ts'

export interface SendingRules {
  /** So long after the first change everything that has changed is sent together. */
  readonly groupMs: number
  readonly quietHours: QuietHours | null
}

/** What a channel has to send now. One of the lists is not empty. */
export interface DueMessage {
  readonly channel: string
  readonly began: readonly Alarm[]
  readonly ended: readonly Alarm[]
  /** At the end of quiet hours: what was sent before and goes on. */
  readonly goingOn: readonly Alarm[]
  /** The end of the quiet hours that the message sums up; null: none. */
  readonly sumsUp: number | null
}

/** What a channel has to send now; null: nothing. A channel is never sent its own failure. */
export function dueMessage(
  { alarms, mutes }: Pick<AlarmState, 'alarms' | 'mutes'>,
  channel: AlarmChannel,
  { groupMs, quietHours }: SendingRules,
  now: number,
): DueMessage | null {
  const { name } = channel
  const isQuietNow = quietHours !== null && isQuiet(quietHours, now)
  const sumsUp = endToSumUp(channel, quietHours, now)
  const free = alarms.filter(
    (one) =>
      muteOf(one, mutes, now) === undefined &&
      !(one.code === 'alarm_failing' && one.subject === name) &&
      (!isQuietNow || LOSING_CODES.includes(one.code)),
  )
  const began = free.filter((one) => one.endedAt === null && one.told[name] === undefined)
  const ended = free.filter((one) => one.endedAt !== null && one.told[name] === 'began')
  const goingOn =
    sumsUp === null ? [] : free.filter((one) => one.endedAt === null && one.told[name] !== undefined && !isNotice(one))
  const changes = [...began, ...ended].map(changedAt)
  const isDue = changes.length > 0 && Math.min(...changes) + groupMs <= now
  const isOpenSince = sumsUp !== null && [...began, ...goingOn].some(({ beganAt }) => beganAt <= sumsUp)
  if (!isDue && !isOpenSince) return null
  return { channel: name, began, ended, goingOn, sumsUp }
}

/** The end of quiet hours that no message has summed up yet; null: there is none. */
function endToSumUp({ summedUpAt }: AlarmChannel, quietHours: QuietHours | null, now: number): number | null {
  const end = quietHours === null ? null : lastEndOf(quietHours, now)
  return end !== null && end > summedUpAt ? end : null
}

/** The state in which quiet hours that ended with nothing open need no message any more. */
export function withoutEmptySums(state: AlarmState, rules: SendingRules, now: number): AlarmState {
  return {
    ...state,
    channels: state.channels.map((channel) => {
      const end = endToSumUp(channel, rules.quietHours, now)
      return end === null || dueMessage(state, channel, rules, now) !== null ? channel : { ...channel, summedUpAt: end }
    }),
  }
}

/** The state once a message was sent. Changes since it was made are kept. */
export function afterSent(state: AlarmState, { channel, began, ended, sumsUp }: DueMessage): AlarmState {
  const [told, over] = [began, ended].map((list) => new Set(list.map(keyOfAlarm)))
  return {
    ...state,
    alarms: state.alarms.map((alarm) => {
      if (told?.has(keyOfAlarm(alarm))) return withTold(alarm, channel, 'began')
      return over?.has(keyOfAlarm(alarm)) ? withTold(alarm, channel, null) : alarm
    }),
    channels: state.channels.map((one) =>
      one.name === channel ? { ...one, failingSince: null, error: null, summedUpAt: sumsUp ?? one.summedUpAt } : one,
    ),
  }
}

/** The state once a message could not be sent: what is older than a day is not tried again. */
export function afterFailed(
  state: AlarmState,
  { channel, began, ended, sumsUp }: DueMessage,
  {
    error,
    now,
    quietHours,
  }: { readonly error: AlarmFailureFacts; readonly now: number; readonly quietHours: QuietHours | null },
): { readonly state: AlarmState; readonly givenUp: readonly Alarm[] } {
  const sinceQuiet = quietHours === null ? null : lastEndOf(quietHours, now)
  const isLate = (alarm: Alarm) => now - Math.max(changedAt(alarm), sinceQuiet ?? 0) > TRIED_MS
  const givenUp = [...began, ...ended].filter(isLate)
  const keys = new Map(givenUp.map((one) => [keyOfAlarm(one), one.endedAt === null ? ('given_up' as const) : null]))
  return {
    givenUp,
    state: {
      ...state,
      alarms: state.alarms.map((alarm) => {
        const told = keys.get(keyOfAlarm(alarm))
        return told === undefined ? alarm : withTold(alarm, channel, told)
      }),
      channels: state.channels.map((one) =>
        one.name === channel
          ? {
              ...one,
              failingSince: one.failingSince ?? now,
              error,
              summedUpAt: sumsUp !== null && now - sumsUp > TRIED_MS ? sumsUp : one.summedUpAt,
            }
          : one,
      ),
    },
  }
}
