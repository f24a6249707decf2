import { configurationOf, differencesOf } from '../../domain/nodes/differences.ts'
import { JOBS, type NodeRecord } from '../../domain/nodes/node.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { iso } from '../../platform/time.ts'
import type { Handlers } from '../http/contract.ts'
import type { View } from '../http/schema-parts.ts'
import { served } from '../http/served.ts'
import { NODE_READS } from './contract.ts'
import type { nodeSchema } from './schema.ts'

export type NodeView = View<typeof nodeSchema>

const READS: Handlers<typeof NODE_READS, Pick<StoreReader, 'listNodes'>> = {
  async listNodes(_call, store) {
    return { json: { data: nodeViews(await store.listNodes()) } }
  },
}

export function nodeEndpoints(store: Pick<StoreReader, 'listNodes'>) {
  return served(NODE_READS, READS, store)
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
