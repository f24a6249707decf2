import type { Catalogue } from '../../messages/catalogue.ts'
import { decimalText } from '../parts/decimal.ts'
import { facts } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { table } from '../parts/table.ts'
import { part } from './lists.ts'
import { kindLink, type TableLinks } from './places.ts'
import type { OverviewState } from './state.ts'

/** The plot appears with the module; its text alternative names the table that has the numbers. */
export function trafficOf({ callbacksPerMinute }: OverviewState, words: Catalogue, links: TableLinks): Html {
  const { overview } = words
  const kinds = Object.entries(callbacksPerMinute)
  const number = (title: string, minutes: number, skipped = 0) => ({
    title,
    isNumber: true,
    cell: ([, counts]: (typeof kinds)[number]) => sumOfLast(counts, minutes, skipped),
  })
  const rows = table(
    overview.callbacks,
    [
      { title: overview.kind, cell: ([kind]) => kindLink(kind, links, words) },
      number(overview.thisMinute, 1),
      number(overview.lastMinute, 1, 1),
      number(overview.fiveMinutes, 5),
      number(overview.hour, 60),
    ],
    kinds,
  )
  return html`<h2>${overview.callbacks}</h2>
<p class="hint">${overview.callbacksSince}</p>
<figure class="plot" data-plot="callbacks" role="img" aria-label="${overview.callbacksPlot}" hidden></figure>
${part('traffic', { rows, isEmpty: kinds.length === 0, whenEmpty: overview.noCallbacks })}`
}

/** Of the minutes before the last `skipped` ones. */
function sumOfLast(counts: readonly number[], minutes: number, skipped: number): number {
  const end = counts.length - skipped
  return counts.slice(Math.max(0, end - minutes), Math.max(0, end)).reduce((sum, count) => sum + count, 0)
}

export function latencyOf({ acknowledgeLatency: { p50, p99 } }: OverviewState, words: Catalogue): Html {
  const { overview } = words
  const shown = (ms: number | null, name: string) =>
    html`<span data-value="${name}">${ms === null ? overview.noLatency : `${decimalText(ms, words)} ms`}</span>`
  return html`<h2>${overview.latency}</h2>
<p class="hint">${overview.latencyText}</p>
<figure class="plot" data-plot="latency" role="img" aria-label="${overview.latencyPlot}" hidden></figure>
${facts([
  [overview.p50, shown(p50, 'p50')],
  [overview.p99, shown(p99, 'p99')],
])}`
}
