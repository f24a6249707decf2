import { until } from '../until.ts'
import { type Balancer, startBalancer, usedNodes } from './balancer.ts'
import { askApi, type ClusterNode, prepareNode } from './nodes.ts'
import { type PostgresPair, startPostgresPair } from './postgres-pair.ts'
import type { ClusterReceiver } from './receivers.ts'

export interface Cluster {
  readonly postgres: PostgresPair
  readonly nodes: readonly ClusterNode[]
  readonly balancer: Balancer
  /** Until the balancer sends callbacks to those nodes that run, and to no other. */
  balanced(): Promise<void>
  /** Every node reaches the present primary. */
  followPrimary(): void
}

/** So many gateways behind haproxy on one PostgreSQL, all of them started. @param clocks of the nodes, one for each */
export async function startCluster(clocks: readonly (string | null)[]): Promise<Cluster> {
  const postgres = await startPostgresPair()
  const nodes = await Promise.all(
    clocks.map((clock, index) => prepareNode({ name: `node-${index + 1}`, postgresPort: postgres.port, clock })),
  )
  const [{ site }] = nodes as [ClusterNode]
  const balancer = await startBalancer(
    nodes.map(({ ports }) => ports),
    site.certs,
  )
  // All at once: one of them makes the schema.
  await Promise.all(nodes.map((node) => node.start()))
  const cluster: Cluster = {
    postgres,
    nodes,
    balancer,
    async balanced() {
      const running = JSON.stringify(nodes.map(({ isRunning }) => isRunning))
      await until(
        () => usedNodes(balancer),
        (used) => JSON.stringify(used) === running,
      )
    },
    followPrimary() {
      for (const { link } of nodes) link.setTarget(postgres.port)
    },
  }
  await cluster.balanced()
  return cluster
}

/** No delivery may run out of steps here. */
const SCHEDULE = [0, ...Array<number>(60).fill(100)]

export async function createDestinations({ nodes }: Cluster, receivers: readonly ClusterReceiver[]): Promise<void> {
  const [{ ports, site }] = nodes as readonly [ClusterNode]
  for (const { name, url, order } of receivers) {
    const body = { name, url, order, scheduleMs: SCHEDULE, concurrency: 16 }
    const { status, body: text } = await askApi({ port: ports.api, site }, '/v1/destinations', { body })
    if (status !== 201) throw new Error(`the destination ${name} was refused: ${text}`)
  }
}
