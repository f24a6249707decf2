import type { OwnEvent } from '../domain/event.ts'
import {
  clientUseWarnings,
  type ExpiryWarning,
  type InventoryEntry,
  type WarningDays,
  warningsDue,
} from '../domain/expiry.ts'
import type { RaisedWarning, Store } from '../domain/store.ts'
import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

export interface ExpiryAlarmOptions {
  /** Every certificate whose end matters now. */
  readonly list: () => Promise<readonly InventoryEntry[]>
  readonly store: Pick<Store, 'raiseExpiryWarning'>
  /** A warning became an event, which these destinations are owed. */
  readonly onRaised: (event: OwnEvent, raised: RaisedWarning) => void
  readonly now: () => number
  /** False: a warning that came too early would keep all later ones away. Default: it is. */
  readonly isClockPlausible?: () => boolean
  readonly log: Log
  /** How often it looks; default an hour. */
  readonly intervalMs?: number
}

export interface ExpiryAlarm {
  /** Looks now, and says what is due and was not said before. Never rejects: what failed is tried the next time. */
  check(): Promise<void>
  /** What was there at the last look. */
  latest(): readonly InventoryEntry[]
  /** What is being looked at ends first. */
  stop(): Promise<void>
}

const HOUR_MS = 3_600_000
/** From here on a person must act. */
const URGENT_DAYS = 7

/** Says once for each certificate, and number of days left, that it is about to expire: in the log and as an event. Looks from now on. */
export function startExpiryAlarm(options: ExpiryAlarmOptions): ExpiryAlarm {
  const { list, store, onRaised, now, log } = options
  /** What the store need not be asked again. */
  const said = new Map<string, WarningDays>()
  let checking: Promise<void> = Promise.resolve()
  let latest: readonly InventoryEntry[] = []
  let isStopped = false

  async function raise(warning: ExpiryWarning): Promise<void> {
    const key = `${warning.set} ${warning.fingerprint}`
    if ((said.get(key) ?? Number.POSITIVE_INFINITY) <= warning.warning) return
    const raised = await store.raiseExpiryWarning(warning)
    said.set(key, warning.warning)
    if (raised === null) return
    tell(warning, raised.eventId)
    onRaised(warning.event, raised)
  }

  function tell({ event, notAfter, ...warning }: ExpiryWarning, eventId: string): void {
    const fields = { ...warning, notAfter: new Date(notAfter).toISOString(), environment: event.environment, eventId }
    if (warning.set === 'client-use') return log.error(fields, 'certificate.loses_client_use')
    if (warning.warning >= URGENT_DAYS) log.warn(fields, 'certificate.expiring')
    else log.error(fields, 'certificate.expiring')
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
    // One after the other: two at once would say the same twice.
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
