import type { Environment, NewCallback, OwnEvent } from '../domain/event.ts'
import { type InactivityRule, inactivityOf, type KindActivity } from '../domain/inactivity.ts'
import type { RaisedWarning, Store } from '../domain/store.ts'
import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { durationText } from '../platform/units.ts'

export interface InactivityAlarmOptions {
  readonly rules: readonly InactivityRule[]
  /** Whose notifications count: what a sandbox sends says nothing about production. */
  readonly environment: Environment
  readonly store: Pick<Store, 'lastReceivedAt' | 'raiseInactivity'>
  /** A silence became an event, which these destinations are owed. */
  readonly onRaised: (event: OwnEvent, raised: RaisedWarning) => void
  readonly now: () => number
  readonly log: Log
  /** How often it looks; default half a minute. */
  readonly intervalMs?: number
}

export interface InactivityAlarm {
  /** A callback was kept: also one of duplicates, or of what is held back, for the service is there. */
  heard(callback: Pick<NewCallback, 'kind' | 'environment' | 'receivedAt' | 'facts'>): void
  kinds(): KindActivity[]
  /** Looks now. Never rejects: what could not be told of is tried the next time. */
  check(): Promise<void>
  /** What is being told of ends first. */
  stop(): Promise<void>
}

interface Listening extends InactivityRule {
  lastReceivedAt: number | null
  /** The silence that was told of began here; null: none was. */
  alertedSince: number | null
}

const INTERVAL_MS = 30_000

/** Says once for each silence that a kind has not come for longer than it may: in the log and as an event. */
export async function startInactivityAlarm(options: InactivityAlarmOptions): Promise<InactivityAlarm> {
  const { rules, environment, store, onRaised, now, log } = options
  const startedAt = now()
  const kinds = new Map<string, Listening>()
  for (const rule of rules)
    kinds.set(rule.kind, {
      ...rule,
      lastReceivedAt: await store.lastReceivedAt(rule.kind, environment),
      alertedSince: null,
    })
  let checking: Promise<void> = Promise.resolve()
  let isStopped = false

  function isInactive({ lastReceivedAt, alertAfterMs }: Listening): boolean {
    return now() - (lastReceivedAt ?? startedAt) > alertAfterMs
  }

  async function tell(listening: Listening): Promise<void> {
    const { kind, lastReceivedAt, alertAfterMs } = listening
    const silence = inactivityOf(listening, { environment, lastReceivedAt, now: now() })
    const raised = await store.raiseInactivity(silence)
    listening.alertedSince = silence.since
    // Told of before the last restart.
    if (raised === null) return
    const lastReceived = lastReceivedAt === null ? null : new Date(lastReceivedAt).toISOString()
    const { eventId } = raised
    log.warn(
      { kind, environment, silence: durationText(alertAfterMs), lastReceivedAt: lastReceived, eventId },
      'kind.silent',
    )
    onRaised(silence.event, raised)
  }

  async function checkAll(): Promise<void> {
    for (const listening of kinds.values()) {
      if (isStopped) return
      // The clock was set back: what lies ahead of it would keep the alarm away until then.
      if (listening.lastReceivedAt !== null) listening.lastReceivedAt = Math.min(listening.lastReceivedAt, now())
      if (!isInactive(listening) || listening.alertedSince === (listening.lastReceivedAt ?? 0)) continue
      await tell(listening).catch((error: unknown) =>
        log.warn({ kind: listening.kind, error: messageOf(error) }, 'kind.alert_failed'),
      )
    }
  }

  function check(): Promise<void> {
    // One after the other: two at once would say the same twice.
    checking = checking.then(checkAll)
    return checking
  }

  const timer = setInterval(guarded(log, 'watching for silent kinds', check), options.intervalMs ?? INTERVAL_MS).unref()
  if (rules.length === 0) clearInterval(timer)
  return {
    heard({ kind, environment: from, receivedAt, facts }) {
      const listening = kinds.get(kind)
      // Whoever only asks whether somebody is here says nothing of the kind.
      if (listening === undefined || from !== environment || facts[0]?.kind !== kind) return
      const wasSilent = listening.alertedSince !== null && isInactive(listening)
      const { lastReceivedAt } = listening
      listening.lastReceivedAt = Math.max(lastReceivedAt ?? 0, receivedAt)
      if (wasSilent)
        log.info({ kind, environment, silentForMs: receivedAt - (lastReceivedAt ?? startedAt) }, 'kind.resumed')
    },
    kinds: () =>
      [...kinds.values()].map((one) => ({
        kind: one.kind,
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
