import perfHooks from 'node:perf_hooks'
import { collectDefaultMetrics, type Registry } from 'prom-client'

/** The resolution of the event loop monitor. The lag that it measures includes this time. */
const EVENT_LOOP_PRECISION_MS = 10

/**
 * Left out: gauges of handles, requests and resources. Their names break the naming rules of Prometheus (`promtool check metrics`), and each scrape
 * would list every open connection.
 */
const LEFT_OUT = ['handles', 'requests', 'resources'].flatMap((what) => [
  `nodejs_active_${what}`,
  `nodejs_active_${what}_total`,
])

/** Adds `process_*` and `nodejs_*` of prom-client. Returns how to end their event loop monitor and garbage collection observer. */
export function collectProcessMetrics(register: Registry): () => void {
  const stop = stoppable(() =>
    collectDefaultMetrics({ register, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS }),
  )
  for (const name of LEFT_OUT) register.removeSingleMetric(name)
  return stop
}

/**
 * prom-client starts monitors and observers without a way to stop them, which would keep the registry of a closed gateway in use. So the
 * constructors of `node:perf_hooks` are replaced while it starts them.
 */
function stoppable(start: () => void): () => void {
  const { monitorEventLoopDelay, PerformanceObserver } = perfHooks
  const stops: (() => void)[] = []
  Object.assign(perfHooks, {
    monitorEventLoopDelay(...args: Parameters<typeof monitorEventLoopDelay>) {
      const histogram = monitorEventLoopDelay(...args)
      stops.push(() => histogram.disable())
      return histogram
    },
    PerformanceObserver: class extends PerformanceObserver {
      constructor(...args: ConstructorParameters<typeof PerformanceObserver>) {
        super(...args)
        stops.push(() => this.disconnect())
      }
    },
  })
  try {
    start()
  } finally {
    Object.assign(perfHooks, { monitorEventLoopDelay, PerformanceObserver })
  }
  return () => {
    for (const stop of stops) stop()
  }
}
