import { labelText } from './text-format.ts'

export interface Histogram {
  /** Takes some 10 ns. */
  observe(value: number): void
  /** The lines of its buckets, each with all smaller ones, of its sum and of its count. */
  samples(name: string, labels?: Readonly<Record<string, string>>): string[]
}

/** @param bounds the upper bounds of the buckets, inclusive, in ascending order; a bucket without bound follows */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0

  return {
    observe(value) {
      let bucket = 0
      while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
      counts[bucket] = (counts[bucket] as number) + 1
      sum += value
    },
    samples(name, labels = {}) {
      let count = 0
      const buckets = [...bounds, '+Inf'].map((bound, index) => {
        count += counts[index] as number
        return `${name}_bucket${labelText({ le: String(bound), ...labels })} ${count}`
      })
      const text = labelText(labels)
      return [...buckets, `${name}_sum${text} ${sum}`, `${name}_count${text} ${count}`]
    },
  }
}
