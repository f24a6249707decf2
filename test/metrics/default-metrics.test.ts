import perfHooks from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished, vi } from 'vitest'
import { collectProcessMetrics } from '../../src/metrics/default-metrics.ts'
import { createExposition } from '../../src/metrics/exposition.ts'
import { samplesOf } from '../support/metrics.ts'
import { until } from '../support/until.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const MAJOR = 'nodejs_gc_duration_seconds_count{kind="major"}'
const LAG = 'nodejs_eventloop_lag_max_seconds'

function observing() {
  const exposition = createExposition()
  const stop = collectProcessMetrics(exposition)
  onTestFinished(stop)
  return { stop, sample: async (name: string) => samplesOf(await exposition.text())[name] ?? 0 }
}

it('two registries in one process observe apart from each other, and one that ends observes nothing more', async () => {
  const [first, second] = [observing(), observing()]
  collectGarbage()
  await until(
    () => Promise.all([first.sample(MAJOR), second.sample(MAJOR)]),
    (counts) => counts.every((count) => count > 0),
  )

  first.stop()
  const before = [await first.sample(MAJOR), await second.sample(MAJOR)]
  await Promise.all([first.sample(LAG), second.sample(LAG)])
  collectGarbage()

  await until(
    () => second.sample(MAJOR),
    (count) => count > (before[1] ?? 0),
  )
  // A sample resets the monitor, which then needs two of its intervals.
  const sampledAt = performance.now()
  await until(
    () => performance.now() - sampledAt,
    (ms) => ms > 200,
  )
  expect(await second.sample(LAG)).toBeGreaterThan(0)
  expect([await first.sample(MAJOR), await first.sample(LAG)]).toEqual([before[0], 0])
})

it('everything that it starts is ended, and node:perf_hooks is left alone', () => {
  const { monitorEventLoopDelay, PerformanceObserver } = perfHooks
  const disconnect = vi.spyOn(PerformanceObserver.prototype, 'disconnect')
  onTestFinished(() => disconnect.mockRestore())

  const { stop } = observing()
  stop()

  expect(disconnect).toHaveBeenCalledTimes(1)
  expect(perfHooks).toMatchObject({ monitorEventLoopDelay, PerformanceObserver })
})
