/**
 * Compares the reasons of the overview with those before, and has the channels send what began and ended. What a channel was sent is in the store, so
 * that a restart repeats nothing. Of several nodes the one that has the jobs sends.
 */

import {
  type Alarm,
  type AlarmReason,
  type AlarmState,
  type ChannelTest,
  entriesBetween,
  type FailingChannel,
  keyOfAlarm,
  stateOf,
} from '../domain/alarms/alarm.ts'
import type { AlarmReads, AlarmWrites } from '../domain/alarms/alarm-store.ts'
import { afterLook, type Looked } from '../domain/alarms/changes.ts'
import {
  afterFailed,
  afterSent,
  type DueMessage,
  dueMessage,
  type SendingRules,
  withoutEmptySums,
} from '../domain/alarms/due.ts'
import type { AlarmFailureFacts } from '../domain/alarms/failure.ts'
import { noticeOf, withNotices } from '../domain/alarms/notices.ts'
import type { OwnEvent } from '../domain/event.ts'
import type { Language } from '../messages/languages.ts'
import { guarded } from '../platform/background.ts'
import type { Log } from '../platform/log.ts'
import { iso } from '../platform/time.ts'
import { oneBehind } from '../platform/turns.ts'
import { type AlarmPages, additionsTo, type ReadFacts } from './additions.ts'
import type { Channel } from './channels/channel.ts'
import { keysIn, type MessageOptions, messageOf, testMessage } from './message.ts'
import { createSending } from './sending.ts'

/** What the section `alarms` says. */
export interface AlarmSettings extends SendingRules {
  readonly language: Language
  readonly channels: readonly Channel[]
  /** null: unknown. */
  readonly pages: AlarmPages | null
}

export interface AlarmRunnerOptions {
  readonly store: AlarmReads & AlarmWrites
  /** Every reason that there is now; not whole: some could not be judged. */
  readonly readReasons: () => Promise<Pick<Looked, 'reasons' | 'isWhole' | 'isUnknown'>>
  readonly readFacts: ReadFacts
  /** Name of this node. */
  readonly gateway: string
  readonly isMine: () => boolean
  readonly now: () => number
  readonly log: Log
  /** Between two looks; default 5 s. */
  readonly intervalMs?: number
}

export interface AlarmRunner {
  /** null: nothing is sent. */
  use(settings: AlarmSettings | null): void
  start(): void
  /** An operator event was stored. */
  note(event: Pick<OwnEvent, 'body' | 'madeAt'>): void
  /** Looks now. Never rejects. */
  wake(): void
  /** Channels that send nothing, as of the last look. */
  failing(): readonly FailingChannel[]
  /** How often each channel has failed since the start. */
  failures(): readonly { readonly channel: string; readonly count: number }[]
  /** Sends a test by these channels now, at the same time. */
  test(channels: readonly string[]): Promise<ChannelTest[]>
  /** What is under way may take a moment; then it is given up, and tried again by the next process. */
  stop(): Promise<void>
}

const INTERVAL_MS = 5000
const STOP_GRACE_MS = 3000

