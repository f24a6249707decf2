import { type Alarm, type AlarmReason, type AlarmState, isNotice, keyOfAlarm, muteOf, type Told } from './alarm.ts'

/** How long it is tried to send what began or ended. */
export const TRIED_MS = 86_400_000

export interface Looked {
  /** Every reason that there is now. Notices are in the state already. */
  readonly reasons: readonly AlarmReason[]
  /** False: not everything could be read, so what is missing is not over. */
  readonly isWhole: boolean
  /** Whether nothing is known of it since the start: then it is not over either. */
  readonly isUnknown?: (alarm: Pick<Alarm, 'code' | 'subject'>) => boolean
  /** Names of the configured channels. */
  readonly channels: readonly string[]
  readonly now: number
}

/**
 * The state after a look at the reasons: what is new has begun, what is missing has ended, and what came back before its end was sent goes on as if it
 * had never ended. Ended mutes and alarms that no channel waits for are left out.
 */
export function afterLook(state: AlarmState, { reasons, isWhole, isUnknown, channels, now }: Looked): AlarmState {
  const found = new Map(reasons.map((one) => [keyOfAlarm(one), one]))
  const known = new Set(state.alarms.map(keyOfAlarm))
  const mutes = state.mutes.filter(({ until }) => until > now)
  const ended = state.mutes.filter(({ until }) => until <= now)
  const kept = state.alarms
    .map((alarm) => freed(alarm, ended, now))
    .map((alarm) => {
      const isKnown = isWhole && isUnknown?.(alarm) !== true
      return seen(alarm, { isThere: found.has(keyOfAlarm(alarm)), isWhole: isKnown, now })
    })
    .filter((alarm) => isKept(alarm, channels, now))
  const begun = [...found].flatMap(([key, one]) => (known.has(key) ? [] : [beginning(one, now)]))
  const alarms = [...kept, ...begun]
  return {
    alarms: alarms.filter((one) => !isToldBy(one, alarms)),
    mutes,
    channels: channels.map(
      (name) =>
        state.channels.find((one) => one.name === name) ?? { name, failingSince: null, error: null, summedUpAt: now },
    ),
  }
}

/** Of a certificate that is found late, the reason itself is still to be sent. */
function isToldBy({ code, subject }: Alarm, all: readonly Alarm[]): boolean {
  return (
    code === 'certificate_warning' &&
    all.some(
      (one) => EXPIRY_REASONS.includes(one.code) && one.subject === subject && Object.keys(one.told).length === 0,
    )
  )
}

const EXPIRY_REASONS: readonly string[] = ['certificate_expiring', 'certificate_expired']

export function beginning({ code, severity, subject, value, detail, until }: AlarmReason, now: number): Alarm {
  return { code, subject, severity, value, detail, until, beganAt: now, endedAt: null, freeAt: now, told: {} }
}

/** The 24 hours begin when the mute ends. */
function freed(alarm: Alarm, endedMutes: AlarmState['mutes'], now: number): Alarm {
  const wasMuted = muteOf(alarm, endedMutes, Number.NEGATIVE_INFINITY) !== undefined
  return wasMuted ? { ...alarm, freeAt: now } : alarm
}

function seen(alarm: Alarm, { isThere, isWhole, now }: { isThere: boolean; isWhole: boolean; now: number }): Alarm {
  if (isNotice(alarm)) return alarm
  if (isThere) return alarm.endedAt === null ? alarm : { ...alarm, endedAt: null }
  return alarm.endedAt === null && isWhole ? { ...alarm, endedAt: now } : alarm
}

/** An open one always; one that is over until its end was sent; a notice until every channel has it. */
function isKept(alarm: Alarm, channels: readonly string[], now: number): boolean {
  if (isNotice(alarm)) return channels.some((name) => alarm.told[name] === undefined) && now - alarm.freeAt <= TRIED_MS
  if (alarm.endedAt === null) return true
  return channels.some((name) => alarm.told[name] === 'began') && now - changedAt(alarm) <= TRIED_MS
}

/** Since when the last change of an alarm may be sent. */
export function changedAt({ beganAt, endedAt, freeAt }: Alarm): number {
  return Math.max(endedAt ?? beganAt, freeAt)
}

export function withTold(alarm: Alarm, channel: string, told: Told | null): Alarm {
  const { [channel]: _, ...others } = alarm.told
  return { ...alarm, told: told === null ? others : { ...others, [channel]: told } }
}
