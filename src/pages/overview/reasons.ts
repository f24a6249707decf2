import { filledIn } from '../../domain/overview/reasons.ts'
import { detailsIn, reasonIn } from '../../messages/reasons.ts'
import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { codeLink } from '../parts/code-link.ts'
import { fileName } from '../parts/file-name.ts'
import { type Html, html } from '../parts/html.ts'
import { withTimes } from '../parts/time.ts'
import { linksOf, type Places } from './places.ts'
import type { OverviewState, ReasonState } from './state.ts'

export const LIGHTS: Readonly<Record<OverviewState['light'], Said>> = {
  green: say`Green: all is well`,
  yellow: say`Yellow: look at it in the next days`,
  red: say`Red: act now`,
}

export const SEVERITIES: Readonly<Record<ReasonState['severity'], Said>> = {
  problem: say`problem`,
  warning: say`warning`,
}

/** The light, and below it why it is not green. */
export function lightOf({ light, reasons }: OverviewState, places: Places, t: Speaker): Html {
  return html`<section aria-label="${t.in('overview')`State`}">
<p class="light ${light}" data-light role="status">${t.of(LIGHTS[light])}</p>
<p data-no-reasons${reasons.length > 0 && html` hidden`}>${t`Nothing needs attention.`}</p>
<ul class="reasons" data-reasons>${reasons.map((reason) => html`<li class="${reason.severity}" data-key="${reason.code} ${fileName(reason.subject ?? '')}">${reasonHtml(reason, places, t)}</li>\n`)}</ul>
</section>`
}

/** A reason with its next step and the pages that it leads to. */
export function reasonHtml(reason: ReasonState, places: Places, t: Speaker): Html {
  const { text, nextStep } = reasonIn(reason.code, t) ?? reason
  const shown = shownReason(reason, t)
  const others = reason.others > 0 && ` (${othersText(reason.others, t)})`
  return html`<strong>${t.of(SEVERITIES[reason.severity])}:</strong> ${withQuotes(filledIn(text, shown, detailsIn(t)))}${others}<span class="hint">${nextStep}${linksOf(reason, places)} ${codeLink(reason.code)}</span>`
}

/** Words of a receiver stand in quotation marks. The module does the same. */
function withQuotes(text: string): Html {
  return html`${text.split(/“([^”]*)”/).map((part, index) => (index % 2 === 1 ? html`<q lang="en">${part}</q>` : withTimes(part)))}`
}

/** Its values in the reader's language. The module does the same. */
export function shownReason<
  R extends { readonly code: string; readonly subject: string | null; readonly detail: string | null },
>(reason: R, t: Speaker): R {
  const { code, subject, detail } = reason
  return {
    ...reason,
    subject: subject && inWords(fileName(subject), t),
    detail: code === 'callbacks_refused' && detail !== null ? inWords(detail, t) : detail,
  }
}

function inWords(text: string, t: Speaker): string {
  return text.replace(/\bproduction\b/, t`production`)
}

/** For the page and, with a place for the value, for its module. */
export function othersText(count: number | string, t: Speaker): string {
  return t`and ${{ count }} more with the same reason`
}
