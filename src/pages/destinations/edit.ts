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
  const { t, formToken, viewer } = request
  const { refusal } = filled
  const page = `${LIST}/${destination.id}`
  const title = t`Change ${{ name: destination.name }}`
  const right = rightOf(viewer, destination)
  const isForeign =
    right !== 'change' &&
    html`<p>${right === 'foreign' ? t`It belongs to another client. To change it, you need the scope operations.write.` : t`You may look, but not change: that needs the scope destinations.write.`}</p>`
  const isConfigured =
    destination.origin === 'configuration' &&
    html`<p>${t`Its settings and its secret are in the configuration file. Change them there.`}</p>`
  return {
    title,
    ...(refusal !== null && { status: refusal.status }),
    body: html`<p><a href="${page}">${t`Destination ${{ name: destination.name }}`}</a></p>
<h1>${title}</h1>
${refusal !== null && html`<p class="flash bad" role="alert">${problemHtml(problemOf(refusal, t, PATH), t)}</p>`}
${
  isForeign ||
  isConfigured ||
  buttonForm({
    action: `${page}/edit`,
    text: t`Save`,
    formToken,
    t,
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
    const { ask, params, form, t } = request
    const current = await ask('showDestination', { params: { id: params.id ?? '' } })
    if (current.status >= 400) return resultOf(current, LIST, '')
    const destination = jsonOf(current)
    const page = `${LIST}/${destination.id}`
    const body = changesIn(form, destination)
    if (Object.keys(body).length === 0)
      return {
        kind: 'redirect',
        location: page,
        message: t`Nothing was changed: ${{ name: destination.name }} has these settings.`,
      }
    const query = { reason: form.get('reason')?.trim() }
    const answer = await ask('changeDestination', { params: { id: destination.id }, query, body })
    if (answer.status >= 400)
      return { kind: 'page', view: viewOf(request, destination, refusedSettings(request, answer)) }
    return resultOf(answer, page, t`${{ name: jsonOf(answer).name }} is changed.`)
  },
}
