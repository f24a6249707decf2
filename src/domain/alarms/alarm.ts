import type { Reason, ReasonCode } from '../overview/reasons.ts'
import type { AlarmFailureFacts } from './failure.ts'

/** Operator events that no reason of the overview tells. They begin, and are over once every channel has them. */
export const NOTICE_CODES = ['certificate_warning', 'certificate_loses_client_use', 'subjects_silent'] as const
export type NoticeCode = (typeof NOTICE_CODES)[number]

export type AlarmCode = ReasonCode | NoticeCode

/**
 * Reasons by which callbacks are or may be lost: they are sent in quiet hours, too. A silent kind is one of them, because a wrong address at the service
 * shows as nothing else.
 */
export const LOSING_CODES: readonly AlarmCode[] = [
  'not_ready',
  'callbacks_failing',
  'callbacks_refused',
  'outage_lost',
  'outage',
  'kind_silent',
  'writer_silent',
  'space_out',
]

/** What is true now, or a notice. The same code and subject are the same alarm. */
export interface AlarmReason extends Pick<Reason, 'severity' | 'value' | 'detail' | 'until'> {
  readonly code: AlarmCode
  /** A destination, a kind, a certificate or the like, never the subject of a payment; '': the gateway. */
  readonly subject: string
  /** As in Reason. The store does not keep it. */
  readonly about?: Reason['about']
}

/** What a channel has sent: that the alarm began, or nothing in time. An end that was sent leaves no entry. */
export type Told = 'began' | 'given_up'

/** A reason since it began, until every channel knows that it is over. Times in ms. */
export interface Alarm extends AlarmReason {
  readonly beganAt: number
  /** null: it goes on. */
  readonly endedAt: number | null
  /** Since when it may be sent: later than its begin where it was muted. */
  readonly freeAt: number
  /** By the name of the channel. */
  readonly told: Readonly<Record<string, Told>>
}

/** Nothing is sent of some alarms for a time. */
export interface AlarmMute {
  readonly id: string
  /** null: every alarm. */
  readonly code: AlarmCode | null
  /** null: every subject of the code. */
  readonly subject: string | null
  readonly mutedAt: number
  /** Not later than now: it was ended, and the next look frees what it held back. */
  readonly until: number
  /** Id of the client, or `operator`. */
  readonly mutedBy: string
  /** Words of who muted it. */
  readonly note: string | null
}

export interface AlarmChannel {
  readonly name: string
  /** Since when nothing could be sent; null: the last message was sent, or there was none. */
  readonly failingSince: number | null
  /** Why the last try failed. */
  readonly error: AlarmFailureFacts | null
  /** The end of the quiet hours whose message was sent, or when the channel was first used. */
  readonly summedUpAt: number
}

export interface AlarmState {
  readonly alarms: readonly Alarm[]
  readonly mutes: readonly AlarmMute[]
  readonly channels: readonly AlarmChannel[]
}

/** What the store keeps: an entry by its record, code (of a channel its name, of a mute its id) and subject. */
export interface AlarmEntry {
  readonly record: 'alarm' | 'mute' | 'channel'
  readonly code: string
  readonly subject: string
  /** JSON; null removes the entry. */
  readonly value: string | null
}

/** A channel that sends nothing now. */
export interface FailingChannel {
  readonly name: string
  readonly failingSince: number
  readonly error: AlarmFailureFacts
}

export interface ChannelTest {
  readonly channel: string
  /** null: the message was sent. */
  readonly error: AlarmFailureFacts | null
}

export function isNotice({ code }: Pick<Alarm, 'code'>): boolean {
  return (NOTICE_CODES as readonly string[]).includes(code)
}

export function keyOfAlarm({ code, subject }: Pick<Alarm, 'code' | 'subject'>): string {
  return `${code} ${subject}`
}

/** The mute that holds an alarm back now, the longest one; undefined: none. */
export function muteOf(
  { code, subject }: Pick<Alarm, 'code' | 'subject'>,
  mutes: readonly AlarmMute[],
  now: number,
): AlarmMute | undefined {
  return mutes
    .filter((one) => (one.code ?? code) === code && (one.subject ?? subject) === subject && one.until > now)
    .sort((one, two) => two.until - one.until)[0]
}

/** What has to be written so that the store holds `after`. */
export function entriesBetween(before: AlarmState, after: AlarmState): AlarmEntry[] {
  const [old, young] = [entriesOf(before), entriesOf(after)]
  const changed = [...young].flatMap(([key, entry]) => (old.get(key)?.value === entry.value ? [] : [entry]))
  const removed = [...old].flatMap(([key, entry]) => (young.has(key) ? [] : [{ ...entry, value: null }]))
  return [...changed, ...removed]
}

function entriesOf({ alarms, mutes, channels }: AlarmState): Map<string, AlarmEntry> {
  const entries = [
    ...alarms.map(({ code, subject, ...rest }) => entry('alarm', { code, subject }, rest)),
    ...mutes.map(muteEntry),
    ...channels.map(({ name, ...rest }) => entry('channel', { code: name, subject: '' }, rest)),
  ]
  return new Map(entries.map((one) => [`${one.record} ${one.code} ${one.subject}`, one]))
}

export function muteEntry({ id, ...rest }: AlarmMute): AlarmEntry {
  return entry('mute', { code: id, subject: '' }, rest)
}

function entry(
  record: AlarmEntry['record'],
  { code, subject }: { readonly code: string; readonly subject: string },
  value: object | null,
): AlarmEntry {
  return { record, code, subject, value: value && JSON.stringify(value) }
}

/** The state that a store keeps, in the order of the beginnings. */
export function stateOf(entries: readonly AlarmEntry[]): AlarmState {
  const valuesOf = (record: AlarmEntry['record']) =>
    entries.flatMap(({ value, ...one }) =>
      one.record !== record || value === null ? [] : [{ ...one, value: JSON.parse(value) }],
    )
  const alarms = valuesOf('alarm').map(({ code, subject, value }): Alarm => ({ code, subject, ...value }))
  return {
    alarms: alarms.sort((one, two) => one.beganAt - two.beganAt || one.code.localeCompare(two.code)),
    mutes: valuesOf('mute').map(({ code, value }): AlarmMute => ({ id: code, ...value })),
    channels: valuesOf('channel').map(({ code, value }): AlarmChannel => ({ name: code, ...value })),
  }
}
