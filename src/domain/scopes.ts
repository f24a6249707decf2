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
  'expected.write',
  'operations.read',
  'operations.write',
] as const
export type Scope = (typeof SCOPES)[number]

/** Those that open something on the pages: the others are for apps, which call the service's own API. */
export const PAGE_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !/^(registration|payment|charges)\./.test(scope))

/** Whether these scopes open both environments, whatever that of their holder is. */
export function opensBothEnvironments(scopes: readonly Scope[]): boolean {
  return scopes.includes('operations.read') || scopes.includes('operations.write')
}

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

const READERS: readonly Scope[] = ['events.read', 'support.read']

/** Scopes that are of little use alone: who has them sees nothing of what they change. One of the others shows it. */
const SHOWN_BY: readonly (readonly [scope: Scope, shownBy: readonly Scope[]])[] = [
  ['operations.write', ['operations.read']],
  ['destinations.write', ['destinations.read', 'operations.read']],
  ['events.replay', READERS],
  ['support.replay', READERS],
  ['support.unmask', READERS],
]

/** Scopes whose holder sees nothing of what they change, and those of which one is missing beside them. */
export function missingBeside(
  scopes: readonly Scope[],
): readonly (readonly [scope: Scope, shownBy: readonly Scope[]])[] {
  return SHOWN_BY.filter(([scope, shownBy]) => scopes.includes(scope) && !shownBy.some((one) => scopes.includes(one)))
}

/** In words, what is missing beside these scopes. They are valid nevertheless. */
export function warningsAbout(scopes: readonly Scope[]): string[] {
  return missingBeside(scopes).map(
    ([scope, shownBy]) =>
      `the client has ${scope} without ${shownBy.join(' or ')}: it can change or open what it cannot list; create another one with both, and revoke this one`,
  )
}
