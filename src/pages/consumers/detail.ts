import { type Said, say } from '../../messages/say.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { ageOf } from '../parts/age.ts'
import { confirmed } from '../parts/confirm.ts'
import { facts } from '../parts/facts.ts'
import { select, textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { timeOf } from '../parts/time.ts'
import { timeField } from '../parts/time-field.ts'
import { type ConsumerView, consumerPath, mayChange, ownerParameter, ownerText } from './consumer.ts'

export const PLACE_TEXTS: Readonly<Record<(typeof PLACES)[number], Said>> = {
  latest: say`the end: only new events`,
  start: say`the first stored event`,
  time: say`the first event received at this time or later`,
  after: say`behind this event or cursor`,
}

/** Where a consumer can be moved. */
export const PLACES = ['latest', 'start', 'time', 'after'] as const

export const CONSUMER_DETAIL: Page = {
  path: '/consumers/:owner/:name',
  scopes: ['events.read'],
  async render(request) {
    const { ask, params, t, viewer } = request
    const owner = ownerParameter(params.owner, viewer)
    const consumer = jsonOf(await ask('showConsumer', { params: { name: params.name ?? '' }, query: { owner } }))
    const title = t`Consumer ${{ name: consumer.name }}`
    return {
      title,
      body: html`<p><a href="/ui/consumers">${t`Consumers`}</a></p>
<h1>${title}</h1>
${factsOf(consumer, request)}
${mayChange(consumer, viewer) ? formsOf(consumer, request) : html`<p>${t`It belongs to another client. To change it, you need the scope operations.write.`}</p>`}`,
    }
  },
}

function factsOf(consumer: ConsumerView, request: PageRequest): Html {
  const { t } = request
  const { behind, behindSince, leased, acknowledgedAt } = consumer
  return html`${facts([
    [t`Belongs to`, ownerText(consumer.owner, request)],
    [t`Events behind`, behind],
    [t`Lag`, behindSince === null ? t`none` : t`${{ age: ageOf(behindSince) }} behind`],
    [t`First event that waits`, behindSince && timeOf(behindSince)],
    [t`Batch leased until`, leased === null ? t`no batch is leased` : timeOf(leased.until)],
    [t`Acknowledged`, acknowledgedAt === null ? t`never` : timeOf(acknowledgedAt)],
    [t`Position`, html`<span class="id">${consumer.position}</span>`],
    [t`Created`, timeOf(consumer.createdAt)],
  ])}
<p class="hint">${t`Events of all kinds after its position, also those that its filter will skip.`}</p>`
}

function formsOf(consumer: ConsumerView, { t, formToken }: PageRequest): Html {
  const path = consumerPath(consumer)
  const fields = [
    select('to', t`To`, {
      options: [['', t`Choose a place`], ...PLACES.map((place) => [place, t.of(PLACE_TEXTS[place])] as const)],
      chosen: '',
      isRequired: true,
    }),
    timeField('time', t`Time`, { value: '', t }),
    textField('after', t`Event id or cursor`),
  ]
  const common = { formToken, t, reason: 'optional', isDangerous: true } as const
  return html`${confirmed({ ...common, action: `${path}/seek`, text: t`Move`, fields }, t`The current batch is taken back. Events before the new position are not delivered, events after it are delivered again.`)}
${confirmed({ ...common, action: `${path}/delete`, text: t`Delete` }, t`Its position is lost. A new consumer of the same name starts at the first event.`)}`
}
