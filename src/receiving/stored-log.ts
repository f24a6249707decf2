import type { ReceivedCallback } from '../domain/event.ts'
import type { StoredCallback } from '../domain/event-record.ts'
import { guarded } from '../platform/background.ts'
import { COMMAND } from '../platform/installation.ts'
import { createLineLimit } from '../platform/line-limit.ts'
import type { Log } from '../platform/log.ts'

/** A callback that was stored and answered. */
export interface LoggedCallback {
  readonly callback: ReceivedCallback
  readonly stored: StoredCallback
  readonly durationMs: number
}

const SEE = `${COMMAND} quarantine list`

/** Sums over callbacks of one commit; `tokens` and `quarantined` as in a line. */
interface Batch {
  callbacks: number
  events: number
  duplicates: number
  tokens: number
  quarantined: number
  deliveries: number
  bytes: number
  slowestMs: number
}

/** Logs a line for each callback, as a warning if a fact was quarantined. Above 100 callbacks a second, a line for each batch. */
export function createStoredLog(log: Log, now: () => number): (logged: LoggedCallback) => void {
  const mayHaveLine = createLineLimit(now)
  let batch = emptyBatch()

  const logBatch = guarded(log, 'logging callbacks', () => {
    const { tokens, slowestMs, ...sums } = batch
    log.info({ ...sums, tokens: tokens || undefined, slowestMs: rounded(slowestMs) }, 'callbacks.stored')
    if (sums.quarantined > 0) log.warn({ quarantined: sums.quarantined, see: SEE }, 'callbacks.quarantined')
    batch = emptyBatch()
  })

  return function logStored(logged) {
    if (mayHaveLine()) {
      logOne(log, logged)
      return
    }
    // The answers of one commit come in one turn of the event loop, so its end is the end of a batch.
    if (batch.callbacks === 0) setImmediate(logBatch)
    addTo(batch, logged)
  }
}

function logOne(log: Log, { callback, stored, durationMs }: LoggedCallback): void {
  const { kind, environment, listener, remoteAddress } = callback
  const { duplicates, tokenId: token, quarantineIds: quarantined, quarantineReasons: reasons = [] } = stored
  log.info(
    {
      ...{ kind, environment, listener },
      // For a charge, the path with a shortened token. Elsewhere a query may contain personal data, so it is not logged.
      target: listener === 'charges' ? callback.target : undefined,
      ...{ events: stored.eventIds, duplicates, token, quarantined },
      ...{ deliveries: deliveriesOf(stored), bytes: callback.body.length, durationMs: rounded(durationMs) },
      ...{ remoteAddress, mark: stored.mark ?? null },
    },
    'callback.stored',
  )
  if (quarantined !== undefined)
    log.warn({ kind, environment, listener, reasons, quarantined, see: SEE }, 'callback.quarantined')
}

function addTo(batch: Batch, { callback, stored, durationMs }: LoggedCallback): void {
  batch.callbacks++
  batch.events += stored.eventIds.length
  batch.duplicates += stored.duplicates
  if (stored.tokenId !== undefined) batch.tokens++
  batch.quarantined += stored.quarantineIds?.length ?? 0
  batch.deliveries += deliveriesOf(stored)
  batch.bytes += callback.body.length
  batch.slowestMs = Math.max(batch.slowestMs, durationMs)
}

function deliveriesOf({ destinationIds, handed, blocked = 0 }: StoredCallback): number {
  return destinationIds.length + (handed?.length ?? 0) + blocked
}

function emptyBatch(): Batch {
  return {
    ...{ callbacks: 0, events: 0, duplicates: 0, tokens: 0 },
    ...{ quarantined: 0, deliveries: 0, bytes: 0, slowestMs: 0 },
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}
