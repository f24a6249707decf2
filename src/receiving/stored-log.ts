import type { QuarantineReason } from '../domain/accounts.ts'
import { guarded } from '../platform/background.ts'
import { COMMAND } from '../platform/installation.ts'
import { createLineLimit } from '../platform/line-limit.ts'
import type { Log } from '../platform/log.ts'

export interface StoredLine {
  readonly kind: string
  readonly environment: string
  readonly listener: string
  readonly target: string | undefined
  readonly events: readonly string[]
  readonly duplicates: number
  /** The number of the job that its token waits in; undefined: it has no token to resolve. */
  readonly token?: number | undefined
  /** Ids of quarantined facts; undefined: none. */
  readonly quarantined: readonly string[] | undefined
  readonly deliveries: number
  readonly bytes: number
  readonly durationMs: number
  readonly remoteAddress: string
  readonly mark: string | null
}

const SEE = `${COMMAND} quarantine list`

/** Logs a line for each callback, as a warning if a fact was quarantined. Above 100 callbacks a second, a line for each batch. */
export function createStoredLog(
  log: Log,
  now: () => number,
): (line: StoredLine, reasons: readonly QuarantineReason[]) => void {
  const mayHaveLine = createLineLimit(now)
  let batch: StoredLine[] = []

  const logBatch = guarded(log, 'logging callbacks', () => {
    const sum = (count: (line: StoredLine) => number) => batch.reduce((total, line) => total + count(line), 0)
    const quarantined = sum((line) => line.quarantined?.length ?? 0)
    log.info(
      {
        callbacks: batch.length,
        events: sum((line) => line.events.length),
        duplicates: sum((line) => line.duplicates),
        tokens: sum((line) => (line.token === undefined ? 0 : 1)) || undefined,
        quarantined,
        deliveries: sum((line) => line.deliveries),
        bytes: sum((line) => line.bytes),
        slowestMs: Math.max(...batch.map((line) => line.durationMs)),
      },
      'callbacks.stored',
    )
    if (quarantined > 0) log.warn({ quarantined, see: SEE }, 'callbacks.quarantined')
    batch = []
  })

  return function logStored(line, reasons) {
    if (mayHaveLine()) {
      log.info(line, 'callback.stored')
      const { kind, environment, listener, quarantined } = line
      if (quarantined !== undefined)
        log.warn({ kind, environment, listener, reasons, quarantined, see: SEE }, 'callback.quarantined')
      return
    }
    // The answers of one commit come in one turn of the event loop, so its end is the end of a batch.
    if (batch.length === 0) setImmediate(logBatch)
    batch.push(line)
  }
}
