import type { Page, Viewer } from './page.ts'

export function mayOpen(viewer: Viewer, { scopes }: Pick<Page, 'scopes'>): boolean {
  if (scopes === 'operator') return isOperator(viewer)
  return scopes === null || scopes.some((scope) => viewer.can(scope))
}

export function isOperator({ name }: Viewer): boolean {
  return name === null
}

/** As the API decides: clients with a scope for operations see both environments, whatever theirs is. */
export function seesBothEnvironments(viewer: Viewer): boolean {
  return viewer.environment === 'any' || hasOperations(viewer)
}

/** Otherwise only deliveries to destinations of their own. */
export function seesEveryDelivery(viewer: Viewer): boolean {
  return viewer.can('support.read') || viewer.can('support.replay') || hasOperations(viewer)
}

/** Otherwise only those of their own. */
export function seesEveryConsumer(viewer: Viewer): boolean {
  return hasOperations(viewer)
}

function hasOperations(viewer: Viewer): boolean {
  return viewer.can('operations.read') || viewer.can('operations.write')
}

/** How the viewer sends many events again: by a replay; one after the other, to destinations that had them; null: not at all. */
export function sendsManyBy(viewer: Viewer): 'replay' | 'events' | null {
  if (viewer.can('events.replay') && (viewer.can('operations.write') || !viewer.can('support.replay'))) return 'replay'
  return viewer.can('support.replay') ? 'events' : null
}
