import { type Said, say } from '../../messages/say.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import { type FilledForm, newForm } from '../frame/field-problems.ts'
import type { FormAction, Page, PageRequest, PageView } from '../frame/page.ts'
import { problemHtml, problemOf } from '../frame/problem.ts'
import { buttonForm } from '../parts/button-form.ts'
import { empty } from '../parts/empty.ts'
import { select, textField } from '../parts/fields.ts'
import { html } from '../parts/html.ts'
import { LIST } from './destination.ts'
import { refusedSettings } from './settings.ts'

const KIND_TEXTS: Readonly<Record<(typeof KINDS)[number], Said>> = {
  payment: say`payments`,
  registration: say`registrations`,
}

const REGISTRATIONS_PATH = '/ui/registrations'
const PATH = '/registrations/new'
const KINDS = ['payment', 'registration'] as const

/** For an app that cannot register by itself. */
export const NEW_REGISTRATION: Page = {
  path: PATH,
  scopes: 'operator',
  render: async (request) => viewOf(request, newForm({ kind: 'payment' })),
}

async function viewOf(request: PageRequest, filled: FilledForm): Promise<PageView> {
  const { ask, t, formToken } = request
  const { refusal } = filled
  const { data: clients } = jsonOf(await ask('listClients', { query: { limit: 1000 } }))
  const fields = html`${select('client', t`App`, {
    options: clients.map(({ clientId, name }) => [clientId, name]),
    chosen: filled.value('client'),
    problem: filled.problem('client'),
  })}
${select('kind', t`Registered for`, {
  options: KINDS.map((kind) => [kind, t.of(KIND_TEXTS[kind])]),
  chosen: filled.value('kind'),
  problem: filled.problem('kind'),
})}
${textField('url', 'URL', {
  value: filled.value('url'),
  hint: t`Such as https://books.example/hooks`,
  problem: filled.problem('url'),
  isRequired: true,
  longest: 2048,
})}`
  const button = { action: `/ui${PATH}`, text: t`Register`, formToken, t, fields } as const
  return {
    title: t`Register for an app`,
    ...(refusal !== null && { status: refusal.status }),
    body: html`<p><a href="${REGISTRATIONS_PATH}">${t`Registrations`}</a></p>
<h1>${t`Register for an app`}</h1>
${refusal !== null && html`<p class="flash bad" role="alert">${problemHtml(problemOf(refusal, t, PATH), t)}</p>`}
<p>${t`As if the app had registered the address itself. To remove a registration, delete its destination.`}</p>
${
  clients.length === 0
    ? empty(t`There is no client of an app yet.`, html`<a href="/ui/clients/new">${t`New client`}</a>`)
    : buttonForm({ ...button, reason: 'optional', isNarrow: true })
}`,
  }
}

export const REGISTER_FOR_APP: FormAction = {
  path: PATH,
  async submit(request) {
    const { ask, form, t } = request
    const given = (name: string) => form.get(name)?.trim() ?? ''
    const body = { kind: given('kind'), url: given('url'), client: given('client') }
    const answer = await ask('registerForApp', { query: { reason: given('reason') }, body })
    // Others may not list the clients of the form either.
    if (answer.status === 403) return resultOf(answer, REGISTRATIONS_PATH, '')
    if (answer.status >= 400) return { kind: 'page', view: await viewOf(request, refusedSettings(request, answer)) }
    const { id, name } = jsonOf(answer)
    return resultOf(answer, `${LIST}/${id}`, t`${{ name }} is registered.`)
  },
}
