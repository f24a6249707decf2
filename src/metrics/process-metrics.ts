import { readdir, readFile } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Exposition } from './exposition.ts'

export interface ProcessSources {
  readonly version: string
  /** Lines of the log that were lost because its reader was too slow. */
  readonly droppedLines: () => number
  readonly descriptors: () => Descriptors | null
}

const DELAY_RESOLUTION_MS = 20
const STATISTICS = { median: 50, p99: 99, worst: 100 }

/** The process itself. Returns how to end the watch over its event loop. */
export function exposeProcess(exposition: Exposition, sources: ProcessSources): () => void {
  const { version, droppedLines, descriptors } = sources
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
  delay.enable()

  exposition.gauge(
    {
      name: 'portaria_event_loop_delay_seconds',
      help: 'By how much timers came too late since the last time that this was asked: median, p99, worst.',
    },
    ['statistic'],
    (tell) => {
      for (const [statistic, percentile] of Object.entries(STATISTICS)) {
        // What it measures is the time between two of its timers.
        const late = delay.count === 0 ? 0 : delay.percentile(percentile) / 1e9 - DELAY_RESOLUTION_MS / 1000
        tell({ statistic }, Math.max(0, late))
      }
      delay.reset()
    },
  )
  exposition.counter(
    {
      name: 'portaria_log_lines_dropped_total',
      help: 'Lines of the log that were lost because nobody read it fast enough.',
    },
    [],
    (tell) => tell({}, droppedLines()),
  )
  exposition.gauge(
    { name: 'portaria_build_info', help: 'Always 1: which Portaria runs here, on which Node.' },
    ['version', 'node'],
    (tell) => tell({ version, node: process.versions.node }, 1),
  )
  exposition.gauge(
    {
      name: 'portaria_time_seconds',
      help: "This machine's clock, since 1970: compare it with the time of the answer.",
    },
    [],
    (tell) => tell({}, Date.now() / 1000),
  )
  exposition.counter(
    { name: 'process_cpu_seconds_total', help: 'CPU time of all threads, user and system.' },
    [],
    (tell) => {
      const { user, system } = process.cpuUsage()
      tell({}, (user + system) / 1e6)
    },
  )
  exposition.gauge({ name: 'process_resident_memory_bytes', help: 'Memory that the process holds.' }, [], (tell) =>
    tell({}, process.memoryUsage.rss()),
  )
  exposition.gauge({ name: 'process_start_time_seconds', help: 'When the process started, since 1970.' }, [], (tell) =>
    tell({}, startedAt),
  )
  exposition.gauge({ name: 'process_open_fds', help: 'Open file descriptors, connections among them.' }, [], (tell) =>
    tell({}, descriptors()?.open ?? Number.NaN),
  )
  exposition.gauge({ name: 'process_max_fds', help: 'How many there may be.' }, [], (tell) =>
    tell({}, descriptors()?.limit ?? Number.NaN),
  )
  return () => delay.disable()
}

const startedAt = Math.round(Date.now() / 1000 - process.uptime())

export interface Descriptors {
  readonly open: number
  readonly limit: number
}

/** @throws where there is no /proc */
export async function countDescriptors(): Promise<Descriptors> {
  const [open, limits] = await Promise.all([readdir('/proc/self/fd'), readFile('/proc/self/limits', 'utf8')])
  return { open: open.length, limit: Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.NaN) }
}
