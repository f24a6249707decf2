/**
 * One warning for each set, fingerprint and threshold, only ever downwards: the warning's row, its event and the
 * deliveries are one transaction, so neither a restart nor a clock that jumps repeats it. Callers and destinations are
 * judged by the certificates they showed: a caller that has used a later certificate for a day is not warned about.
 */

import type { OwnEvent } from '../domain/event.ts'
import type { RaisedWarning } from '../domain/event-record.ts'
import {
  clientUseWarnings,
  type ExpiryWarning,
  type InventoryEntry,
  judgeExpiry,
  warningsDue,
} from '../domain/expiry.ts'
import { namedParts } from '../domain/realm.ts'
import type { Store } from '../domain/store.ts'
import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

export interface ExpiryAlarmOptions {
  /** Reads the certificate inventory. */
  readonly list: () => Promise<readonly InventoryEntry[]>
  readonly store: Pick<Store, 'raiseExpiryWarning'>
  /** A warning was stored as an event, with pending deliveries to these destinations. */
  readonly onRaised: (event: OwnEvent, raised: RaisedWarning) => void
  readonly now: () => number
  /** False: no warnings, because a premature warning would suppress the later ones. Default true. */
  readonly isClockPlausible?: () => boolean
  readonly log: Log
  /** How often the inventory is checked; default an hour. */
  readonly intervalMs?: number
}

export interface ExpiryAlarm {
  /** Checks now and raises the warnings that are due and were not raised before. Never rejects: the next check tries a failed one again. */
  check(): Promise<void>
  /** The inventory of the last check. */
  latest(): readonly InventoryEntry[]
  /** After the check under way. */
  stop(): Promise<void>
}

const HOUR_MS = 3_600_000

/** Warns in the log and with an event before a certificate expires, once for each certificate and number of days left. Checks from now on. */
export function startExpiryAlarm(options: ExpiryAlarmOptions): ExpiryAlarm {
  const { list, store, onRaised, now, log } = options
  /** Warnings that are stored already. */
  const raisedDays = new Map<string, number>()
  let checking: Promise<void> = Promise.resolve()
  let latest: readonly InventoryEntry[] = []
  let isStopped = false

  async function raise(warning: ExpiryWarning): Promise<void> {
    const key = `${warning.set} ${warning.fingerprint}`
    if ((raisedDays.get(key) ?? Number.POSITIVE_INFINITY) <= warning.warning) return
    const raised = await store.raiseExpiryWarning(warning)
    raisedDays.set(key, warning.warning)
    if (raised === null) return
    logWarning(warning, raised.eventId)
    onRaised(warning.event, raised)
  }

  function logWarning({ event, notAfter, ...warning }: ExpiryWarning, eventId: string): void {
    const realm = namedParts(event.environment)
    const fields = { ...warning, notAfter: new Date(notAfter).toISOString(), ...realm, eventId }
    if (warning.set === 'client-use') return log.error(fields, 'certificate.loses_client_use')
    if (isProblem(warning.fingerprint)) log.error(fields, 'certificate.expiring')
    else log.warn(fields, 'certificate.expiring')
  }

  function isProblem(fingerprint: string): boolean {
    return latest.some((one) => {
      if ('problem' in one || one.fingerprint !== fingerprint) return false
      const judgement = judgeExpiry(one, now())
      return judgement === 'problem' || judgement === 'expired'
    })
  }

  async function checkAll(): Promise<void> {
    if (isStopped) return
    try {
      latest = await list()
      if (options.isClockPlausible?.() === false) return
      const warnings = [...warningsDue(latest, now()), ...clientUseWarnings(latest, now())]
      for (const warning of warnings) if (!isStopped) await raise(warning)
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'certificates.not_checked')
    }
  }

  function check(): Promise<void> {
    // One after the other: two at once would raise a warning twice.
    checking = checking.then(checkAll)
    return checking
  }

  const timer = setInterval(guarded(log, 'checking expiry dates', check), options.intervalMs ?? HOUR_MS).unref()
  void check()
  return {
    check,
    latest: () => latest,
    async stop() {
      isStopped = true
      clearInterval(timer)
      await checking
    },
  }
}
