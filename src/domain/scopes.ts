/**
 * What a client may do. Those of the service's contract stand here without the segment that an installation may call otherwise (`svc`, Document 1):
 * `scopeNames` knows how they are written.
 */
export const SCOPES = [
  'registration.webhook.write',
  'registration.webhook.read',
  'payment.webhook.write',
  'payment.webhook.read',
  'charges.metadata.write',
  'events.read',
  'events.replay',
  'support.read',
  'support.unmask',
  'support.replay',
  'destinations.read',
  'destinations.write',
  'operations.read',
  'operations.write',
] as const
export type Scope = (typeof SCOPES)[number]

const WITH_SEGMENT: readonly Scope[] = ['registration.webhook.write', 'registration.webhook.read']

/** How scopes are written outside. */
export interface ScopeNames {
  readonly all: readonly string[]
  nameOf(scope: Scope): string
  /** null: there is no such scope. */
  scopeOf(name: string): Scope | null
}

export function scopeNames(segment: string): ScopeNames {
  const nameOf = (scope: Scope) => (WITH_SEGMENT.includes(scope) ? `${segment}.${scope}` : scope)
  const byName = new Map(SCOPES.map((scope) => [nameOf(scope), scope]))
  return { all: [...byName.keys()], nameOf, scopeOf: (name) => byName.get(name) ?? null }
}
