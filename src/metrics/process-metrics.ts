import { collectProcessMetrics } from './default-metrics.ts'
import type { Exposition } from './exposition.ts'

export interface ProcessSources {
  readonly version: string
  /** Log lines that were lost because their reader was too slow. */
  readonly droppedLines: () => number
}

/** The process: the metrics of every process, and our own. Returns how to end the observers of the former. */
export function exposeProcess(exposition: Exposition, { version, droppedLines }: ProcessSources): () => void {
  exposition.counter(
    {
      name: 'portaria_log_lines_dropped_total',
      help: 'Log lines that were lost because nothing read them fast enough.',
    },
    [],
    (emit) => emit({}, droppedLines()),
  )
  exposition.gauge(
    { name: 'portaria_build_info', help: 'Always 1. The labels name the versions of Portaria and Node.' },
    ['version', 'node'],
    (emit) => emit({ version, node: process.versions.node }, 1),
  )
  exposition.gauge(
    {
      name: 'portaria_time_seconds',
      help: "This machine's clock, in seconds since 1970: compare it with the time of the scrape.",
    },
    [],
    (emit) => emit({}, Date.now() / 1000),
  )
  return collectProcessMetrics(exposition)
}
