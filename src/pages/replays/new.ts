import { DESTINATION_LIMIT } from '../../domain/destination.ts'
import { KINDS_BY_NAME_ONLY } from '../../domain/event.ts'
import type { REPLAY_MODES } from '../../domain/replay.ts'
import { plural, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, FormRequest, Page, PageRequest, PageView } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { problemHtml, problemOf } from '../frame/problem.ts'
import { buttonForm } from '../parts/button-form.ts'
import { facts } from '../parts/facts.ts'
import { checkboxes, type Option, select, textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { kindOptions } from '../parts/kind-word.ts'
import { typedTime } from '../parts/period.ts'
import { environmentOptions, institutionSelect } from '../parts/realm.ts'
import { STATUSES, statusWord } from '../parts/status-word.ts'
import { timeField } from '../parts/time-field.ts'
import { MODE_TEXTS } from '../replays/replay.ts'
import { selectionOf } from './detail.ts'

const LIST = '/ui/replays'
const PATH = `${LIST}/new`

const COUNT = `${PATH}/count`

/** In the query of the page, in the form that counts, and in the one that starts the replay. */
const FIELDS = [
  ...['destination', 'mode', 'kinds', 'institution', 'environment', 'subject', 'status', 'otherStatus', 'from', 'to'],
]
/** The API's default first. */
const MODES = ['missing', 'failed', 'all'] as const satisfies readonly (typeof REPLAY_MODES)[number][]

/** Two forms: one chooses and counts, and the one below the count starts the replay. */
export const NEW_REPLAY: Page = {
  path: '/replays/new',
  scopes: ['events.replay'],
  render: async (request) => viewOf(request, await choiceOf(request)),
}

export const COUNT_REPLAY: FormAction = {
  path: '/replays/new/count',
  submit: async (request) => ({ kind: 'page', view: viewOf(request, await countOf(request)) }),
}

function viewOf({ t }: PageRequest, step: Html): PageView {
  return {
    title: t`New replay`,
    body: html`<p><a href="${LIST}">${t`Replays`}</a></p>
<h1>${t`New replay`}</h1>
${step}`,
  }
}

async function countOf(request: FormRequest): Promise<Html> {
  const { ask, form: chosen, t, formToken } = request
  const hidden = Object.fromEntries(FIELDS.map((name) => [name, listIn(chosen, name)]))
  const change = html`<p><a href="${withQuery(PATH, hidden)}">${t`Change the selection`}</a></p>`
  const answer = await ask('createReplay', { body: { ...bodyOf(chosen), dryRun: true } })
  if (answer.status === 400)
    return html`<p class="flash bad" role="alert">${problemHtml(problemOf(answer, t, COUNT_REPLAY.path), t)}</p>${change}`
  const selection = jsonOf(answer)
  const form = { action: PATH, text: t`Start the replay`, formToken, t, hidden, reason: 'optional' } as const
  return html`<p role="status">${t.of(plural(selection.matched, say`1 event would be delivered to ${{ destination: selection.destinationName }} again. Nothing has been sent yet.`, say`{count} events would be delivered to ${{ destination: selection.destinationName }} again. Nothing has been sent yet.`))}</p>
${selection.leftOut > 0 && html`<p>${t.of(plural(selection.leftOut, say`It would leave out 1 event: its delivery still waits, or an attempt is being recorded.`, say`It would leave out {count} events: their deliveries still wait, or an attempt is being recorded.`))}</p>`}
${facts(selectionOf(selection, request))}
${selection.matched === 0 ? html`<p>${t`There is nothing to deliver: no event matches, or the deliveries of those that match still wait.`}</p>` : buttonForm(form)}
${change}`
}

async function choiceOf(request: PageRequest): Promise<Html> {
  const { query, t, formToken } = request
  const value = (name: string) => query.get(name) ?? ''
  const modes = MODES.map((mode) => [mode, t.of(MODE_TEXTS[mode])] as const)
  // Kinds of a link may be configured no longer.
  const kinds = kindsIn(query)
  const status = value('status')
  const isKnown = Object.hasOwn(STATUSES, status)
  const environments = [['', t`every environment of the destination`] as const, ...environmentOptions(t)]
  return html`<form method="post" action="${COUNT}" class="narrow">${formToken}
${await destinationField(request)}
${select('mode', t`Which events`, { options: modes, chosen: value('mode') })}
${checkboxes('kinds', t`Kinds`, {
  options: kindOptions([...new Set([...request.kinds, ...KINDS_BY_NAME_ONLY, ...kinds])], t),
  chosen: kinds,
  hint: t`None: every kind of the destination`,
})}
${institutionSelect(request, value('institution'))}
${select('environment', t`Environment`, { options: environments, chosen: value('environment') })}
${textField('subject', t`Reference`, { value: value('subject') })}
${select('status', t`Status`, { options: statusOptions(t), chosen: isKnown ? status : '' })}
${textField('otherStatus', t`Another status`, { value: value('otherStatus') || (isKnown ? '' : status), hint: t`As the service writes it` })}
${timeField('from', t.in('events')`Received from`, { value: value('from'), t })}
${timeField('to', t.in('events')`Received before`, { value: value('to') })}
<p><button>${t`Count the events`}</button></p>
</form>`
}

/** The destinations that the viewer may see; who may list none types a name. */
async function destinationField({ ask, query, t, viewer }: PageRequest): Promise<Html> {
  const value = query.get('destination') ?? ''
  if (!viewer.can('destinations.read'))
    return textField('destination', t`Destination`, { value, hint: t`Its name or id.`, isRequired: true })
  const { data } = jsonOf(await ask('listDestinations', { query: { limit: DESTINATION_LIMIT } }))
  const known = data.find(({ id, name }) => id === value || name === value)
  const others = known === undefined && value !== '' ? [[value, value] as const] : []
  const options = [
    ['', t`Choose a destination`] as const,
    ...others,
    ...data.map(({ id, name }) => [id, name] as const),
  ]
  return select('destination', t`Destination`, { options, chosen: known?.id ?? value })
}

/** Known statuses with their words. */
function statusOptions(t: Speaker): readonly Option[] {
  const known = Object.keys(STATUSES).map((status) => {
    const word = statusWord(status, t)
    return [status, word === null ? status : `${status}: ${word}`] as const
  })
  return [['', t`every status`], ...known]
}

/** Of ticked boxes, or of a link with commas. */
function kindsIn(fields: URLSearchParams): readonly string[] {
  const typed = fields.getAll('kinds').flatMap((kinds) => kinds.split(','))
  return typed.map((kind) => kind.trim()).filter((kind) => kind !== '')
}

function listIn(fields: URLSearchParams, name: string): string {
  return name === 'kinds' ? kindsIn(fields).join(',') : (fields.get(name) ?? '')
}

/** The body of `POST /v1/replays`; fields without a value are left out. */
function bodyOf(fields: URLSearchParams) {
  const given = (name: string) => fields.get(name)?.trim() || undefined
  const kinds = kindsIn(fields)
  return {
    destination: given('destination'),
    mode: given('mode'),
    filter: {
      kinds: kinds.length > 0 ? kinds : undefined,
      institution: given('institution'),
      environment: given('environment'),
      subject: given('subject'),
      status: given('otherStatus') ?? given('status'),
      from: typedTime(fields.get('from')) ?? undefined,
      to: typedTime(fields.get('to')) ?? undefined,
    },
  }
}

export const START_REPLAY: FormAction = {
  path: '/replays/new',
  async submit({ ask, form, t }) {
    const answer = await ask('createReplay', { query: { reason: form.get('reason')?.trim() }, body: bodyOf(form) })
    if (answer.status >= 400) return resultOf(answer, LIST, '')
    const started = jsonOf(answer)
    const id = 'id' in started ? started.id : ''
    return resultOf(
      answer,
      `${LIST}/${id}`,
      t`${{ id }} has started. Its deliveries have lower priority than new events.`,
    )
  },
}
