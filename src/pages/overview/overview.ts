import { filledIn, REASON_TEXTS, type ReasonCode } from '../../domain/overview/reasons.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page } from '../frame/page.ts'
import { codeLink } from '../parts/code-link.ts'
import { fileName } from '../parts/file-name.ts'
import { type Html, html } from '../parts/html.ts'
import { kindWord } from '../parts/kind-word.ts'
import { withTimes } from '../parts/time.ts'
import { certificatesOf, destinationsOf, silentKindsOf, storageOf } from './lists.ts'
import { linksFor, linksOf, type Places, placesFor } from './places.ts'
import type { OverviewState, ReasonState } from './state.ts'
import { latencyOf, trafficOf, waitingOf } from './traffic.ts'

/** Complete without its module, which draws the plots and follows the gateway. It finds what it changes by `data-part` and `data-value`. */
export const OVERVIEW: Page = {
  path: '/overview',
  scopes: ['operations.read'],
  async render({ ask, words, viewer }) {
    const state = jsonOf(await ask('showOverview'))
    const places = placesFor(viewer)
    const links = linksFor(viewer)
    return {
      title: words.overview.title,
      body: html`<h1>${words.overview.title}</h1>
<div id="overview" data-words="${JSON.stringify({ ...words.overview, decimal: words.common.decimal })}" data-state="${JSON.stringify(plotted(state))}" data-places="${JSON.stringify(places)}" data-links="${JSON.stringify(links)}" data-kinds="${JSON.stringify(kindWords(words))}">
${lightOf(state, places, words)}
<p class="hint" data-live hidden>${words.overview.live}</p>
<p class="flash bad" data-lost role="status" hidden>${words.overview.lost}</p>
${trafficOf(state, words, links)}
${latencyOf(state, words)}
${waitingOf(words)}
${destinationsOf(state, words, links)}
${silentKindsOf(state, words, links)}
${certificatesOf(state, words)}
${storageOf(state, words)}
</div>`,
      scripts: ['overview.js'],
      styles: ['uplot.css', 'overview.css'],
    }
  },
}

function kindWords(words: Catalogue) {
  return Object.fromEntries(Object.keys(words.kinds).map((kind) => [kind, kindWord(kind, words)]))
}

/** Of the state what the plots begin with. */
function plotted({ at, callbacksPerMinute, waitingPerMinute, acknowledgeLatency }: OverviewState) {
  return { at, callbacksPerMinute, waitingPerMinute, acknowledgeLatency }
}

function lightOf({ light, reasons }: OverviewState, places: Places, words: Catalogue): Html {
  const { overview } = words
  return html`<section aria-label="${overview.light}">
<p class="light ${light}" data-light role="status">${overview.lights[light]}</p>
<p data-no-reasons${reasons.length > 0 && html` hidden`}>${overview.noReasons}</p>
<ul class="reasons" data-reasons>${reasons.map((reason) => html`<li class="${reason.severity}" data-key="${reason.code} ${fileName(reason.subject ?? '')}">${reasonHtml(reason, places, words)}</li>\n`)}</ul>
</section>`
}

/** A reason with its next step and the pages that it leads to. */
export function reasonHtml(reason: ReasonState, places: Places, words: Catalogue): Html {
  const { overview } = words
  const { text, nextStep } =
    overview.reasons[reason.code as ReasonCode] ?? REASON_TEXTS[reason.code as ReasonCode] ?? reason
  const shown = shownReason(reason, overview)
  const others = reason.others > 0 && ` (${overview.others.replace('{count}', String(reason.others))})`
  return html`<strong>${overview.severities[reason.severity]}:</strong> ${withQuotes(filledIn(text, shown, overview.details))}${others}<span class="hint">${nextStep}${linksOf(reason, places, words)} ${codeLink(reason.code)}</span>`
}

/** Words of a receiver stand in quotation marks. The module does the same. */
function withQuotes(text: string): Html {
  return html`${text.split(/“([^”]*)”/).map((part, index) => (index % 2 === 1 ? html`<q lang="en">${part}</q>` : withTimes(part)))}`
}

/** Its values in the reader's language. The module does the same. */
export function shownReason<
  R extends { readonly code: string; readonly subject: string | null; readonly detail: string | null },
>(reason: R, { environments }: Catalogue['overview']): R {
  const { code, subject, detail } = reason
  return {
    ...reason,
    subject: subject && inWords(fileName(subject), environments),
    detail: code === 'callbacks_refused' && detail !== null ? inWords(detail, environments) : detail,
  }
}

function inWords(text: string, environments: Readonly<Record<string, string>>): string {
  return text.replace(/\bproduction\b/, (name) => environments[name] ?? name)
}
