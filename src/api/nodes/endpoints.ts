import { configurationOf, differencesOf } from '../../domain/nodes/differences.ts'
import { JOBS, type NodeRecord } from '../../domain/nodes/node.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { iso } from '../../platform/time.ts'
import { endpoint } from '../http/endpoint.ts'
import type { View } from '../http/schema-parts.ts'
import { nodeListSchema, type nodeSchema } from './schema.ts'

export type NodeView = View<typeof nodeSchema>

export function nodeEndpoints(store: Pick<StoreReader, 'listNodes'>) {
  return { listNodes: listNodes(store) }
}

function listNodes(store: Pick<StoreReader, 'listNodes'>) {
  return endpoint({
    method: 'get',
    path: '/v1/nodes',
    access: ['operations.read'],
    tag: 'Operations',
    errors: 'problem',
    summary: 'List the nodes',
    description: 'The gateways that share the PostgreSQL database, by name. With SQLite the list is empty.',
    answers: { 200: { description: 'All of them.', schema: nodeListSchema } },
    async run() {
      return { json: { data: nodeViews(await store.listNodes()) } }
    },
  })
}

export function nodeViews(nodes: readonly NodeRecord[]): NodeView[] {
  const differences = differencesOf(nodes)
  return nodes.map(({ name, version, facts, startedAt, seenAt, isLiving, leases }, at) => ({
    name,
    version,
    startedAt: iso(startedAt),
    seenAt: iso(seenAt),
    living: isLiving,
    jobs: leases.includes(JOBS),
    destinations: leases.filter((id) => id !== JOBS).map((id) => numberedId('dst', id)),
    differs: differences[at] ?? [],
    configuration: configurationOf({ facts }),
  }))
}
