import { printable } from '../../platform/control-characters.ts'
import { COPY_SCRIPT } from '../event/copied.ts'
import { payloadSection } from '../event/payload.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, FormRequest, Page, PageRequest } from '../frame/page.ts'
import { pathOf } from '../frame/path-of.ts'
import type { ButtonForm } from '../parts/button-form.ts'
import { confirmed } from '../parts/confirm.ts'
import { facts } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { kindText } from '../parts/kind-word.ts'
import { realmText } from '../parts/realm.ts'
import { statusText } from '../parts/status-word.ts'
import { timeOf } from '../parts/time.ts'
import { type FactDetail, factState } from './fact.ts'

const LIST = '/ui/quarantine'

export const QUARANTINED: Page = {
  path: '/quarantine/:id',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, params, words } = request
    const { quarantine } = words
    const answer = await ask('showQuarantined', { params: { id: params.id ?? '' } })
    const fact = jsonOf(answer)
    const title = quarantine.one(fact.id)
    return {
      title,
      body: html`<p><a href="${LIST}">${quarantine.title}</a></p>
<h1>${title}</h1>
${factsOf(fact, request)}
${fact.state === 'quarantined' && decisionOf(fact, request)}
${fact.masked && html`<p class="hint">${words.event.unmask.masked}</p>`}
${payloadSection(fact, answer.text, words, { original: false })}`,
      scripts: [COPY_SCRIPT],
    }
  },
}

function factsOf(fact: FactDetail, { words, viewer }: PageRequest): Html {
  const { quarantine } = words
  const { evidence, event, subject, status, decidedAt, decidedBy, unparsedReason } = fact
  const connection = [evidence.tlsVersion, evidence.cipher].filter((part) => part !== null).join(', ')
  const link =
    event && (viewer.can('events.read') ? html`<a class="id" href="/ui/events/${event}">${event}</a>` : event)
  return facts([
    [quarantine.state, factState(fact, words)],
    [quarantine.why, unparsedReason ? quarantine.unparsed[unparsedReason] : quarantine.reasons[fact.reason]],
    [quarantine.kind, kindText(fact.kind, words)],
    [quarantine.environment, realmText(fact, words)],
    [quarantine.subject, subject && html`<span class="id">${printable(subject)}</span>`],
    [quarantine.status, status && statusText(status, words)],
    [quarantine.receivedAt, timeOf(fact.receivedAt, true)],
    [quarantine.seen, fact.seen],
    [quarantine.lastSeenAt, fact.seen > 1 && timeOf(fact.lastSeenAt)],
    [quarantine.callback, fact.callback],
    [quarantine.part, fact.part],
    [quarantine.from, evidence.remoteAddress],
    [quarantine.over, connection],
    [quarantine.caller, evidence.peer && html`<span class="id">${printable(evidence.peer.subject)}</span>`],
    [quarantine.decidedAt, decidedAt && timeOf(decidedAt)],
    [quarantine.decidedBy, decidedBy],
    [quarantine.event, link],
  ])
}

function decisionOf({ id }: FactDetail, { words, formToken, viewer }: PageRequest): Html {
  const { quarantine } = words
  const form = (action: 'release' | 'discard'): ButtonForm => ({
    action: `${LIST}/${id}/${action}`,
    text: quarantine[action],
    formToken,
    words,
    reason: 'required',
    isDangerous: action === 'discard',
  })
  return html`<h2>${quarantine.actions}</h2>
${
  viewer.can('operations.write')
    ? html`${confirmed(form('release'), quarantine.releaseHint)}${confirmed(form('discard'), quarantine.discardHint)}`
    : html`<p>${quarantine.readOnly}</p>`
}`
}

const RELEASE: FormAction = {
  path: '/quarantine/:id/release',
  async submit(request) {
    const answer = await request.ask('releaseQuarantined', meantBy(request))
    if (answer.status >= 400) return resultOf(answer, pageAfter(answer.status, request), '')
    const { id, event, duplicate } = jsonOf(answer)
    const { released, releasedDuplicate } = request.words.quarantine
    return resultOf(
      answer,
      pageAfter(answer.status, request),
      (duplicate ? releasedDuplicate : released)(id, event ?? ''),
    )
  },
}

const DISCARD: FormAction = {
  path: '/quarantine/:id/discard',
  async submit(request) {
    const answer = await request.ask('discardQuarantined', meantBy(request))
    const { discarded } = request.words.quarantine
    return resultOf(answer, pageAfter(answer.status, request), discarded(request.params.id ?? ''))
  },
}

function meantBy({ params, form }: FormRequest) {
  return { params: { id: params.id ?? '' }, query: { reason: form.get('reason')?.trim() } }
}

/** The fact, or the list if there is no such fact. */
function pageAfter(status: number, { params }: FormRequest): string {
  return status === 404 ? LIST : pathOf`/ui/quarantine/${params.id ?? ''}`
}

export const QUARANTINE_ACTIONS: readonly FormAction[] = [RELEASE, DISCARD]
