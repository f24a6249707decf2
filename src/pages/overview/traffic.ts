import type { Speaker } from '../../messages/speaker.ts'
import { decimalText } from '../parts/decimal.ts'
import { facts } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { table } from '../parts/table.ts'
import { part } from './lists.ts'
import { kindLink, type TableLinks } from './places.ts'
import type { OverviewState } from './state.ts'

/** The plot appears with the module; its text alternative names the table that has the numbers. */
export function trafficOf({ callbacksPerMinute }: OverviewState, t: Speaker, links: TableLinks): Html {
  const kinds = Object.entries(callbacksPerMinute)
  const number = (title: string, minutes: number, skipped = 0) => ({
    title,
    isNumber: true,
    cell: ([, counts]: (typeof kinds)[number]) => sumOfLast(counts, minutes, skipped),
  })
  const rows = table(
    t`Callbacks per minute`,
    [
      { title: t`Kind`, cell: ([kind]) => kindLink(kind, links, t) },
      number(t`This minute`, 1),
      number(t`Last minute`, 1, 1),
      number(t`5 minutes`, 5),
      number(t`Hour`, 60),
    ],
    kinds,
  )
  return html`<h2>${t`Callbacks per minute`}</h2>
<p class="hint">${t`Accepted callbacks since the gateway started, at most of the last hour.`}</p>
${plotOf('callbacks', t`Plot of the accepted callbacks per minute and kind in the last hour. The table below it has the numbers.`, t)}
${part('traffic', { rows, isEmpty: kinds.length === 0, whenEmpty: t`No kind is configured.` })}`
}

/** The module draws it, says the value that is pointed at, and fills the table. */
function plotOf(name: string, label: string, t: Speaker): Html {
  return html`<figure class="plot" data-plot="${name}" role="img" aria-label="${label} ${t`The arrow keys lead from minute to minute.`}" hidden></figure>
<p class="hint value" role="status" data-value-of="${name}" hidden></p>
<p class="hint" data-few="${name}" hidden>${t`There is one value at most so far: the plot begins with the second.`}</p>
<details data-numbers="${name}" hidden><summary>${t`Numbers of each minute`}</summary><div></div></details>`
}

/** Of the minutes before the last `skipped` ones. */
function sumOfLast(counts: readonly number[], minutes: number, skipped: number): number {
  const end = counts.length - skipped
  return counts.slice(Math.max(0, end - minutes), Math.max(0, end)).reduce((sum, count) => sum + count, 0)
}

export function waitingOf(t: Speaker): Html {
  return html`<h2>${t`Waiting deliveries`}</h2>
<p class="hint">${t`The most of each minute, of all destinations.`}</p>
${plotOf('waiting', t`Plot of the deliveries that waited, per minute in the last hour.`, t)}`
}

export function latencyOf({ acknowledgeLatency: { p50, p99 } }: OverviewState, t: Speaker): Html {
  const shown = (ms: number | null, name: string) =>
    html`<span data-value="${name}">${ms === null ? t`no callback came` : `${decimalText(ms, t)} ms`}</span>`
  return html`<h2>${t`Time to acknowledge`}</h2>
<p class="hint">${t`From the end of a callback to its 200, in the last 5 minutes.`}</p>
${plotOf('latency', t`Plot of the time within which 99 of 100 callbacks were acknowledged, per minute in the last hour.`, t)}
${facts([
  [t`Half of the callbacks within`, shown(p50, 'p50')],
  [t`99 of 100 within`, shown(p99, 'p99')],
])}`
}
