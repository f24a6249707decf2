/** The metrics that Prometheus' client libraries agree on for a process, and those of prom-client for Node.js, with its names and texts. */

import { readdirSync, readFileSync } from 'node:fs'
import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, type HeapSpaceInfo } from 'node:v8'
import type { Exposition } from './exposition.ts'

/** The resolution of the event loop monitor. The lag that it measures includes this time. */
const EVENT_LOOP_PRECISION_MS = 10
const GC_SECONDS = [0.001, 0.01, 0.1, 1, 2, 5]

/** Adds `process_*` and `nodejs_*`. Returns how to end the event loop monitor and the observer of the garbage collection. */
export function collectProcessMetrics(exposition: Exposition): () => void {
  exposeProcessorTime(exposition)
  exposeMemory(exposition)
  exposeDescriptors(exposition)
  const stopMonitor = exposeEventLoop(exposition)
  exposeHeap(exposition)
  exposeVersion(exposition)
  const stopObserver = exposeGarbageCollection(exposition)
  return () => {
    stopMonitor()
    stopObserver()
  }
}

type Registered = 'counter' | 'gauge'

/** One metric without labels for each entry, all from one reading, which the first of them takes. */
function exposeReading<T>(
  exposition: Exposition,
  type: Registered,
  read: () => T,
  metrics: readonly (readonly [name: string, help: string, (reading: T) => number])[],
): void {
  let reading: T
  for (const [index, [name, help, numberIn]] of metrics.entries()) {
    exposition[type]({ name, help }, [], (emit) => {
      if (index === 0) reading = read()
      emit({}, numberIn(reading))
    })
  }
}

function exposeProcessorTime(exposition: Exposition): void {
  exposeReading(exposition, 'counter', () => process.cpuUsage(), [
    ['process_cpu_user_seconds_total', 'Total user CPU time spent in seconds.', ({ user }) => user / 1e6],
    ['process_cpu_system_seconds_total', 'Total system CPU time spent in seconds.', ({ system }) => system / 1e6],
    [
      'process_cpu_seconds_total',
      'Total user and system CPU time spent in seconds.',
      ({ user, system }) => (user + system) / 1e6,
    ],
  ])
  const startedAt = Math.round(Date.now() / 1000 - process.uptime())
  exposeReading(exposition, 'gauge', () => startedAt, [
    ['process_start_time_seconds', 'Start time of the process since unix epoch in seconds.', (seconds) => seconds],
  ])
}

function exposeMemory(exposition: Exposition): void {
  exposeReading(exposition, 'gauge', () => readProcess('status'), [
    ['process_resident_memory_bytes', 'Resident memory size in bytes.', (status) => bytesIn(status, 'VmRSS')],
    ['process_virtual_memory_bytes', 'Virtual memory size in bytes.', (status) => bytesIn(status, 'VmSize')],
    ['process_heap_bytes', 'Process heap size in bytes.', (status) => bytesIn(status, 'VmData')],
  ])
}

function exposeDescriptors(exposition: Exposition): void {
  // One of them is that of the reading itself.
  exposeReading(exposition, 'gauge', () => Math.max(0, listDescriptors().length - 1), [
    ['process_open_fds', 'Number of open file descriptors.', (count) => count],
  ])
  const limit = Number(/^Max open files +(\d+)/m.exec(readProcess('limits'))?.[1] ?? 0)
  exposeReading(exposition, 'gauge', () => limit, [
    ['process_max_fds', 'Maximum number of open file descriptors.', (count) => count],
  ])
}

/** Empty where there is no such file: not on Linux, or the process is hidden from itself. */
function readProcess(file: 'status' | 'limits'): string {
  try {
    return readFileSync(`/proc/self/${file}`, 'utf8')
  } catch {
    return ''
  }
}

function listDescriptors(): string[] {
  try {
    return readdirSync('/proc/self/fd')
  } catch {
    return []
  }
}

function bytesIn(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024
}