export function createAlarmRunner(options: AlarmRunnerOptions): AlarmRunner {
  const { store, isMine, now, log, intervalMs = INTERVAL_MS } = options
  /** `use` alone changes it. */
  let settings: AlarmSettings | null = null
  /** Of operator events that are not in the store yet. */
  let noted: readonly AlarmReason[] = []
  let failing: readonly FailingChannel[] = []
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const stopping = new AbortController()
  const sending = createSending({ now, log, stopping: stopping.signal })

  async function keep(before: AlarmState, after: AlarmState): Promise<void> {
    const entries = entriesBetween(before, after)
    if (entries.length > 0) await store.keepAlarmEntries(entries)
    failing = failingIn(after)
  }

  async function takeNotices(state: AlarmState): Promise<AlarmState> {
    const taken = noted
    if (taken.length === 0) return state
    const after = withNotices(state, taken, now())
    await keep(state, after)
    noted = noted.slice(taken.length)
    return after
  }

  async function look(): Promise<void> {
    const used = settings
    if (isStopped || used === null) return
    const read = await takeNotices(stateOf(await store.listAlarmEntries()))
    failing = failingIn(read)
    if (!isMine()) return
    const found = await options.readReasons()
    const { reasons } = found
    const names = used.channels.map(({ name }) => name)
    const looked = afterLook(read, { ...found, channels: names, now: now() })
    const state = withoutEmptySums(looked, used, now())
    await keep(read, state)
    await sendDue(withLiveValues(state, reasons), used, state)
  }

  /** @param shown as `state`, with the values of now */
  async function sendDue(shown: AlarmState, used: AlarmSettings, state: AlarmState): Promise<void> {
    const due = used.channels.flatMap((channel) => {
      const known = shown.channels.find(({ name }) => name === channel.name)
      const message = known === undefined ? null : dueMessage(shown, known, used, now())
      return message === null || !sending.mayTry(channel.name) ? [] : [{ channel, message }]
    })
    const open = due.flatMap(({ message }) => [...message.began, ...message.goingOn])
    const additions = await additionsTo(open, options.readFacts, used.pages)
    const outcomes = await Promise.all(due.map((one) => sendOne(one, { ...messageOptions(used), additions })))
    // What a stop has cut off is neither sent nor failed.
    const after = outcomes.reduce(
      (all, { message, error }) =>
        error === 'cut off' ? all : settled(all, { message, error, used, now: now(), log }),
      state,
    )
    await keep(state, after)
  }

  async function sendOne({ channel, message }: { channel: Channel; message: DueMessage }, words: MessageOptions) {
    const error = await sending.send(channel, messageOf(message, words), keysIn(message))
    return { message, error }
  }

  function messageOptions({ language, quietHours, pages }: AlarmSettings) {
    const timeZone = quietHours?.timeZone ?? null
    return { language, timeZone, gateway: options.gateway, now: now(), mutePage: pages?.mute ?? null }
  }

  const lookNext = oneBehind(look)
  const wake = guarded(log, 'sending alarms', lookNext)
  const cutOff = guarded(log, 'ending alarms', () => stopping.abort())

  return {
    use(next) {
      settings = next
      if (next === null) failing = []
      sending.forget()
    },
    start() {
      timer = setInterval(wake, intervalMs).unref()
    },
    note(event) {
      const notice = settings === null ? null : noticeOf(event)
      if (notice !== null) noted = [...noted, notice]
    },
    wake,
    failing: () => failing,
    failures: () => (settings?.channels ?? []).map(({ name }) => ({ channel: name, count: sending.failures(name) })),
    async test(names) {
      const used = settings
      const channels = used?.channels.filter(({ name }) => names.includes(name)) ?? []
      const results = await Promise.all(channels.map((channel) => testOne(channel, used as AlarmSettings)))
      if (results.length > 0 && !stopping.signal.aborted) await keepTested(results)
      wake()
      return results
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      const late = setTimeout(cutOff, STOP_GRACE_MS)
      await lookNext().catch(() => undefined)
      clearTimeout(late)
    },
  }

  async function testOne(channel: Channel, used: AlarmSettings): Promise<ChannelTest> {
    const error = await sending.send(channel, testMessage(messageOptions(used)), { isTest: true })
    return { channel: channel.name, error: error === 'cut off' ? { code: 'timed_out', words: null } : error }
  }

  /** In the store, because another node may be the one that sends. */
  async function keepTested(results: readonly ChannelTest[]): Promise<void> {
    const state = stateOf(await store.listAlarmEntries())
    await keep(state, withTested(state, results, now()))
  }
}

interface Outcome {
  readonly message: DueMessage
  readonly error: AlarmFailureFacts | null
  readonly used: AlarmSettings
  readonly now: number
  readonly log: Log
}

function settled(state: AlarmState, { message, error, used, now, log }: Outcome): AlarmState {
  if (error === null) return afterSent(state, message)
  const failed = afterFailed(state, message, { error, now, quietHours: used.quietHours })
  if (failed.givenUp.length > 0)
    log.error({ channel: message.channel, alarms: failed.givenUp.map(summaryOf), hint: GIVEN_UP }, 'alarm.given_up')
  return failed.state
}

const GIVEN_UP = 'correct the channel: these alarms are not sent by it any more, the overview has them'

function failingIn({ channels }: AlarmState): FailingChannel[] {
  return channels.flatMap(({ name, failingSince, error }) =>
    failingSince === null || error === null ? [] : [{ name, failingSince, error }],
  )
}

/** A test proves that a channel works, or that it fails. */
function withTested(state: AlarmState, results: readonly ChannelTest[], now: number): AlarmState {
  const errors = new Map(results.map(({ channel, error }) => [channel, error]))
  return {
    ...state,
    channels: state.channels.map((one) => {
      const error = errors.get(one.name)
      if (error === undefined) return one
      return { ...one, failingSince: error === null ? null : (one.failingSince ?? now), error }
    }),
  }
}

/** The store keeps the values of the beginning: a backlog grows, and would be written at each look. */
function withLiveValues(state: AlarmState, reasons: readonly AlarmReason[]): AlarmState {
  const live = new Map(reasons.map((one) => [keyOfAlarm(one), one]))
  return { ...state, alarms: state.alarms.map((one) => ({ ...one, ...live.get(keyOfAlarm(one)) })) }
}

function summaryOf({ code, subject, beganAt, endedAt }: Alarm) {
  return { code, subject, beganAt: iso(beganAt), endedAt: endedAt === null ? null : iso(endedAt) }
}
