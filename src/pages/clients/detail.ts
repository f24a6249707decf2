import { missingBeside } from '../../domain/scopes.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { confirmed } from '../parts/confirm.ts'
import { facts } from '../parts/facts.ts'
import { textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { timeOf } from '../parts/time.ts'
import { type ClientView, clientState, LIST, scopesOf } from './client.ts'

export const CLIENT_DETAIL: Page = {
  path: '/clients/:id',
  scopes: 'operator',
  async render(request) {
    const { ask, params, words } = request
    const { clients } = words
    const client = jsonOf(await ask('showClient', { params: { id: params.id ?? '' } }))
    const title = clients.one(client.name)
    return {
      title,
      body: html`<p><a href="${LIST}">${clients.title}</a></p>
<h1>${title}</h1>
${factsOf(client, request)}
${warningsOf(client.scopes, request)}
${client.revokedAt === null && formsOf(client, request)}`,
    }
  },
}

function factsOf(client: ClientView, { words }: PageRequest): Html {
  const { clients, frame } = words
  const { scopes, createdAt, rotatedAt, revokedAt, previousSecretUntil: until } = client
  return facts([
    [clients.state, clientState(client, words)],
    [clients.id, html`<span class="id">${client.clientId}</span>`],
    [clients.environment, frame.environments[client.environment]],
    [clients.scopes, scopes.join(', ')],
    [clients.createdAt, timeOf(createdAt)],
    [clients.rotatedAt, rotatedAt && timeOf(rotatedAt)],
    [clients.previousUntil, revokedAt === null && until && Date.parse(until) > Date.now() && timeOf(until)],
    [clients.revokedAt, revokedAt && timeOf(revokedAt)],
  ])
}

/** What the scopes of a client lack. */
export function warningsOf(names: readonly string[], { scopeNames, words }: PageRequest): Html | null {
  const missing = missingBeside(scopesOf(names, scopeNames))
  if (missing.length === 0) return null
  return html`<ul>${missing.map(
    ([scope, shownBy]) => html`<li>${words.clients.lacks(scopeNames.nameOf(scope), shownBy.join(', '))}</li>`,
  )}</ul>`
}

/** The scopes of a client never change: tokens and sessions have them. */
function formsOf({ clientId }: ClientView, { words, formToken }: PageRequest): Html {
  const { clients } = words
  const common = { formToken, words, reason: 'optional', isDangerous: true } as const
  const fields = textField('grace', clients.grace, { value: '24h', isRequired: true })
  const action = (verb: string) => `${LIST}/${clientId}/${verb}`
  return html`<h2>${clients.actions}</h2>
<p class="hint">${clients.fixed}</p>
${confirmed({ ...common, action: action('rotate'), text: clients.rotate, fields }, clients.rotateHint)}
${confirmed({ ...common, action: action('revoke'), text: clients.revoke }, clients.revokeHint)}`
}