/** The monitor starts again at each scrape. */
function exposeEventLoop(exposition: Exposition): () => void {
  const monitor = monitorEventLoopDelay({ resolution: EVENT_LOOP_PRECISION_MS })
  monitor.enable()
  let lagSeconds = 0
  const percentile = (p: number) => () => monitor.percentile(p) / 1e9
  exposeReading(exposition, 'gauge', () => measureLag((seconds) => (lagSeconds = seconds)), [
    ['nodejs_eventloop_lag_seconds', 'Lag of event loop in seconds.', () => lagSeconds],
    ['nodejs_eventloop_lag_min_seconds', 'The minimum recorded event loop delay.', () => monitor.min / 1e9],
    ['nodejs_eventloop_lag_max_seconds', 'The maximum recorded event loop delay.', () => monitor.max / 1e9],
    ['nodejs_eventloop_lag_mean_seconds', 'The mean of the recorded event loop delays.', () => monitor.mean / 1e9],
    [
      'nodejs_eventloop_lag_stddev_seconds',
      'The standard deviation of the recorded event loop delays.',
      () => monitor.stddev / 1e9,
    ],
    ['nodejs_eventloop_lag_p50_seconds', 'The 50th percentile of the recorded event loop delays.', percentile(50)],
    ['nodejs_eventloop_lag_p90_seconds', 'The 90th percentile of the recorded event loop delays.', percentile(90)],
    [
      'nodejs_eventloop_lag_p99_seconds',
      'The 99th percentile of the recorded event loop delays.',
      () => {
        const seconds = percentile(99)()
        monitor.reset()
        return seconds
      },
    ],
  ])
  return () => {
    monitor.disable()
    monitor.reset()
  }
}

/** Reported at the next scrape, because no scrape waits for it. */
function measureLag(onMeasured: (seconds: number) => void): void {
  const startedAt = performance.now()
  setImmediate(() => onMeasured((performance.now() - startedAt) / 1000))
}

function exposeHeap(exposition: Exposition): void {
  exposeReading(exposition, 'gauge', () => process.memoryUsage(), [
    ['nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.', ({ heapTotal }) => heapTotal],
    ['nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.', ({ heapUsed }) => heapUsed],
    ['nodejs_external_memory_bytes', 'Node.js external memory size in bytes.', ({ external }) => external],
  ])
  let spaces: HeapSpaceInfo[] = []
  const sizes = {
    total: (space: HeapSpaceInfo) => space.space_size,
    used: (space: HeapSpaceInfo) => space.space_used_size,
    available: (space: HeapSpaceInfo) => space.space_available_size,
  }
  for (const [size, numberIn] of Object.entries(sizes)) {
    const name = `nodejs_heap_space_size_${size}_bytes`
    const help = `Process heap space size ${size} from Node.js in bytes.`
    exposition.gauge({ name, help }, ['space'], (emit) => {
      if (size === 'total') spaces = getHeapSpaceStatistics()
      for (const space of spaces) emit({ space: space.space_name.replace(/_space$/, '') }, numberIn(space))
    })
  }
}

function exposeVersion(exposition: Exposition): void {
  const [major = '', minor = '', patch = ''] = process.versions.node.split('.')
  exposition.gauge(
    { name: 'nodejs_version_info', help: 'Node.js version info.' },
    ['version', 'major', 'minor', 'patch'],
    (emit) => emit({ version: process.version, major, minor, patch }, 1),
  )
}

/** Entries of type `gc` have a detail, unlike others: https://nodejs.org/api/perf_hooks.html#performanceentrydetail */
type GarbageCollection = PerformanceEntry & { readonly detail: { readonly kind: number } }

const GC_KINDS = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
])

function exposeGarbageCollection(exposition: Exposition): () => void {
  const observe = exposition.labeledHistogram(
    {
      name: 'nodejs_gc_duration_seconds',
      help: 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
    },
    GC_SECONDS,
    'kind',
  )
  const observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as GarbageCollection[]) {
      const kind = GC_KINDS.get(detail.kind)
      if (kind !== undefined) observe(kind, duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}
