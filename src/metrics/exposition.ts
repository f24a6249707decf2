/**
 * On the path of a callback there are plain numbers and unlabelled histograms, below half a microsecond; labelled
 * counters of the library cost that each. Everything else is read when `/metrics` is requested. Known series exist with
 * 0, so that the first increase is seen.
 */

import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { collectProcessMetrics } from './default-metrics.ts'

export interface MetricMeta {
  readonly name: string
  /** One sentence for operators. */
  readonly help: string
}

/** Sets one value. */
export type Emit<L extends string> = (labels: Readonly<Record<L, string>>, value: number) => void

/** The answer of `GET /metrics`. Counters and gauges are read for each scrape; `read` must not throw. */
export interface Exposition {
  counter<L extends string = never>(meta: MetricMeta, labels: readonly L[], read: (emit: Emit<L>) => void): void
  gauge<L extends string = never>(meta: MetricMeta, labels: readonly L[], read: (emit: Emit<L>) => void): void
  /** Returns how a value is observed. Without labels, which would cost too much for each callback. */
  histogram(meta: MetricMeta, buckets: readonly number[]): (value: number) => void
  readonly contentType: string
  text(): Promise<string>
  /** Adds `process_*` and `nodejs_*`. Returns how to end their observers. */
  collectProcess(): () => void
}

/** One registry for each gateway: two gateways in one process share nothing. */
export function createExposition(): Exposition {
  const registry = new Registry()
  const registers = [registry]
  return {
    counter(meta, labelNames, read) {
      new Counter({
        ...meta,
        labelNames,
        registers,
        collect() {
          this.reset()
          read((labels, value) => this.inc(labels, value))
        },
      })
    },
    gauge(meta, labelNames, read) {
      new Gauge({
        ...meta,
        labelNames,
        registers,
        collect() {
          this.reset()
          read((labels, value) => this.set(labels, value))
        },
      })
    },
    histogram(meta, buckets) {
      const histogram = new Histogram({ ...meta, buckets: [...buckets], registers })
      return (value) => histogram.observe(value)
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
    collectProcess: () => collectProcessMetrics(registry),
  }
}
