import type { Catalogue } from '../../messages/catalogue.ts'
import { printable } from '../../platform/control-characters.ts'
import { facts } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'
import type { EventDetail } from './model.ts'

const MOST_HEADERS = 100
const LONGEST_HEADER = 500

/** What proves the event, folded. */
export function evidenceSection(event: EventDetail, { common, event: { evidence: words } }: Catalogue): Html {
  const { evidence } = event
  const { peer } = evidence
  const headers = evidence.headers.slice(0, MOST_HEADERS)
  return html`<section aria-labelledby="evidence"><h2 id="evidence">${words.title}</h2>
<details><summary>${words.show}</summary>
${facts([
  [words.callback, event.callback],
  [words.route, evidence.route],
  [common.institution, evidence.institution],
  [words.received, timeOf(evidence.receivedAt, true)],
  [words.contentType, evidence.contentType && printable(evidence.contentType)],
  [words.bytes, evidence.bytes],
  [words.bodyRemoved, evidence.bodyRemovedAt && timeOf(evidence.bodyRemovedAt)],
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
<p class="hint">${words.verify} <code>portaria events show ${event.id} --evidence</code></p>
</details></section>`
}
