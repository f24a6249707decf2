import type { clientViewSchema } from '../../api/clients/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import { SCOPES, type Scope, type ScopeNames } from '../../domain/scopes.ts'
import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import type { PageRequest } from '../frame/page.ts'
import { badge } from '../parts/badge.ts'
import type { Option } from '../parts/fields.ts'
import type { Html } from '../parts/html.ts'

const SCOPE_TEXTS: Readonly<Record<Scope, Said>> = {
  'registration.webhook.write': say`register addresses for registrations, as at the service`,
  'registration.webhook.read': say`read these registered addresses`,
  'payment.webhook.write': say`register addresses for payments, as at the service`,
  'payment.webhook.read': say`read these registered addresses`,
  'charges.metadata.write': say`set the notification address of a charge`,
  'events.read': say`read events with their personal data`,
  'events.replay': say`send events again to own destinations`,
  'support.read': say`find events and their deliveries, with personal data masked`,
  'support.unmask': say`see personal data, with a reason that is recorded`,
  'support.replay': say`send an event again to destinations that had it`,
  'destinations.read': say`read own destinations`,
  'destinations.write': say`create and change own destinations`,
  'expected.write': say`say which callbacks are expected`,
  'operations.read': say`read everything about the operation, in both environments`,
  'operations.write': say`change everything about the operation, in both environments`,
}

export const LIST = '/ui/clients'

export type ClientView = View<typeof clientViewSchema>

export function clientState({ revokedAt }: Pick<ClientView, 'revokedAt'>, t: Speaker): Html {
  return revokedAt === null ? badge(t`active`, 'good') : badge(t`revoked`, null)
}

/** Each scope as the API names it, and what it permits. */
export function scopeOptions({ scopeNames, t }: Pick<PageRequest, 'scopeNames' | 't'>): readonly Option[] {
  return SCOPES.map((scope) => {
    const name = scopeNames.nameOf(scope)
    return [name, `${name}: ${t.of(SCOPE_TEXTS[scope])}`] as const
  })
}

export function scopesOf(names: readonly string[], { scopeOf }: ScopeNames): readonly Scope[] {
  return names.map(scopeOf).filter((scope) => scope !== null)
}
