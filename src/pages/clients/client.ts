import type { clientViewSchema } from '../../api/clients/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import { SCOPES, type Scope, type ScopeNames } from '../../domain/scopes.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import type { PageRequest } from '../frame/page.ts'
import { badge } from '../parts/badge.ts'
import type { Option } from '../parts/fields.ts'
import type { Html } from '../parts/html.ts'

export const LIST = '/ui/clients'

export type ClientView = View<typeof clientViewSchema>

export function clientState({ revokedAt }: Pick<ClientView, 'revokedAt'>, { clients }: Catalogue): Html {
  return revokedAt === null ? badge(clients.states.active, 'good') : badge(clients.states.revoked, null)
}

/** Each scope as the API names it, and what it permits. */
export function scopeOptions({ scopeNames, words }: Pick<PageRequest, 'scopeNames' | 'words'>): readonly Option[] {
  return SCOPES.map((scope) => {
    const name = scopeNames.nameOf(scope)
    return [name, `${name}: ${words.clients.scopeTexts[scope]}`] as const
  })
}

export function scopesOf(names: readonly string[], { scopeOf }: ScopeNames): readonly Scope[] {
  return names.map(scopeOf).filter((scope) => scope !== null)
}
