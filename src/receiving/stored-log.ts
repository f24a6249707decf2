import type { ReceivedCallback } from '../domain/event.ts'
import type { StoredCallback } from '../domain/event-record.ts'
import { namedParts } from '../domain/realm.ts'
import { guarded } from '../platform/background.ts'
import { COMMAND } from '../platform/installation.ts'
import { createLineLimit } from '../platform/line-limit.ts'
import type { Log } from '../platform/log.ts'

/** A callback that was stored and answered. */
export interface LoggedCallback {
  readonly callback: ReceivedCallback
  readonly stored: StoredCallback
  readonly durationMs: number
  /** When it was answered; as performance.now(). */
  readonly answeredAt: number
}

export interface StoredLog {
  stored(logged: LoggedCallback): void
  /** Logs the sums at once. */
  flush(): void
}

/** How long callbacks beyond the line limit are summed up. */
const SUMMED_MS = 1000

const SEE = `${COMMAND} quarantine list`

/** Sums over many callbacks; `tokens` and `quarantined` as in a line. */
interface Sums {
  callbacks: number
  events: number
  duplicates: number
  tokens: number
  quarantined: number
  deliveries: number
  bytes: number
  slowestMs: number
}

/** Logs a line for each callback, as a warning if a fact was quarantined. Callbacks beyond 100 in a second share a line. */
export function createStoredLog(log: Log): StoredLog {
  const mayHaveLine = createLineLimit(() => performance.now())
  let sums = noSums()
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    if (sums.callbacks === 0) return
    const { tokens, slowestMs, ...others } = sums
    log.info({ ...others, tokens: tokens || undefined, slowestMs: rounded(slowestMs) }, 'callbacks.stored')
    if (others.quarantined > 0) log.warn({ quarantined: others.quarantined, see: SEE }, 'callbacks.quarantined')
    sums = noSums()
  }

  const flushInTime = guarded(log, 'logging callbacks', flush)

  return {
    stored(logged) {
      if (mayHaveLine(logged.answeredAt)) {
        logOne(log, logged)
        return
      }
      if (sums.callbacks === 0) timer = setTimeout(flushInTime, SUMMED_MS)
      addTo(sums, logged)
    },
    flush,
  }
}

function logOne(log: Log, { callback, stored, durationMs }: LoggedCallback): void {
  const { kind, environment, listener, remoteAddress } = callback
  const { duplicates, tokenId: token, quarantineIds: quarantined, quarantineReasons: reasons = [] } = stored
  log.info(
    {
      kind,
      ...namedParts(environment),
      listener,
      // Without a client certificate, the path with a shortened token. Elsewhere a query may contain personal data, so it is not logged.
      target: listener === 'charges' ? callback.target : undefined,
      events: stored.eventIds,
      duplicates,
      token,
      quarantined,
      deliveries: deliveriesOf(stored),
      bytes: callback.body.length,
      durationMs: rounded(durationMs),
      remoteAddress,
      mark: stored.mark ?? null,
    },
    'callback.stored',
  )
  if (quarantined !== undefined)
    log.warn({ kind, ...namedParts(environment), listener, reasons, quarantined, see: SEE }, 'callback.quarantined')
}

function addTo(sums: Sums, { callback, stored, durationMs }: LoggedCallback): void {
  sums.callbacks++
  sums.events += stored.eventIds.length
  sums.duplicates += stored.duplicates
  if (stored.tokenId !== undefined) sums.tokens++
  sums.quarantined += stored.quarantineIds?.length ?? 0
  sums.deliveries += deliveriesOf(stored)
  sums.bytes += callback.body.length
  sums.slowestMs = Math.max(sums.slowestMs, durationMs)
}

function deliveriesOf({ destinationIds, handed, blocked = 0 }: StoredCallback): number {
  return destinationIds.length + (handed?.length ?? 0) + blocked
}

function noSums(): Sums {
  return {
    callbacks: 0,
    events: 0,
    duplicates: 0,
    tokens: 0,
    quarantined: 0,
    deliveries: 0,
    bytes: 0,
    slowestMs: 0,
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}
