import { TEST_KIND, testKindsOf } from '../../domain/destination.ts'
import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { durationText } from '../../platform/units.ts'
import { AUTHENTICATIONS, FORMATS, ORDERS } from '../destinations/destination.ts'
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
import { environmentText } from '../parts/realm.ts'
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

const ORIGINS: Readonly<Record<DestinationView['origin'], Said>> = {
  configuration: say`configuration file`,
  operator: say`operator or app`,
  registration: say`registration of an app`,
  route: say`notification address of charges`,
}

export const DESTINATION_DETAIL: Page = {
  path: '/destinations/:id',
  scopes: ['destinations.read'],
  async render(request) {
    const { ask, params, t, viewer } = request
    const id = params.id ?? ''
    const [shown, measured] = await Promise.all([
      ask('showDestination', { params: { id } }),
      ask('showDestinationStats', { params: { id } }),
    ])
    const destination = jsonOf(shown)
    const title = t`Destination ${{ name: destination.name }}`
    const stats = jsonOf(measured)
    return {
      title,
      body: html`<p><a href="/ui/destinations">${t`Destinations`}</a></p>
<h1>${title} ${stateOf(destination, t)}</h1>
${statsOf(stats, request)}
${troubleOf(destination, stats, request)}
<h2 id="deliveries">${t`Deliveries to this destination`}</h2>
${viewer.can('operations.read') ? await deliveriesOf(destination, request) : html`<p>${t`Waiting deliveries are shown to viewers with the scope operations.read.`}</p>`}
<h2 id="actions">${t`Actions`}</h2>
${actionsOf(destination, request)}
<h2>${t`Settings`}</h2>
${settingsOf(destination, request)}`,
    }
  },
}

/** Why it takes nothing; null: it does. */
function troubleOf({ pauseReason }: DestinationView, stats: DestinationStats, { t }: PageRequest): Html | null {
  const { circuitOpenedAt, nextProbeAt } = stats
  if (pauseReason === null && circuitOpenedAt === null) return null
  return facts([
    [t`Paused because`, pauseReason && forwardingHtml(pauseReason, t)],
    [t`Accepts nothing since`, circuitOpenedAt && timeOf(circuitOpenedAt)],
    [t`Next try`, nextProbeAt && timeOf(nextProbeAt)],
  ])
}

function settingsOf(destination: DestinationView, { t, viewer }: PageRequest): Html {
  const { owner, previousSecretUntil: until } = destination
  return facts([
    ['URL', html`<span class="id">${destination.url}</span>`],
    [
      t`Kinds`,
      destination.kinds?.map((kind) => kindText(kind, t)).join(', ') ?? t`every kind except probe and operator`,
    ],
    [t`Institutions`, destination.institutions?.join(', ')],
    [t`Environments`, environmentsOf(destination, t)],
    [t`References`, subjectsOf(destination)],
    [t`Authentication`, t.of(AUTHENTICATIONS[destination.authentication])],
    [t`Origin`, t.of(ORIGINS[destination.origin])],
    [t`Registration`, destination.registration],
    [t`Belongs to`, owner === null ? t`the operator` : owner === viewer.id ? viewer.name : owner],
    [t`Body`, t.of(FORMATS[destination.format])],
    [t`Order`, t.of(ORDERS[destination.order])],
    [t`Attempts at the same time`, destination.concurrency],
    [t`Rate limit`, destination.rateLimit && t`${{ count: destination.rateLimit }} per second`],
    [t`Timeout`, durationText(destination.timeoutMs).replace(/(?=[a-z])/, ' ')],
    [t`Extra headers`, destination.headers.join(', ')],
    [t`The previous secret also signs until`, until && Date.parse(until) > Date.now() && timeOf(until)],
    [t`Created`, timeOf(destination.createdAt)],
  ])
}

function environmentsOf({ environments }: DestinationView, t: Speaker): string {
  if (environments === null) return t`every environment`
  return environments.map((environment) => environmentText(environment, t)).join(', ')
}

