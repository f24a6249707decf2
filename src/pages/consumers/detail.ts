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

/** Where a consumer can be moved. */
export const PLACES = ['latest', 'start', 'time', 'after'] as const

export const CONSUMER_DETAIL: Page = {
  path: '/consumers/:owner/:name',
  scopes: ['events.read'],
  async render(request) {
    const { ask, params, words, viewer } = request
    const { consumers } = words
    const owner = ownerParameter(params.owner, viewer)
    const consumer = jsonOf(await ask('showConsumer', { params: { name: params.name ?? '' }, query: { owner } }))
    const title = consumers.one(consumer.name)
    return {
      title,
      body: html`<p><a href="/ui/consumers">${consumers.title}</a></p>
<h1>${title}</h1>
${factsOf(consumer, request)}
${mayChange(consumer, viewer) ? formsOf(consumer, request) : html`<p>${consumers.foreign}</p>`}`,
    }
  },
}

function factsOf(consumer: ConsumerView, request: PageRequest): Html {
  const { consumers } = request.words
  const { behind, behindSince, leased, acknowledgedAt } = consumer
  return html`${facts([
    [consumers.owner, ownerText(consumer.owner, request)],
    [consumers.behind, behind],
    [consumers.lag, behindSince === null ? consumers.noLag : consumers.lagSince(ageOf(behindSince))],
    [consumers.firstWaiting, behindSince && timeOf(behindSince)],
    [consumers.lease, leased === null ? consumers.noLease : timeOf(leased.until)],
    [consumers.acknowledged, acknowledgedAt === null ? consumers.never : timeOf(acknowledgedAt)],
    [consumers.position, html`<span class="id">${consumer.position}</span>`],
    [consumers.createdAt, timeOf(consumer.createdAt)],
  ])}
<p class="hint">${consumers.behindHint}</p>`
}

function formsOf(consumer: ConsumerView, { words, formToken }: PageRequest): Html {
  const { consumers } = words
  const path = consumerPath(consumer)
  const fields = [
    select('to', consumers.to, {
      options: [['', consumers.choose], ...PLACES.map((place) => [place, consumers.places[place]] as const)],
      chosen: '',
      isRequired: true,
    }),
    timeField('time', consumers.time, { value: '', words }),
    textField('after', consumers.after),
  ]
  const common = { formToken, words, reason: 'optional', isDangerous: true } as const
  return html`${confirmed({ ...common, action: `${path}/seek`, text: consumers.seek, fields }, consumers.seekHint)}
${confirmed({ ...common, action: `${path}/delete`, text: consumers.delete }, consumers.deleteHint)}`
}
