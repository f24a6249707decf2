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
${plotOf('callbacks', overview.callbacksPlot, words)}
${part('traffic', { rows, isEmpty: kinds.length === 0, whenEmpty: overview.noCallbacks })}`
}

/** The module draws it, says the value that is pointed at, and fills the table. */
function plotOf(name: string, label: string, { overview }: Catalogue): Html {
  return html`<figure class="plot" data-plot="${name}" role="img" aria-label="${label} ${overview.plotKeys}" hidden></figure>
<p class="hint value" role="status" data-value-of="${name}" hidden></p>
<p class="hint" data-few="${name}" hidden>${overview.fewPoints}</p>
<details data-numbers="${name}" hidden><summary>${overview.numbers}</summary><div></div></details>`
}

/** Of the minutes before the last `skipped` ones. */
function sumOfLast(counts: readonly number[], minutes: number, skipped: number): number {
  const end = counts.length - skipped
  return counts.slice(Math.max(0, end - minutes), Math.max(0, end)).reduce((sum, count) => sum + count, 0)
}

export function waitingOf(words: Catalogue): Html {
  const { overview } = words
  return html`<h2>${overview.waiting}</h2>
<p class="hint">${overview.waitingText}</p>
${plotOf('waiting', overview.waitingPlot, words)}`
}

export function latencyOf({ acknowledgeLatency: { p50, p99 } }: OverviewState, words: Catalogue): Html {
  const { overview } = words
  const shown = (ms: number | null, name: string) =>
    html`<span data-value="${name}">${ms === null ? overview.noLatency : `${decimalText(ms, words)} ms`}</span>`
  return html`<h2>${overview.latency}</h2>
<p class="hint">${overview.latencyText}</p>
${plotOf('latency', overview.latencyPlot, words)}
${facts([
  [overview.p50, shown(p50, 'p50')],
  [overview.p99, shown(p99, 'p99')],
])}`
}
