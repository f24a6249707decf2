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
export function evidenceSection(journey: Journey, { t, viewer }: PageRequest): Html {
  const { event } = journey
  const { evidence } = event
  const { peer } = evidence
  const headers = evidence.headers.slice(0, MOST_HEADERS)
  return html`<section aria-labelledby="evidence"><h2 id="evidence">${t`Evidence`}</h2>
<details><summary>${t`Show how the event came, and what proves it`}</summary>
<h3>${t`How the event came`}</h3>
${timeline(journey, t)}
<h3>${t`Callback`}</h3>
${facts([
  [t`Id`, event.callback && copiedId(event.callback, t`callback id`, t)],
  [t`Route`, evidence.route],
  [t`Institution`, evidence.institution],
  [t`Received`, timeOf(evidence.receivedAt, true)],
  [t`Content type`, evidence.contentType && printable(evidence.contentType)],
  [t`Bytes of its body`, evidence.bytes],
  [t`Data removed from the body`, evidence.bodyRemovedAt && timeOf(evidence.bodyRemovedAt)],
  [t`Organization in the certificate`, peer && identifiersText(peer.identifiers)],
  [t`Issuer of the certificate`, peer && printable(peer.issuer)],
  [t`Serial number`, peer && html`<span class="id">${peer.serial}</span>`],
  [t`Certificate valid until`, peer && timeOf(peer.notAfter)],
])}
${
  headers.length > 0 &&
  table(
    t`Headers of the callback`,
    [
      { title: t`Name`, cell: ([name]) => printable(name) },
      { title: t`Value`, cell: ([, value]) => printable(value).slice(0, LONGEST_HEADER) },
    ],
    headers,
  )
}
${isOperator(viewer) && html`<p class="hint">${t`This command verifies the hashes, on the machine of the gateway:`}<br><code>portaria events show ${event.id} --evidence</code></p>`}
</details></section>`
}
