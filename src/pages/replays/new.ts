import type { REPLAY_MODES } from '../../domain/replay.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, FormRequest, Page, PageRequest, PageView } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { problemHtml, problemOf } from '../frame/problem.ts'
import { buttonForm } from '../parts/button-form.ts'
import { facts } from '../parts/facts.ts'
import { select, textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { typedTime } from '../parts/period.ts'
import { environmentOptions, institutionSelect } from '../parts/realm.ts'
import { selectionOf } from './detail.ts'

const LIST = '/ui/replays'
const PATH = `${LIST}/new`

const COUNT = `${PATH}/count`

/** In the query of the page, in the form that counts, and in the one that starts the replay. */
const FIELDS = ['destination', 'mode', 'kinds', 'institution', 'environment', 'subject', 'status', 'from', 'to']
/** The API's default first. */
const MODES = ['missing', 'failed', 'all'] as const satisfies readonly (typeof REPLAY_MODES)[number][]

/** Two forms: one chooses and counts, and the one below the count starts the replay. */
export const NEW_REPLAY: Page = {
  path: '/replays/new',
  scopes: ['events.replay'],
  render: async (request) => viewOf(request, choiceOf(request)),
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
  const hidden = Object.fromEntries(FIELDS.map((name) => [name, chosen.get(name) ?? '']))
  const change = html`<p><a href="${withQuery(PATH, hidden)}">${replays.change}</a></p>`
  const answer = await ask('createReplay', { body: { ...bodyOf(chosen), dryRun: true } })
  if (answer.status === 400)
    return html`<p class="flash bad" role="alert">${problemHtml(problemOf(answer, words, COUNT_REPLAY.path), words)}</p>${change}`
  const selection = jsonOf(answer)
  const form = { action: PATH, text: replays.start, formToken, words, hidden, reason: 'optional' } as const
  return html`<p role="status">${replays.counted(selection.matched, selection.destinationName)}</p>
${facts(selectionOf(selection, request))}
${selection.matched === 0 ? html`<p>${replays.nothingToDo}</p>` : buttonForm(form)}
${change}`
}

function choiceOf(request: PageRequest): Html {
  const { query, words, formToken } = request
  const { replays } = words
  const value = (name: string) => query.get(name) ?? ''
  const modes = MODES.map((mode) => [mode, replays.modes[mode]] as const)
  const destination = { value: value('destination'), hint: replays.destinationHint, isRequired: true }
  const environments = [['', replays.anyEnvironment] as const, ...environmentOptions(words)]
  return html`<form method="post" action="${COUNT}" class="narrow">${formToken}
${textField('destination', replays.destination, destination)}
${select('mode', replays.mode, { options: modes, chosen: value('mode') })}
${textField('kinds', replays.kinds, { value: value('kinds'), hint: replays.kindsHint })}
${institutionSelect(request, value('institution'))}
${select('environment', replays.environment, { options: environments, chosen: value('environment') })}
${textField('subject', replays.subject, { value: value('subject') })}
${textField('status', replays.status, { value: value('status') })}
${textField('from', replays.from, { value: value('from'), hint: replays.timeHint })}
${textField('to', replays.to, { value: value('to') })}
<p><button>${replays.count}</button></p>
</form>`
}

/** The body of `POST /v1/replays`; fields without a value are left out. */
function bodyOf(fields: URLSearchParams) {
  const given = (name: string) => fields.get(name)?.trim() || undefined
  const kinds = given('kinds')
    ?.split(',')
    .map((kind) => kind.trim())
  return {
    destination: given('destination'),
    mode: given('mode'),
    filter: {
      kinds,
      institution: given('institution'),
      environment: given('environment'),
      subject: given('subject'),
      status: given('status'),
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
