import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { afterAll, expect, it } from 'vitest'
import { collectProcessMetrics } from '../../src/metrics/default-metrics.ts'
import { createExposition } from '../../src/metrics/exposition.ts'

const AWKWARD = 'a "quoted" \\ word\nand a line'
const stops: (() => void)[] = []
afterAll(() => {
  for (const stop of stops) stop()
})

it('writes what prom-client, an independent library, writes for the same metrics and values', async () => {
  const registry = new Registry()
  const ours = createExposition()
  const registers = [registry]
  const plain = { name: 'plain_total', help: `A counter: ${AWKWARD}` }
  const unread = { name: 'unread', help: 'A gauge that nothing sets.' }
  const labeled = { name: 'labeled', help: 'A gauge with labels.' }
  const empty = { name: 'empty', help: 'A gauge without series.' }
  const seconds = { name: 'seconds', help: 'A histogram.' }
  const byKind = { name: 'by_kind_seconds', help: 'A histogram with a label.' }
  const series = [
    [{ owner: '', destination: AWKWARD }, 1.5],
    [{ owner: 'cli_1', destination: 'books' }, -1e-7],
    [{ owner: 'cli_2', destination: 'books' }, Number.POSITIVE_INFINITY],
    [{ owner: '', destination: AWKWARD }, 2],
  ] as const
  const bounds = [0.001, 0.5, 1, 10]
  const values = [0, 0.001, 0.0011, 0.5, 1, 9.99, 10, 10.1, 1e9]

  new Counter({ ...plain, registers }).inc(1e21)
  new Gauge({ ...unread, registers })
  const gauge = new Gauge({ ...labeled, labelNames: ['owner', 'destination'], registers })
  for (const [labels, value] of series) gauge.set(labels, value)
  new Gauge({ ...empty, labelNames: ['owner'], registers })
  const histogram = new Histogram({ ...seconds, buckets: bounds, registers })
  const kinds = new Histogram({ ...byKind, buckets: bounds, labelNames: ['kind'], registers })
  for (const [index, value] of values.entries()) {
    histogram.observe(value)
    kinds.observe({ kind: index % 2 === 0 ? 'major' : 'minor' }, value)
  }

  ours.counter(plain, [], (emit) => emit({}, 1e21))
  ours.gauge(unread, [], () => undefined)
  ours.gauge(labeled, ['owner', 'destination'], (emit) => {
    for (const [labels, value] of series) emit(labels, value)
  })
  ours.gauge(empty, ['owner'], () => undefined)
  const observe = ours.histogram(seconds, bounds)
  const observeKind = ours.labeledHistogram(byKind, bounds, 'kind')
  for (const [index, value] of values.entries()) {
    observe(value)
    observeKind(index % 2 === 0 ? 'major' : 'minor', value)
  }

  expect(ours.text()).toBe(await registry.metrics())
  expect(ours.contentType).toBe(registry.contentType)
})

it('has the metrics of a process that prom-client has, but for the handles, requests and resources', async () => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const ours = createExposition()
  stops.push(collectProcessMetrics(ours))
  const theirs = familiesOf(await registry.metrics()).filter((line) => !/ nodejs_active_/.test(line))

  expect(familiesOf(ours.text())).toEqual(theirs)
})

it('the metrics of a process are those that the system has', () => {
  const ours = createExposition()
  stops.push(collectProcessMetrics(ours))
  const sample = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(ours.text())?.[1])
  const memory = process.memoryUsage()

  // The process goes on between the two readings.
  expect(Math.abs(Math.log2(sample('process_resident_memory_bytes') / memory.rss))).toBeLessThan(1)
  expect(Math.abs(Math.log2(sample('nodejs_heap_size_total_bytes') / memory.heapTotal))).toBeLessThan(1)
  expect(sample('process_virtual_memory_bytes')).toBeGreaterThan(memory.rss)
  expect(sample('process_heap_bytes')).toBeGreaterThan(memory.heapUsed / 2)
  expect(sample('process_open_fds')).toBeGreaterThan(2)
  expect(sample('process_max_fds')).toBeGreaterThan(sample('process_open_fds'))
  expect(sample('process_start_time_seconds')).toBeCloseTo(Date.now() / 1000 - process.uptime(), -1)
  expect(sample('process_cpu_seconds_total')).toBeGreaterThan(sample('process_cpu_user_seconds_total'))
  expect(ours.text()).toContain(
    `nodejs_version_info{version="${process.version}",major="${process.versions.node.split('.')[0]}",`,
  )
})

it('refuses a name that is registered twice', () => {
  const ours = createExposition()
  const meta = { name: 'twice', help: 'A gauge.' }
  ours.gauge(meta, [], () => undefined)
  expect(() => ours.histogram(meta, [1])).toThrow('the metric twice is registered twice')
})

function familiesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('# '))
}