function subjectsOf({ subjects }: DestinationView): string | null {
  if (subjects === null) return null
  return [...subjects.exact, ...subjects.prefix.map((prefix) => `${prefix}…`)].join(', ')
}

function statsOf(stats: DestinationStats, { t }: PageRequest): Html {
  const { oldestWaitingSince: since } = stats
  return figures([
    [t`Pending`, stats.waiting],
    [t`Blocked`, stats.blocked],
    [t`The oldest has waited for`, since && ageOf(since)],
    // Another node counts them.
    [t`Sent by node`, stats.node],
    [
      t`Success`,
      successText(stats, t) ??
        (stats.node === null && html`<span class="hint">${t`none since the gateway started`}</span>`),
    ],
    ['p50 / p99', latencyText(stats)],
    [t`Sending`, stats.node === null ? stats.sending : null],
  ])
}

function actionsOf(destination: DestinationView, request: PageRequest): Html {
  const { t } = request
  const right = rightOf(request.viewer, destination)
  if (right !== 'change')
    return html`<p>${right === 'foreign' ? t`It belongs to another client. To change it, you need the scope operations.write.` : t`You may look, but not change: that needs the scope destinations.write.`}</p>`
  const isPaused = destination.state === 'paused'
  const isConfigured = destination.origin === 'configuration'
  return html`${!isConfigured && html`<p><a class="button" href="${LIST}/${destination.id}/edit">${t`Change settings`}</a></p>`}
${isPaused ? resumeForm(destination, request) : pauseForm(destination, request)}
${testForm(destination, request)}
${isConfigured ? html`<p class="hint">${t`Its settings and its secret are in the configuration file. Change them there.`}</p>` : html`${rotateForm(destination, request)}${deleteForm(destination, request)}`}`
}

function deleteForm(destination: DestinationView, request: PageRequest): Html {
  const { t } = request
  const hidden = { name: destination.name, origin: destination.origin }
  return confirmed(
    { ...common(destination, 'delete', request), text: t`Delete`, hidden, isDangerous: true },
    t`Its pending deliveries are canceled. It cannot be restored.`,
  )
}

/** @param action the last segment of the form's path */
function common({ id }: DestinationView, action: string, { formToken, t }: PageRequest) {
  return { action: `/ui/destinations/${id}/${action}`, formToken, t, reason: 'optional' } as const
}

function pauseForm(destination: DestinationView, request: PageRequest): Html {
  const { t } = request
  return confirmed(
    { ...common(destination, 'pause', request), text: t`Pause`, isDangerous: true },
    t`Deliveries wait and use no step of their schedules. Nothing is lost.`,
  )
}

function resumeForm(destination: DestinationView, request: PageRequest): Html {
  const { t } = request
  return confirmed({ ...common(destination, 'resume', request), text: t`Resume` }, t`Waiting deliveries are sent now.`)
}

function testForm(destination: DestinationView, request: PageRequest): Html {
  const { action, formToken, t } = common(destination, 'test', request)
  const options = kindOptions(testKindsOf(destination, request.kinds), t)
  const fields = select('kind', t`Kind of the event`, { options, chosen: TEST_KIND })
  return html`<div class="card"><p>${t`The event is signed like any other and is not stored. Its reference and status are "test".`}</p>${buttonForm({ action, formToken, t, text: t`Send a test event`, fields })}</div>`
}

function rotateForm(destination: DestinationView, request: PageRequest): Html {
  const { t } = request
  const fields = [
    textField('overlap', t`Overlap, such as 24h`, { value: '24h', isRequired: true }),
    secretField(request),
  ]
  return confirmed(
    { ...common(destination, 'rotate', request), text: t`Rotate the secret`, fields, isDangerous: true },
    t`Both secrets sign until the overlap ends. Give the new secret to the receiver in this time.`,
  )
}
