/** The text format of Prometheus, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */

export interface MetricMeta {
  readonly name: string
  /** One sentence for operators. */
  readonly help: string
}

export type MetricType = 'counter' | 'gauge' | 'histogram'

/** One metric with all its samples, without the line feed at its end. */
export function textOf({ name, help }: MetricMeta, type: MetricType, samples: readonly string[]): string {
  return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...samples].join('\n')
}

/** `{name="value",…}`; empty without labels. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

export function numberText(value: number): string {
  return Number.isFinite(value) || Number.isNaN(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}
