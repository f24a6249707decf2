import { CLIENT_ENVIRONMENTS } from '../../domain/client.ts'
import { jsonOf } from '../frame/answers.ts'
import { type FilledForm, newForm, refusedForm } from '../frame/field-problems.ts'
import type { FormAction, Page, PageRequest, PageView } from '../frame/page.ts'
import { problemHtml, problemOf } from '../frame/problem.ts'
import { buttonForm } from '../parts/button-form.ts'
import { checkboxes, select, textField } from '../parts/fields.ts'
import { html } from '../parts/html.ts'
import { environmentText } from '../parts/realm.ts'
import { LIST, scopeOptions } from './client.ts'
import { clientSecret } from './secret.ts'

const PATH = '/clients/new'

export const NEW_CLIENT: Page = {
  path: PATH,
  scopes: 'operator',
  render: async (request) => viewOf(request, newForm({ environment: 'production', scopes: ['support.read'] })),
}

function viewOf(request: PageRequest, filled: FilledForm): PageView {
  const { t, formToken } = request
  const { refusal } = filled
  const environments = CLIENT_ENVIRONMENTS.map((one) => [one, environmentText(one, t)] as const)
  const fields = html`${textField('name', t`Name`, {
    value: filled.value('name'),
    hint: t`Up to 63 letters, digits, dots and hyphens.`,
    problem: filled.problem('name'),
    isRequired: true,
    longest: 63,
  })}
${select('environment', t`Environment`, {
  options: environments,
  chosen: filled.value('environment'),
  problem: filled.problem('environment'),
})}
${checkboxes('scopes', t`Scopes`, {
  options: scopeOptions(request),
  chosen: filled.values('scopes'),
  hint: t`Choose only what the person or app needs.`,
  problem: filled.problem('scopes'),
})}`
  return {
    title: t`New client`,
    ...(refusal !== null && { status: refusal.status }),
    body: html`<p><a href="${LIST}">${t`People and apps`}</a></p>
<h1>${t`New client`}</h1>
${refusal !== null && html`<p class="flash bad" role="alert">${problemHtml(problemOf(refusal, t, PATH), t)}</p>`}
<p>${t`The secret is shown once, on the next page. Give the person the id and the secret, to sign in with.`}</p>
${buttonForm({ action: `/ui${PATH}`, text: t`New client`, formToken, t, fields, reason: 'optional', isNarrow: true })}`,
  }
}

export const CREATE_CLIENT: FormAction = {
  path: PATH,
  async submit(request) {
    const { ask, form, t } = request
    const body = {
      name: form.get('name')?.trim() ?? '',
      environment: form.get('environment') ?? '',
      scopes: form.getAll('scopes'),
    }
    const answer = await ask('createClient', { query: { reason: form.get('reason')?.trim() }, body })
    if (answer.status >= 400) return { kind: 'page', view: viewOf(request, refusedForm(form, answer, t)) }
    const issued = jsonOf(answer)
    return {
      kind: 'page',
      view: clientSecret(
        request,
        issued,
        t`${{ name: issued.name }} is created. Its secret is shown only now. Copy it before you leave this page.`,
      ),
    }
  },
}
