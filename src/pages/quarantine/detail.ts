import { QUARANTINE_DECISIONS } from '../../api/quarantine/contract.ts'
import { UNPARSED_REASONS } from '../../domain/quarantine.ts'
import { printable } from '../../platform/control-characters.ts'
import { COPY_SCRIPT } from '../event/copied.ts'
import { payloadSection } from '../event/payload.ts'
import { jsonOf } from '../frame/answers.ts'
import type { FormAction, FormRequest, Page, PageRequest } from '../frame/page.ts'
import { pathOf } from '../frame/path-of.ts'
import { plainForm } from '../frame/plain-form.ts'
import type { ButtonForm } from '../parts/button-form.ts'
import { confirmed } from '../parts/confirm.ts'
import { facts } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { kindText } from '../parts/kind-word.ts'
import { realmText } from '../parts/realm.ts'
import { statusText } from '../parts/status-word.ts'
import { timeOf } from '../parts/time.ts'
import { REASONS } from '../quarantine/fact.ts'
import { type FactDetail, factState } from './fact.ts'

const LIST = '/ui/quarantine'

export const QUARANTINED: Page = {
  path: '/quarantine/:id',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, params, t } = request
    const answer = await ask('showQuarantined', { params: { id: params.id ?? '' } })
    const fact = jsonOf(answer)
    const title = t`Quarantined fact ${{ id: fact.id }}`
    return {
      title,
      body: html`<p><a href="${LIST}">${t`Quarantine`}</a></p>
<h1>${title}</h1>
${factsOf(fact, request)}
${fact.state === 'quarantined' && decisionOf(fact, request)}
${fact.masked && html`<p class="hint">${t`Personal data is masked.`}</p>`}
${payloadSection(fact, answer.text, t, { original: false })}`,
      scripts: [COPY_SCRIPT],
    }
  },
}

function factsOf(fact: FactDetail, { t, viewer }: PageRequest): Html {
  const { evidence, event, subject, status, decidedAt, decidedBy, unparsedReason } = fact
  const connection = [evidence.tlsVersion, evidence.cipher].filter((part) => part !== null).join(', ')
  const link =
    event && (viewer.can('events.read') ? html`<a class="id" href="/ui/events/${event}">${event}</a>` : event)
  return facts([
    [t`State`, factState(fact, t)],
    [t`Why`, unparsedReason ? t.template(UNPARSED_REASONS[unparsedReason]) : t.of(REASONS[fact.reason])],
    [t`Kind`, kindText(fact.kind, t)],
    [t`Environment`, realmText(fact, t)],
    [t`Reference`, subject && html`<span class="id">${printable(subject)}</span>`],
    [t`Status`, status && statusText(status, t)],
    [t`Received`, timeOf(fact.receivedAt, true)],
    [t`Received how often`, fact.seen],
    [t`Last received`, fact.seen > 1 && timeOf(fact.lastSeenAt)],
    [t`Callback`, fact.callback],
    [t`Part of the callback`, fact.part],
    [t`From`, evidence.remoteAddress],
    [t`Over`, connection],
    [t`Peer certificate`, evidence.peer && html`<span class="id">${printable(evidence.peer.subject)}</span>`],
    [t`Decided`, decidedAt && timeOf(decidedAt)],
    [t`Decided by`, decidedBy],
    [t`Event`, link],
  ])
}

function decisionOf({ id }: FactDetail, { t, formToken, viewer }: PageRequest): Html {
  const form = (action: 'release' | 'discard'): ButtonForm => ({
    action: `${LIST}/${id}/${action}`,
    text: action === 'release' ? t`Release` : t`Discard`,
    formToken,
    t,
    reason: 'required',
    isDangerous: action === 'discard',
  })
  return html`<h2>${t`Decide`}</h2>
${
  viewer.can('operations.write')
    ? html`${confirmed(form('release'), t`It becomes an event with its original time, and goes to the destinations that match it now.`)}${confirmed(form('discard'), t`It stays visible, but can never be released.`)}`
    : html`<p>${t`You may look, but not decide: that needs the scope operations.write.`}</p>`
}`
}

const RELEASE = plainForm(QUARANTINE_DECISIONS.releaseQuarantined, {
  path: '/quarantine/:id/release',
  leadsTo: pageOf,
  list: LIST,
  says({ id, event, duplicate }, { t }) {
    if (duplicate) return t`${{ id }} is released. The same fact was the event ${{ event: event ?? '' }} already.`
    return t`${{ id }} is released. It is the event ${{ event: event ?? '' }}.`
  },
})

const DISCARD = plainForm(QUARANTINE_DECISIONS.discardQuarantined, {
  path: '/quarantine/:id/discard',
  leadsTo: pageOf,
  list: LIST,
  says: (_, { params: { id = '' }, t }) => t`${{ id }} is discarded.`,
})

function pageOf({ params }: FormRequest): string {
  return pathOf`/ui/quarantine/${params.id ?? ''}`
}

export const QUARANTINE_ACTIONS: readonly FormAction[] = [RELEASE, DISCARD]
