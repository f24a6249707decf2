import { DESTINATION_LIMIT } from '../../domain/destination.ts'
import { KINDS_BY_NAME_ONLY } from '../../domain/event.ts'
import type { REPLAY_MODES } from '../../domain/replay.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
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
import { statusWord } from '../parts/status-word.ts'
import { timeField } from '../parts/time-field.ts'
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

function viewOf({ words: { replays } }: PageRequest, step: Html): PageView {
  return {
    title: replays.create,
    body: html`<p><a href="${LIST}">${replays.title}</a></p>
<h1>${replays.create}</h1>
${step}`,
  }
}

async function countOf(request: FormRequest): Promise<Html> {
  const { ask, form: chosen, words, formToken } = request
  const { replays } = words
  const hidden = Object.fromEntries(FIELDS.map((name) => [name, listIn(chosen, name)]))
  const change = html`<p><a href="${withQuery(PATH, hidden)}">${replays.change}</a></p>`
  const answer = await ask('createReplay', { body: { ...bodyOf(chosen), dryRun: true } })
  if (answer.status === 400)
    return html`<p class="flash bad" role="alert">${problemHtml(problemOf(answer, words, COUNT_REPLAY.path), words)}</p>${change}`
  const selection = jsonOf(answer)
  const form = { action: PATH, text: replays.start, formToken, words, hidden, reason: 'optional' } as const
  return html`<p role="status">${replays.counted(selection.matched, selection.destinationName)}</p>
${selection.leftOut > 0 && html`<p>${replays.leftOut(selection.leftOut)}</p>`}
${facts(selectionOf(selection, request))}
${selection.matched === 0 ? html`<p>${replays.nothingToDo}</p>` : buttonForm(form)}
${change}`
}

async function choiceOf(request: PageRequest): Promise<Html> {
  const { query, words, formToken } = request
  const { replays } = words
  const value = (name: string) => query.get(name) ?? ''
  const modes = MODES.map((mode) => [mode, replays.modes[mode]] as const)
  // Kinds of a link may be configured no longer.
  const kinds = kindsIn(query)
  const status = value('status')
  const isKnown = Object.hasOwn(words.statuses, status)
  const environments = [['', replays.anyEnvironment] as const, ...environmentOptions(words)]
  return html`<form method="post" action="${COUNT}" class="narrow">${formToken}
${await destinationField(request)}
${select('mode', replays.mode, { options: modes, chosen: value('mode') })}
${checkboxes('kinds', replays.kinds, {
  options: kindOptions([...new Set([...request.kinds, ...KINDS_BY_NAME_ONLY, ...kinds])], words),
  chosen: kinds,
  hint: replays.kindsHint,
})}
${institutionSelect(request, value('institution'))}
${select('environment', replays.environment, { options: environments, chosen: value('environment') })}
${textField('subject', replays.subject, { value: value('subject') })}
${select('status', replays.status, { options: statusOptions(words), chosen: isKnown ? status : '' })}
${textField('otherStatus', replays.otherStatus, { value: value('otherStatus') || (isKnown ? '' : status), hint: replays.otherStatusHint })}
${timeField('from', replays.from, { value: value('from'), words })}
${timeField('to', replays.to, { value: value('to') })}
<p><button>${replays.count}</button></p>
</form>`
}

/** The destinations that the viewer may see; who may list none types a name. */
async function destinationField({ ask, query, words, viewer }: PageRequest): Promise<Html> {
  const { replays } = words
  const value = query.get('destination') ?? ''
  if (!viewer.can('destinations.read'))
    return textField('destination', replays.destination, { value, hint: replays.destinationHint, isRequired: true })
  const { data } = jsonOf(await ask('listDestinations', { query: { limit: DESTINATION_LIMIT } }))
  const known = data.find(({ id, name }) => id === value || name === value)
  const others = known === undefined && value !== '' ? [[value, value] as const] : []
  const options = [
    ['', replays.chooseDestination] as const,
    ...others,
    ...data.map(({ id, name }) => [id, name] as const),
  ]
  return select('destination', replays.destination, { options, chosen: known?.id ?? value })
}

/** Known statuses with their words. */
function statusOptions(words: Catalogue): readonly Option[] {
  const known = Object.keys(words.statuses).map((status) => {
    const word = statusWord(status, words)
    return [status, word === null ? status : `${status}: ${word}`] as const
  })
  return [['', words.replays.anyStatus], ...known]
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
  async submit({ ask, form, words }) {
    const answer = await ask('createReplay', { query: { reason: form.get('reason')?.trim() }, body: bodyOf(form) })
    if (answer.status >= 400) return resultOf(answer, LIST, '')
    const started = jsonOf(answer)
    const id = 'id' in started ? started.id : ''
    return resultOf(answer, `${LIST}/${id}`, words.replays.started(id))
  },
}
