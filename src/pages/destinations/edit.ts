import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FilledForm } from '../frame/field-problems.ts'
import type { FormAction, Page, PageRequest, PageView } from '../frame/page.ts'
import { problemHtml, problemOf } from '../frame/problem.ts'
import { buttonForm } from '../parts/button-form.ts'
import { html } from '../parts/html.ts'
import { type DestinationView, LIST, rightOf } from './destination.ts'
import { changesIn, refusedSettings, settingsFields, typedSettings, unsentSettings } from './settings.ts'

const PATH = '/destinations/:id/edit'

export const EDIT_DESTINATION: Page = {
  path: PATH,
  scopes: ['destinations.write'],
  async render(request) {
    const destination = await shown(request)
    return viewOf(request, destination, unsentSettings(typedSettings(destination)))
  },
}

async function shown({ ask, params }: PageRequest): Promise<DestinationView> {
  return jsonOf(await ask('showDestination', { params: { id: params.id ?? '' } }))
}

/** What the viewer may not change is not in the fields: its URL is masked. */
function viewOf(request: PageRequest, destination: DestinationView, filled: FilledForm): PageView {
  const { words, formToken, viewer } = request
  const { destinations } = words
  const { refusal } = filled
  const page = `${LIST}/${destination.id}`
  const title = destinations.editOf(destination.name)
  const right = rightOf(viewer, destination)
  const isForeign =
    right !== 'change' && html`<p>${right === 'foreign' ? destinations.foreign : destinations.readOnly}</p>`
  const isConfigured = destination.origin === 'configuration' && html`<p>${destinations.inConfiguration}</p>`
  return {
    title,
    ...(refusal !== null && { status: refusal.status }),
    body: html`<p><a href="${page}">${destinations.one(destination.name)}</a></p>
<h1>${title}</h1>
${refusal !== null && html`<p class="flash bad" role="alert">${problemHtml(problemOf(refusal, words, PATH), words)}</p>`}
${
  isForeign ||
  isConfigured ||
  buttonForm({
    action: `${page}/edit`,
    text: destinations.save,
    formToken,
    words,
    fields: settingsFields(request, filled, destination),
    reason: 'optional',
    isNarrow: true,
  })
}`,
  }
}

export const CHANGE_DESTINATION: FormAction = {
  path: PATH,
  async submit(request) {
    const { ask, params, form, words } = request
    const current = await ask('showDestination', { params: { id: params.id ?? '' } })
    if (current.status >= 400) return resultOf(current, LIST, '')
    const destination = jsonOf(current)
    const page = `${LIST}/${destination.id}`
    const body = changesIn(form, destination)
    if (Object.keys(body).length === 0)
      return { kind: 'redirect', location: page, message: words.destinations.unchanged(destination.name) }
    const query = { reason: form.get('reason')?.trim() }
    const answer = await ask('changeDestination', { params: { id: destination.id }, query, body })
    if (answer.status >= 400)
      return { kind: 'page', view: viewOf(request, destination, refusedSettings(request, answer)) }
    return resultOf(answer, page, words.destinations.changed(jsonOf(answer).name))
  },
}
