import type { View } from '../../api/http/schema-parts.ts'
import type { subjectPageSchema } from '../../api/subjects/schema.ts'
import type { SubjectView } from '../../api/subjects/view.ts'
import { say } from '../../messages/say.ts'
import { sentencesOf } from '../../messages/where.ts'
import { printable } from '../../platform/control-characters.ts'
import { amountFormat } from '../event/amount.ts'
import { MASK } from '../event/model.ts'
import type { PageRequest } from '../frame/page.ts'
import { pathOf, withQuery } from '../frame/path-of.ts'
import { seesBothEnvironments, seesEveryDelivery } from '../frame/viewer-rights.ts'
import { type Html, html } from '../parts/html.ts'
import { kindWord } from '../parts/kind-word.ts'
import { documentText, personPath } from '../parts/person.ts'
import { realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { statusHtml } from '../parts/status-word.ts'
import { timeOf } from '../parts/time.ts'
import { whereHtml } from '../parts/where-html.ts'

export type FoundSubjects = View<typeof subjectPageSchema>

/** For a person who sees masked data. */
export const MASKED_ADVICE = say`Personal data is masked for you: type whole words and whole numbers. Amounts are found where you see them. A number of fewer than 6 digits must stand alone: it finds the event with this number.`

/** A line for each payment; its events open below it. @param search the query of the page, to which an event leads back */
export function subjectList(request: PageRequest, found: readonly SubjectView[], search: string): Html {
  const { t } = request
  return html`<div class="lines"><p class="head" aria-hidden="true">${[t`Payer`, t`Amount`, t`Status`, t`Changed`, t`Where it is`].map((title) => html`<span>${title}</span>`)}</p>
<ul aria-label="${t`Payments, charges and registrations, newest change first`}">${found.map((one) => html`<li>${lineOf(one, request, search)}</li>\n`)}</ul></div>`
}

/** What a person calls it: who pays, or else its id. */
function nameOfSubject({ payer, subject, event }: SubjectView): string {
  return payer ?? (subject === null || subject === MASK ? event : subject)
}

function lineOf(one: SubjectView, request: PageRequest, search: string): Html {
  const { t, language, viewer } = request
  const { amount, status, changedAt } = one
  const about = [
    kindWord(one.kind, t) ?? printable(one.kind),
    one.payer !== null && one.subject !== null && shortened(one.subject),
    (seesBothEnvironments(viewer) || one.institution !== null) && realmText(one, t),
  ].filter((part) => part !== false)
  return html`<details><summary><span>${shortened(nameOfSubject(one))}<small>${about.join(' · ')}</small></span>
<span class="number">${amount !== null && amountFormat(language).format(amount as `${number}`)}</span>
<span>${status !== null && statusHtml(status, t)}</span>
${timeOf(changedAt)}
${whereHtml(one.deliveries, seesEveryDelivery(viewer), t)}</summary>
${eventsOf(one, request, search)}</details>`
}

function eventsOf(one: SubjectView, request: PageRequest, search: string): Html {
  const { t } = request
  const [first] = sentencesOf(one.deliveries, t)
  const subject = one.subject === null || one.subject === MASK ? one.event : one.subject
  const linkOf = (id: string) => withQuery(`/ui${pathOf`/events/${id}`}`, { back: search })
  const steps = one.events.map(
    ({ id, status, receivedAt }) =>
      html`<li>${timeOf(receivedAt)} <a href="${linkOf(id)}">${status === null ? t`no status` : statusHtml(status, t)}</a></li>`,
  )
  return html`<div class="more"><ol>${steps}</ol>
<p><a class="id" href="${linkOf(one.event)}">${shortened(subject, 200)}</a> ${one.hasOlder && html`<a href="${linkOf(one.event)}">${t`Older events`}</a> `}${one.payerDocument !== null && html`<a href="${personPath(one.payerDocument)}">${t`Everything about ${{ number: documentText(one.payerDocument) }}`}</a>`}</p>
${first !== undefined && first.standing !== 'delivered' && html`<p>${printable(first.then)}</p>`}</div>`
}
