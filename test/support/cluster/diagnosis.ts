import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'

const { PORTARIA_CLUSTER_LOGS } = process.env

/** A failure says who holds what, and what waits. */
export function orDiagnose<T>(cluster: Cluster, step: string, promise: Promise<T>): Promise<T> {
  return promise.catch(async (cause: unknown) => {
    throw new Error(`${step}: ${await diagnose(cluster)}`, { cause })
  })
}

async function diagnose({ postgres, nodes }: Cluster): Promise<string> {
  if (PORTARIA_CLUSTER_LOGS !== undefined)
    for (const { name, gateway } of nodes) {
      const lines = gateway.lines.map((line) => JSON.stringify(line))
      writeFileSync(join(PORTARIA_CLUSTER_LOGS, `${name}.log`), `${lines.join('\n')}\n`)
    }
  const rows = await Promise.all([
    postgres.query('select id, name, statement_timestamp() - seen_at as silent from nodes'),
    postgres.query('select l.*, l.until - statement_timestamp() as left from leases l order by destination_id'),
    postgres.query(
      `select destination_id, state, claimed_by, count(*), min(next_attempt_at) as due, min(event_id) as first
      from deliveries where state <> 'delivered' group by 1, 2, 3 order by 1`,
    ),
  ]).catch((error: unknown) => [String(error)])
  return JSON.stringify(rows)
}
