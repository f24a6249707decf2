import { TEST_KIND, testKindsOf } from '../../domain/destination.ts'
import { durationText } from '../../platform/units.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { ageOf } from '../parts/age.ts'
import { buttonForm } from '../parts/button-form.ts'
import { confirmed } from '../parts/confirm.ts'
import { facts, figures } from '../parts/facts.ts'
import { select, textField } from '../parts/fields.ts'
import { forwardingHtml } from '../parts/forwarding-text.ts'
import { type Html, html } from '../parts/html.ts'
import { kindOptions, kindText } from '../parts/kind-word.ts'
import { timeOf } from '../parts/time.ts'
import { deliveriesOf } from './deliveries.ts'
import {
  type DestinationStats,
  type DestinationView,
  LIST,
  latencyText,
  rightOf,
  stateOf,
  successText,
} from './destination.ts'
import { secretField } from './settings.ts'

export const DESTINATION_DETAIL: Page = {
  path: '/destinations/:id',
  scopes: ['destinations.read'],
  async render(request) {
    const { ask, params, words, viewer } = request
    const id = params.id ?? ''
    const [shown, measured] = await Promise.all([
      ask('showDestination', { params: { id } }),
      ask('showDestinationStats', { params: { id } }),
    ])
    const destination = jsonOf(shown)
    const title = words.destinations.one(destination.name)
    const stats = jsonOf(measured)
    return {
      title,
      body: html`<p><a href="/ui/destinations">${words.destinations.title}</a></p>
<h1>${title} ${stateOf(destination, words)}</h1>
${statsOf(stats, request)}
${troubleOf(destination, stats, request)}
<h2 id="deliveries">${words.destinations.deliveries.title}</h2>
${viewer.can('operations.read') ? await deliveriesOf(destination, request) : html`<p>${words.destinations.deliveries.scope}</p>`}
<h2 id="actions">${words.destinations.actions}</h2>
${actionsOf(destination, request)}
<h2>${words.destinations.settings}</h2>
${settingsOf(destination, request)}`,
    }
  },
}

/** Why it takes nothing; null: it does. */
function troubleOf({ pauseReason }: DestinationView, stats: DestinationStats, { words }: PageRequest): Html | null {
  const { destinations } = words
  const { circuitOpenedAt, nextProbeAt } = stats
  if (pauseReason === null && circuitOpenedAt === null) return null
  return facts([
    [destinations.pausedBecause, pauseReason && forwardingHtml(pauseReason, words)],
    [destinations.circuitOpenSince, circuitOpenedAt && timeOf(circuitOpenedAt)],
    [destinations.nextProbe, nextProbeAt && timeOf(nextProbeAt)],
  ])
}

function settingsOf(destination: DestinationView, { words, viewer }: PageRequest): Html {
  const { destinations } = words
  const { owner, previousSecretUntil: until } = destination
  return facts([
    [destinations.url, html`<span class="id">${destination.url}</span>`],
    [destinations.kinds, destination.kinds?.map((kind) => kindText(kind, words)).join(', ') ?? destinations.everyKind],
    [destinations.institutions, destination.institutions?.join(', ')],
    [destinations.environments, environmentsOf(destination, words)],
    [destinations.subjects, subjectsOf(destination, words)],
    [destinations.authentication, destinations.authentications[destination.authentication]],
    [destinations.origin, destinations.origins[destination.origin]],
    [destinations.registrations.id, destination.registration],
    [destinations.owner, owner === null ? destinations.operator : owner === viewer.id ? viewer.name : owner],
    [destinations.format, destinations.formats[destination.format]],
    [destinations.order, destinations.orders[destination.order]],
    [destinations.concurrency, destination.concurrency],
    [destinations.rateLimit, destination.rateLimit && destinations.perSecond(destination.rateLimit)],
    [destinations.timeout, durationText(destination.timeoutMs).replace(/(?=[a-z])/, ' ')],
    [destinations.headers, destination.headers.join(', ')],
    [destinations.previousSecretUntil, until && Date.parse(until) > Date.now() && timeOf(until)],
    [destinations.createdAt, timeOf(destination.createdAt)],
  ])
}

