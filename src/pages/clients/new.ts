import { CLIENT_ENVIRONMENTS } from '../../domain/client.ts'
import { jsonOf } from '../frame/answers.ts'
import { type FilledForm, newForm, refusedForm } from '../frame/field-problems.ts'
import type { FormAction, Page, PageRequest, PageView } from '../frame/page.ts'
import { problemHtml, problemOf } from '../frame/problem.ts'
import { buttonForm } from '../parts/button-form.ts'
import { checkboxes, select, textField } from '../parts/fields.ts'
import { html } from '../parts/html.ts'
import { LIST, scopeOptions } from './client.ts'
import { clientSecret } from './secret.ts'

const PATH = '/clients/new'

export const NEW_CLIENT: Page = {
  path: PATH,
  scopes: 'operator',
  render: async (request) => viewOf(request, newForm({ environment: 'production', scopes: ['support.read'] })),
}

function viewOf(request: PageRequest, filled: FilledForm): PageView {
  const { words, formToken } = request
  const { clients, frame } = words
  const { refusal } = filled
  const environments = CLIENT_ENVIRONMENTS.map((one) => [one, frame.environments[one]] as const)
  const fields = html`${textField('name', clients.name, {
    value: filled.value('name'),
    hint: clients.nameHint,
    problem: filled.problem('name'),
    isRequired: true,
    longest: 63,
  })}
${select('environment', clients.environment, {
  options: environments,
  chosen: filled.value('environment'),
  problem: filled.problem('environment'),
})}
${checkboxes('scopes', clients.scopes, {
  options: scopeOptions(request),
  chosen: filled.values('scopes'),
  hint: clients.scopesHint,
  problem: filled.problem('scopes'),
})}`
  return {
    title: clients.create,
    ...(refusal !== null && { status: refusal.status }),
    body: html`<p><a href="${LIST}">${clients.title}</a></p>
<h1>${clients.create}</h1>
${refusal !== null && html`<p class="flash bad" role="alert">${problemHtml(problemOf(refusal, words, PATH), words)}</p>`}
<p>${clients.createHint}</p>
${buttonForm({ action: `/ui${PATH}`, text: clients.create, formToken, words, fields, reason: 'optional', isNarrow: true })}`,
  }
}

export const CREATE_CLIENT: FormAction = {
  path: PATH,
  async submit(request) {
    const { ask, form, words } = request
    const body = {
      name: form.get('name')?.trim() ?? '',
      environment: form.get('environment') ?? '',
      scopes: form.getAll('scopes'),
    }
    const answer = await ask('createClient', { query: { reason: form.get('reason')?.trim() }, body })
    if (answer.status >= 400) return { kind: 'page', view: viewOf(request, refusedForm(form, answer, words)) }
    const issued = jsonOf(answer)
    return { kind: 'page', view: clientSecret(request, issued, words.clients.created(issued.name)) }
  },
}
