import type { consumerSchema } from '../../api/consumers/contract.ts'
import type { View } from '../../api/http/schema-parts.ts'
import type { PageRequest, Viewer } from '../frame/page.ts'

export type ConsumerView = View<typeof consumerSchema>

const OPERATOR = 'operator'

/** Of its page. Names are unique for each owner. */
export function consumerPath({ owner, name }: Pick<ConsumerView, 'owner' | 'name'>): string {
  return `/ui/consumers/${encodeURIComponent(owner ?? OPERATOR)}/${encodeURIComponent(name)}`
}

/** Value of the API's parameter `owner`; null: the viewer's own, which needs none. */
export function ownerParameter(owner: string | undefined, viewer: Viewer): string | null {
  return owner === undefined || owner === viewer.id ? null : owner
}

/** Whether the viewer may change it, as the API decides it. */
export function mayChange({ owner }: Pick<ConsumerView, 'owner'>, viewer: Viewer): boolean {
  return (owner ?? OPERATOR) === viewer.id || viewer.can('operations.write')
}

export function ownerText(owner: string | null, { t, viewer }: Pick<PageRequest, 't' | 'viewer'>): string {
  if (owner === null) return t`the operator`
  return owner === viewer.id ? (viewer.name ?? owner) : owner
}