function environmentsOf({ environments }: DestinationView, { destinations, frame }: PageRequest['words']): string {
  if (environments === null) return destinations.everyEnvironment
  return environments.map((environment) => frame.environments[environment]).join(', ')
}

function subjectsOf({ subjects }: DestinationView, { destinations }: PageRequest['words']): string | null {
  if (subjects === null) return null
  return [...subjects.exact, ...subjects.prefix.map(destinations.beginsWith)].join(', ')
}

function statsOf(stats: DestinationStats, { words }: PageRequest): Html {
  const { destinations } = words
  const { oldestWaitingSince: since } = stats
  return figures([
    [destinations.waiting, stats.waiting],
    [destinations.blocked, stats.blocked],
    [destinations.oldestWaits, since && ageOf(since)],
    // Another node counts them.
    [destinations.sentBy, stats.node],
    [
      destinations.success,
      successText(stats, words) ?? (stats.node === null && html`<span class="hint">${destinations.noAttempts}</span>`),
    ],
    [destinations.latency, latencyText(stats)],
    [destinations.sending, stats.node === null ? stats.sending : null],
  ])
}

function actionsOf(destination: DestinationView, request: PageRequest): Html {
  const { destinations } = request.words
  const right = rightOf(request.viewer, destination)
  if (right !== 'change') return html`<p>${right === 'foreign' ? destinations.foreign : destinations.readOnly}</p>`
  const isPaused = destination.state === 'paused'
  const isConfigured = destination.origin === 'configuration'
  return html`${!isConfigured && html`<p><a class="button" href="${LIST}/${destination.id}/edit">${destinations.edit}</a></p>`}
${isPaused ? resumeForm(destination, request) : pauseForm(destination, request)}
${testForm(destination, request)}
${isConfigured ? html`<p class="hint">${destinations.inConfiguration}</p>` : html`${rotateForm(destination, request)}${deleteForm(destination, request)}`}`
}

function deleteForm(destination: DestinationView, request: PageRequest): Html {
  const { delete: text, deleteHint } = request.words.destinations
  const hidden = { name: destination.name, origin: destination.origin }
  return confirmed({ ...common(destination, 'delete', request), text, hidden, isDangerous: true }, deleteHint)
}

/** @param action the last segment of the form's path */
function common({ id }: DestinationView, action: string, { formToken, words }: PageRequest) {
  return { action: `/ui/destinations/${id}/${action}`, formToken, words, reason: 'optional' } as const
}

function pauseForm(destination: DestinationView, request: PageRequest): Html {
  const { pause, pauseHint } = request.words.destinations
  return confirmed({ ...common(destination, 'pause', request), text: pause, isDangerous: true }, pauseHint)
}

function resumeForm(destination: DestinationView, request: PageRequest): Html {
  const { resume, resumeHint } = request.words.destinations
  return confirmed({ ...common(destination, 'resume', request), text: resume }, resumeHint)
}

function testForm(destination: DestinationView, request: PageRequest): Html {
  const { test, testHint, testKind } = request.words.destinations
  const { action, formToken, words } = common(destination, 'test', request)
  const options = kindOptions(testKindsOf(destination, request.kinds), words)
  const fields = select('kind', testKind, { options, chosen: TEST_KIND })
  return html`<div class="card"><p>${testHint}</p>${buttonForm({ action, formToken, words, text: test, fields })}</div>`
}

function rotateForm(destination: DestinationView, request: PageRequest): Html {
  const { rotate, rotateHint, overlap } = request.words.destinations
  const fields = [textField('overlap', overlap, { value: '24h', isRequired: true }), secretField(request)]
  return confirmed({ ...common(destination, 'rotate', request), text: rotate, fields, isDangerous: true }, rotateHint)
}
