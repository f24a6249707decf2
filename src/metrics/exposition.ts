/**
 * On the path of a callback there are plain numbers and histograms without labels, far below a microsecond. Everything else is read when
 * `/metrics` is requested. Known series exist with 0, so that the first increase is seen.
 */

import { createHistogram } from './histogram.ts'
import { labelText, type MetricMeta, type MetricType, numberText, textOf } from './text-format.ts'

export type { MetricMeta } from './text-format.ts'

/** Sets one value; the same labels again: the last one counts. A label that is left out is the same as one without a value. */
export type Emit<L extends string> = (labels: Readonly<Partial<Record<L, string>>>, value: number) => void

/** The answer of `GET /metrics`. Counters and gauges are read for each scrape, in the order of their registration; `read` must not throw. */
export interface Exposition {
  counter<L extends string = never>(meta: MetricMeta, labels: readonly L[], read: (emit: Emit<L>) => void): void
  gauge<L extends string = never>(meta: MetricMeta, labels: readonly L[], read: (emit: Emit<L>) => void): void
  /** Returns how a value is observed. */
  histogram(meta: MetricMeta, buckets: readonly number[]): (value: number) => void
  /** A series for each value of the label, from its first observation on. */
  labeledHistogram<L extends string>(
    meta: MetricMeta,
    buckets: readonly number[],
    label: L,
  ): (labelValue: string, value: number) => void
  readonly contentType: string
  text(): string
}

/** One for each gateway: two gateways in one process share nothing. @throws Error for a name that is registered twice */
export function createExposition(): Exposition {
  const families = new Map<string, () => string>()

  function register(meta: MetricMeta, type: MetricType, samples: () => readonly string[]): void {
    if (families.has(meta.name)) throw new Error(`the metric ${meta.name} is registered twice`)
    families.set(meta.name, () => textOf(meta, type, samples()))
  }

  function registerRead<L extends string>(
    meta: MetricMeta,
    type: MetricType,
    labels: readonly L[],
    read: (emit: Emit<L>) => void,
  ): void {
    register(meta, type, () => {
      const series = new Map<string, number>(labels.length === 0 ? [['', 0]] : [])
      read((values, value) => series.set(labelText(values as Readonly<Record<string, string>>), value))
      return [...series].map(([text, value]) => `${meta.name}${text} ${numberText(value)}`)
    })
  }

  const exposition: Exposition = {
    counter: (meta, labels, read) => registerRead(meta, 'counter', labels, read),
    gauge: (meta, labels, read) => registerRead(meta, 'gauge', labels, read),
    histogram(meta, buckets) {
      const histogram = createHistogram(buckets)
      register(meta, 'histogram', () => histogram.samples(meta.name))
      return histogram.observe
    },
    labeledHistogram(meta, buckets, label) {
      const series = new Map<string, ReturnType<typeof createHistogram>>()
      register(meta, 'histogram', () =>
        [...series].flatMap(([labelValue, histogram]) => histogram.samples(meta.name, { [label]: labelValue })),
      )
      return (labelValue, value) => {
        const histogram = series.get(labelValue) ?? createHistogram(buckets)
        series.set(labelValue, histogram)
        histogram.observe(value)
      }
    },
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    text: () => `${[...families.values()].map((text) => text()).join('\n\n')}\n`,
  }
  return exposition
}
