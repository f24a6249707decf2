/**
 * The store knows when a callback of a kind last arrived. The time from which a kind is inactive names the alarm, so a
 * restart repeats none. Callbacks of production count; where only sandbox chains are installed, those of sandbox.
 * Probes do not.
 */

import type { OwnEvent, ReceivedCallback } from '../domain/event.ts'
import type { RaisedWarning, StoredCallback } from '../domain/event-record.ts'
import { type InactivityRule, inactivityOf, type KindActivity } from '../domain/inactivity.ts'
import { institutionOf, kindKey, namedParts } from '../domain/realm.ts'
import type { Store } from '../domain/store.ts'
import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { durationText } from '../platform/units.ts'

export interface InactivityAlarmOptions {
  readonly rules: readonly InactivityRule[]
  readonly store: Pick<Store, 'lastReceivedAt' | 'raiseInactivity' | 'listEvents'>
  /** An alarm was stored as an event, with pending deliveries to these destinations. */
  readonly onRaised: (event: OwnEvent, raised: RaisedWarning) => void
  readonly now: () => number
  /** Whether this process raises alarms, where others get callbacks, too; default: no other does. */
  readonly isMine?: (() => boolean) | undefined
  readonly log: Log
  /** How often the kinds are checked; default half a minute. */
  readonly intervalMs?: number
}

export interface InactivityAlarm {
  /** A callback was stored. Duplicates and quarantined ones count, because the service is alive. */
  received(
    callback: Pick<ReceivedCallback, 'kind' | 'environment' | 'receivedAt'>,
    stored: Pick<StoredCallback, 'newFacts'>,
  ): void
  kinds(): KindActivity[]
  /** Checks now. Never rejects: the next check tries a failed alarm again. */
  check(): Promise<void>
  /** After the check under way. */
  stop(): Promise<void>
}

interface WatchedKind extends InactivityRule {
  lastReceivedAt: number | null
  /** From then on a kind that has never come is silent; 0: an alarm before the start said that it is. */
  readonly watchedSince: number
  /** When the silence of the last alarm began; null: there was none. */
  alertedSince: number | null
}

const INTERVAL_MS = 30_000

/** Warns in the log and with an event when no callback of a kind has come for longer than allowed, once for each silence. */
export async function startInactivityAlarm(options: InactivityAlarmOptions): Promise<InactivityAlarm> {
  const { rules, store, onRaised, now, isMine, log } = options
  const startedAt = now()
  const kinds = new Map<string, WatchedKind>()
  for (const rule of rules) {
    const { kind, environment } = rule
    const lastReceivedAt = await store.lastReceivedAt(kind, environment)
    const wasToldOf = lastReceivedAt === null && (await hasToldOf(rule, store))
    const watchedSince = wasToldOf ? 0 : startedAt
    const watched = { ...rule, lastReceivedAt, watchedSince, alertedSince: null }
    kinds.set(kindKey(institutionOf(environment), kind), watched)
  }
  /** The last check: `check` puts the next one behind it. */
  let checking: Promise<void> = Promise.resolve()
  /** True for ever after `stop`. */
  let isStopped = false

  function isInactive({ lastReceivedAt, watchedSince, alertAfterMs }: WatchedKind): boolean {
    return now() - (lastReceivedAt ?? watchedSince) > alertAfterMs
  }

  async function raise(watched: WatchedKind): Promise<void> {
    const { kind, environment, lastReceivedAt, alertAfterMs } = watched
    const silence = inactivityOf(watched, { lastReceivedAt, now: now() })
    const raised = await store.raiseInactivity(silence)
    watched.alertedSince = silence.since
    // Raised before the last restart.
    if (raised === null) return
    const lastReceived = lastReceivedAt === null ? null : new Date(lastReceivedAt).toISOString()
    const { eventId } = raised
    log.warn(
      { kind, ...namedParts(environment), silence: durationText(alertAfterMs), lastReceivedAt: lastReceived, eventId },
      'kind.silent',
    )
    onRaised(silence.event, raised)
  }

  /** Of callbacks that other processes got. */
  async function lookAgain(watched: WatchedKind): Promise<void> {
    const last = await store.lastReceivedAt(watched.kind, watched.environment)
    if (last !== null) watched.lastReceivedAt = Math.max(watched.lastReceivedAt ?? 0, last)
  }

  async function checkAll(): Promise<void> {
    for (const watched of kinds.values()) {
      if (isStopped) return
      try {
        await checkOne(watched)
      } catch (error) {
        log.warn(
          { kind: watched.kind, ...namedParts(watched.environment), error: messageOf(error) },
          'kind.alert_failed',
        )
      }
    }
  }

  async function checkOne(watched: WatchedKind): Promise<void> {
    if (isMine !== undefined && isInactive(watched)) await lookAgain(watched)
    // After the clock was set back, a time in the future would delay the alarm.
    if (watched.lastReceivedAt !== null) watched.lastReceivedAt = Math.min(watched.lastReceivedAt, now())
    if (!isInactive(watched) || watched.alertedSince === (watched.lastReceivedAt ?? 0)) return
    if (isMine?.() !== false) await raise(watched)
  }

  function check(): Promise<void> {
    // One after the other: two at once would raise an alarm twice.
    checking = checking.then(checkAll)
    return checking
  }

  const timer = setInterval(guarded(log, 'watching for silent kinds', check), options.intervalMs ?? INTERVAL_MS).unref()
  if (rules.length === 0) clearInterval(timer)
  return {
    received({ kind, environment, receivedAt }, { newFacts = [] }) {
      const watched = kinds.get(kindKey(institutionOf(environment), kind))
      // A probe of the service says nothing about the kind.
      const isProbe = newFacts[0] !== undefined && newFacts[0].kind !== kind
      if (watched?.environment !== environment || isProbe) return
      const wasSilent = watched.alertedSince !== null && isInactive(watched)
      const { lastReceivedAt } = watched
      watched.lastReceivedAt = Math.max(lastReceivedAt ?? 0, receivedAt)
      if (wasSilent)
        log.info(
          { kind, ...namedParts(environment), silentForMs: receivedAt - (lastReceivedAt ?? startedAt) },
          'kind.resumed',
        )
    },
    kinds: () =>
      [...kinds.values()].map((one) => ({
        kind: one.kind,
        environment: one.environment,
        lastReceivedAt: one.lastReceivedAt,
        isInactive: isInactive(one),
      })),
    check,
    async stop() {
      isStopped = true
      clearInterval(timer)
      await checking
    },
  }
}

/** Events of silent kinds that are looked at: institutions may have kinds of the same name. */
const LATEST = 100

/** Whether an alarm was raised for the kind, as long as its event is kept. */
async function hasToldOf({ kind, environment }: InactivityRule, store: Pick<Store, 'listEvents'>): Promise<boolean> {
  const filter = { kinds: ['operator'], subject: kind, status: 'silent', newestFirst: true }
  const { events } = await store.listEvents(filter, LATEST)
  return events.some((event) => event.environment === environment)
}
