import { filledIn, REASON_TEXTS, type ReasonCode } from '../../domain/overview/reasons.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page } from '../frame/page.ts'
import { type Html, html } from '../parts/html.ts'
import { certificatesOf, destinationsOf, silentKindsOf, storageOf } from './lists.ts'
import type { OverviewState, ReasonState } from './state.ts'
import { latencyOf, trafficOf } from './traffic.ts'

/** Complete without its module, which draws the plots and follows the gateway. It finds what it changes by `data-part` and `data-value`. */
export const OVERVIEW: Page = {
  path: '/overview',
  scopes: ['operations.read'],
  async render({ ask, words }) {
    const state = jsonOf(await ask('showOverview'))
    return {
      title: words.overview.title,
      body: html`<h1>${words.overview.title}</h1>
<div id="overview" data-words="${JSON.stringify(words.overview)}" data-state="${JSON.stringify(plotted(state))}">
${lightOf(state, words)}
<p class="hint" data-live hidden>${words.overview.live}</p>
<p class="flash bad" data-lost role="status" hidden>${words.overview.lost}</p>
${trafficOf(state, words)}
${latencyOf(state, words)}
${destinationsOf(state, words)}
${silentKindsOf(state, words)}
${certificatesOf(state, words)}
${storageOf(state, words)}
</div>`,
      scripts: ['overview.js'],
      styles: ['uplot.css', 'overview.css'],
    }
  },
}

/** Of the state what the plots begin with. */
function plotted({ at, callbacksPerMinute, acknowledgeLatency }: OverviewState) {
  return { at, callbacksPerMinute, acknowledgeLatency }
}

function lightOf({ light, reasons }: OverviewState, words: Catalogue): Html {
  const { overview } = words
  return html`<section aria-label="${overview.light}">
<p class="light ${light}" data-light role="status">${overview.lights[light]}</p>
<p data-no-reasons${reasons.length > 0 && html` hidden`}>${overview.noReasons}</p>
<ul class="reasons" data-reasons>${reasons.map((reason) => html`<li class="${reason.severity}">${reasonOf(reason, words)}</li>\n`)}</ul>
</section>`
}

function reasonOf(reason: ReasonState, { overview }: Catalogue): Html {
  const { text, nextStep } =
    overview.reasons[reason.code as ReasonCode] ?? REASON_TEXTS[reason.code as ReasonCode] ?? reason
  const others = reason.others > 0 && ` (${overview.others.replace('{count}', String(reason.others))})`
  return html`<strong>${overview.severities[reason.severity]}:</strong> ${filledIn(text, reason)}${others}<span class="hint">${nextStep}</span>`
}
