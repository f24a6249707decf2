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
  const { t, formToken } = request
  const { refusal } = filled
  const fields = settingsFields(request, filled, null)
  return {
    title: t`New destination`,
    ...(refusal !== null && { status: refusal.status }),
    body: html`<p><a href="${LIST}">${t`Destinations`}</a></p>
<h1>${t`New destination`}</h1>
${refusal !== null && html`<p class="flash bad" role="alert">${problemHtml(problemOf(refusal, t, PATH), t)}</p>`}
<p>${t`Only the URL is required. The secret is shown once, on the next page.`}</p>
${buttonForm({ action: `/ui${PATH}`, text: t`Create`, formToken, t, fields, reason: 'optional', isNarrow: true })}`,
  }
}

export const CREATE_DESTINATION: FormAction = {
  path: PATH,
  async submit(request) {
    const { ask, form, t } = request
    const answer = await ask('createDestination', {
      query: { reason: form.get('reason')?.trim() },
      body: { ...newSettingsIn(form), ...secretIn(form) },
    })
    if (answer.status >= 400) return { kind: 'page', view: viewOf(request, refusedSettings(request, answer)) }
    const { id, name, secret } = jsonOf(answer)
    const view = secretView(t`Destination created`, {
      text: t`${{ name }} receives events that are stored from now on. Its secret verifies the signatures. It is shown only now. Copy it before you leave this page.`,
      values: [{ id: 'secret', label: t`New secret`, value: secret }],
      back: [`${LIST}/${id}`, t`Back to the destination`],
    })
    return { kind: 'page', view }
  },
}
