import { jsonOf } from '../frame/answers.ts'
import type { FilledForm } from '../frame/field-problems.ts'
import type { FormAction, Page, PageRequest, PageView } from '../frame/page.ts'
import { problemHtml, problemOf } from '../frame/problem.ts'
import { buttonForm } from '../parts/button-form.ts'
import { html } from '../parts/html.ts'
import { secretView } from '../parts/secret-view.ts'
import { LIST } from './destination.ts'
import { NO_SETTINGS, newSettingsIn, refusedSettings, secretIn, settingsFields, unsentSettings } from './settings.ts'

const PATH = '/destinations/new'

export const NEW_DESTINATION: Page = {
  path: PATH,
  scopes: ['destinations.write'],
  render: async (request) => viewOf(request, unsentSettings(NO_SETTINGS)),
}

function viewOf(request: PageRequest, filled: FilledForm): PageView {
  const { words, formToken } = request
  const { destinations } = words
  const { refusal } = filled
  const fields = settingsFields(request, filled, null)
  return {
    title: destinations.create,
    ...(refusal !== null && { status: refusal.status }),
    body: html`<p><a href="${LIST}">${destinations.title}</a></p>
<h1>${destinations.create}</h1>
${refusal !== null && html`<p class="flash bad" role="alert">${problemHtml(problemOf(refusal, words, PATH), words)}</p>`}
<p>${destinations.form.createHint}</p>
${buttonForm({ action: `/ui${PATH}`, text: destinations.form.create, formToken, words, fields, reason: 'optional', isNarrow: true })}`,
  }
}

export const CREATE_DESTINATION: FormAction = {
  path: PATH,
  async submit(request) {
    const { ask, form, words } = request
    const answer = await ask('createDestination', {
      query: { reason: form.get('reason')?.trim() },
      body: { ...newSettingsIn(form), ...secretIn(form) },
    })
    if (answer.status >= 400) return { kind: 'page', view: viewOf(request, refusedSettings(request, answer)) }
    const { id, name, secret } = jsonOf(answer)
    const { destinations } = words
    const view = secretView(destinations.created, {
      text: destinations.createdText(name),
      values: [{ id: 'secret', label: destinations.newSecret, value: secret }],
      back: [`${LIST}/${id}`, destinations.toDestination],
    })
    return { kind: 'page', view }
  },
}
