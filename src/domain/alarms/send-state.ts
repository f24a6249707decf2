import { type Alarm, type AlarmChannel, type AlarmState, LOSING_CODES, muteOf } from './alarm.ts'
import { isQuiet, type QuietHours } from './quiet-hours.ts'

/**
 * What a channel has of an alarm. `waiting`: to be sent in a moment, or with the next try. `quiet`: at the end of the quiet hours. `failing`: the
 * channel fails, and it is tried again. `given_up`: not sent within a day. `left_out`: a channel is not sent its own failure.
 */
export const SEND_STATES = ['sent', 'waiting', 'quiet', 'muted', 'failing', 'given_up', 'left_out'] as const
export type SendState = (typeof SEND_STATES)[number]

export interface SendContext {
  readonly mutes: AlarmState['mutes']
  readonly quietHours: QuietHours | null
  readonly now: number
}

/** Of the begin, or of the end once the alarm is over. */
export function sendStateOf(alarm: Alarm, channel: AlarmChannel, { mutes, quietHours, now }: SendContext): SendState {
  const { code, subject, endedAt, told } = alarm
  const { name, failingSince } = channel
  if (code === 'alarm_failing' && subject === name) return 'left_out'
  if (endedAt === null && told[name] === 'began') return 'sent'
  if (told[name] === 'given_up') return 'given_up'
  // What was over before it was sent is not sent.
  if (endedAt !== null && told[name] === undefined) return 'sent'
  if (muteOf(alarm, mutes, now) !== undefined) return 'muted'
  if (quietHours !== null && isQuiet(quietHours, now) && !LOSING_CODES.includes(code)) return 'quiet'
  return failingSince === null ? 'waiting' : 'failing'
}
