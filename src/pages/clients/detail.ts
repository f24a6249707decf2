import { missingBeside } from '../../domain/scopes.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { confirmed } from '../parts/confirm.ts'
import { facts } from '../parts/facts.ts'
import { textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { environmentText } from '../parts/realm.ts'
import { timeOf } from '../parts/time.ts'
import { type ClientView, clientState, LIST, scopesOf } from './client.ts'

export const CLIENT_DETAIL: Page = {
  path: '/clients/:id',
  scopes: 'operator',
  async render(request) {
    const { ask, params, t } = request
    const client = jsonOf(await ask('showClient', { params: { id: params.id ?? '' } }))
    const title = t`Client ${{ name: client.name }}`
    return {
      title,
      body: html`<p><a href="${LIST}">${t`People and apps`}</a></p>
<h1>${title}</h1>
${factsOf(client, request)}
${warningsOf(client.scopes, request)}
${client.revokedAt === null && formsOf(client, request)}`,
    }
  },
}

function factsOf(client: ClientView, { t }: PageRequest): Html {
  const { scopes, createdAt, rotatedAt, revokedAt, previousSecretUntil: until } = client
  return facts([
    [t`State`, clientState(client, t)],
    [t`Client id`, html`<span class="id">${client.clientId}</span>`],
    [t`Environment`, environmentText(client.environment, t)],
    [t`Scopes`, scopes.join(', ')],
    [t.in('client')`Created`, timeOf(createdAt)],
    [t`Secret rotated`, rotatedAt && timeOf(rotatedAt)],
    [
      t`The previous secret is valid until`,
      revokedAt === null && until && Date.parse(until) > Date.now() && timeOf(until),
    ],
    [t`Revoked`, revokedAt && timeOf(revokedAt)],
  ])
}

/** What the scopes of a client lack. */
export function warningsOf(names: readonly string[], { scopeNames, t }: PageRequest): Html | null {
  const missing = missingBeside(scopesOf(names, scopeNames))
  if (missing.length === 0) return null
  return html`<ul>${missing.map(
    ([scope, shownBy]) =>
      html`<li>${t`${{ scope: scopeNames.nameOf(scope) }} without ${{ shownBy: shownBy.join(', ') }}: the client can change what it cannot list. Create another client with both, and revoke this one.`}</li>`,
  )}</ul>`
}

/** The scopes of a client never change: tokens and sessions have them. */
function formsOf({ clientId }: ClientView, { t, formToken }: PageRequest): Html {
  const common = { formToken, t, reason: 'optional', isDangerous: true } as const
  const fields = textField('grace', t`Grace period, such as 24h; 0s: none`, { value: '24h', isRequired: true })
  const action = (verb: string) => `${LIST}/${clientId}/${verb}`
  return html`<h2>${t`Actions`}</h2>
<p class="hint">${t`Name, environment and scopes cannot be changed. For others, create a new client and revoke this one.`}</p>
${confirmed({ ...common, action: action('rotate'), text: t`Rotate the secret`, fields }, t`The previous secret stays valid for the grace period. The sessions of the person end now.`)}
${confirmed({ ...common, action: action('revoke'), text: t`Revoke` }, t`Permanent. Secrets, tokens and sessions of the client end at once. Its destinations stay.`)}`
}
