import type { Log } from '../domain/log.ts'

export interface StoredLine {
  readonly kind: string
  readonly environment: string
  readonly listener: string
  readonly target: string | undefined
  readonly events: readonly string[]
  readonly duplicates: number
  readonly deliveries: number
  readonly bytes: number
  readonly durationMs: number
  readonly remoteAddress: string
  readonly mark: string | null
}

const LINES_PER_SECOND = 100

/** One line a callback; above 100 a second one line a batch, with its counts. */
export function createStoredLog(log: Log, now: () => number): (line: StoredLine) => void {
  let second = 0
  let lines = 0
  let batch: StoredLine[] = []

  function logBatch(): void {
    const sum = (count: (line: StoredLine) => number) => batch.reduce((total, line) => total + count(line), 0)
    log.info(
      {
        callbacks: batch.length,
        events: sum((line) => line.events.length),
        duplicates: sum((line) => line.duplicates),
        deliveries: sum((line) => line.deliveries),
        bytes: sum((line) => line.bytes),
        slowestMs: Math.max(...batch.map((line) => line.durationMs)),
      },
      'callbacks.stored',
    )
    batch = []
  }

  return function logStored(line) {
    const current = Math.floor(now() / 1000)
    if (current !== second) {
      second = current
      lines = 0
    }
    lines++
    if (lines <= LINES_PER_SECOND) {
      log.info(line, 'callback.stored')
      return
    }
    // The answers of one commit come in one turn of the event loop: what is there at its end is one batch.
    if (batch.length === 0) setImmediate(logBatch)
    batch.push(line)
  }
}
