import { jsonOf } from '../frame/answers.ts'
import type { Page } from '../frame/page.ts'
import { html } from '../parts/html.ts'
import { certificatesOf, destinationsOf, silentKindsOf, storageOf } from './lists.ts'
import { linksFor, placesFor } from './places.ts'
import { lightOf } from './reasons.ts'
import { kindWords, scriptWords } from './script-words.ts'
import type { OverviewState } from './state.ts'
import { latencyOf, trafficOf, waitingOf } from './traffic.ts'

/** Complete without its module, which draws the plots and follows the gateway. It finds what it changes by `data-part` and `data-value`. */
export const OVERVIEW: Page = {
  path: '/overview',
  scopes: ['operations.read'],
  async render({ ask, t, viewer }) {
    const state = jsonOf(await ask('showOverview'))
    const places = placesFor(viewer, t)
    const links = linksFor(viewer)
    return {
      title: t`Overview`,
      body: html`<h1>${t`Overview`}</h1>
<div id="overview" data-words="${JSON.stringify(scriptWords(t))}" data-state="${JSON.stringify(plotted(state))}" data-places="${JSON.stringify(places)}" data-links="${JSON.stringify(links)}" data-kinds="${JSON.stringify(kindWords(t))}">
${lightOf(state, places, t)}
<p class="hint" data-live hidden>${t`The numbers follow the gateway.`}</p>
<p class="flash bad" data-lost role="status" hidden>${t`The connection to the gateway is lost: these numbers are old. It is tried again.`}</p>
${trafficOf(state, t, links)}
${latencyOf(state, t)}
${waitingOf(t)}
${destinationsOf(state, t, links)}
${silentKindsOf(state, t, links)}
${certificatesOf(state, t)}
${storageOf(state, t)}
</div>`,
      scripts: ['overview.js'],
      styles: ['uplot.css', 'overview.css'],
    }
  },
}

/** Of the state what the plots begin with. */
function plotted({ at, callbacksPerMinute, waitingPerMinute, acknowledgeLatency }: OverviewState) {
  return { at, callbacksPerMinute, waitingPerMinute, acknowledgeLatency }
}
