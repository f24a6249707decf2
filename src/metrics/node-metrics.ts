import type { Unheard } from '../domain/nodes/foreign-changes.ts'
import type { Exposition } from './exposition.ts'

export interface NodeSources {
  /** `node.name` of the configuration. */
  readonly node: string
  readonly version: string
  /** Left out: this process alone uses the database. */
  readonly nodes?: (() => { readonly leases: number; readonly living: number }) | undefined
  /** null: what other nodes commit is heard. */
  readonly unheard: () => Unheard | null
  readonly now: () => number
}

/** Which of several gateways this is, and what it does for all of them. */
export function exposeNode(exposition: Exposition, { node, version, nodes, unheard, now }: NodeSources): void {
  exposition.gauge(
    {
      name: 'portaria_node_info',
      help: 'Always 1. The labels name this gateway among several (node.name) and its version.',
    },
    ['node', 'version'],
    (emit) => emit({ node, version }, 1),
  )
  if (nodes === undefined) return
  const gauge = (name: string, help: string, read: () => number) =>
    exposition.gauge({ name: `portaria_${name}`, help }, [], (emit) => emit({}, read()))
  gauge('nodes_living', 'Nodes that have shown life in the last 15 s, as this one knows.', () => nodes().living)
  gauge('node_leases', 'Leases of this node: destinations to which it sends, and the jobs.', () => nodes().leases)
  gauge(
    'nodes_unheard_seconds',
    'Since when changes of other nodes are not heard, but looked for; 0: they are heard.',
    () => {
      const since = unheard()?.since
      return since === undefined ? 0 : Math.max(0, now() - since) / 1000
    },
  )
}
