import { printable } from '../../platform/control-characters.ts'
import type { PageRequest } from '../frame/page.ts'
import { isOperator } from '../frame/viewer-rights.ts'
import { facts } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { identifiersText } from '../parts/subject-identifiers.ts'
import { table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'
import { copiedId } from './copied.ts'
import { type Journey, timeline } from './timeline.ts'

const MOST_HEADERS = 100
const LONGEST_HEADER = 500

/** How the event came and what proves it, folded. */
export function evidenceSection(journey: Journey, { words: catalogue, viewer }: PageRequest): Html {
  const { common, event: texts } = catalogue
  const { evidence: words } = texts
  const { event } = journey
  const { evidence } = event
  const { peer } = evidence
  const headers = evidence.headers.slice(0, MOST_HEADERS)
  return html`<section aria-labelledby="evidence"><h2 id="evidence">${words.title}</h2>
<details><summary>${words.show}</summary>
<h3>${texts.timeline}</h3>
${timeline(journey, catalogue)}
<h3>${words.callback}</h3>
${facts([
  [texts.id, event.callback && copiedId(event.callback, texts.copy.callbackId, catalogue)],
  [words.route, evidence.route],
  [common.institution, evidence.institution],
  [words.received, timeOf(evidence.receivedAt, true)],
  [words.contentType, evidence.contentType && printable(evidence.contentType)],
  [words.bytes, evidence.bytes],
  [words.bodyRemoved, evidence.bodyRemovedAt && timeOf(evidence.bodyRemovedAt)],
  [words.identifiers, peer && identifiersText(peer.identifiers)],
  [words.issuer, peer && printable(peer.issuer)],
  [words.serial, peer && html`<span class="id">${peer.serial}</span>`],
  [words.notAfter, peer && timeOf(peer.notAfter)],
])}
${
  headers.length > 0 &&
  table(
    words.headers,
    [
      { title: words.name, cell: ([name]) => printable(name) },
      { title: words.value, cell: ([, value]) => printable(value).slice(0, LONGEST_HEADER) },
    ],
    headers,
  )
}
${isOperator(viewer) && html`<p class="hint">${words.verify}<br><code>portaria events show ${event.id} --evidence</code></p>`}
</details></section>`
}
