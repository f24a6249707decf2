import { join } from 'node:path'
import { createApiClient } from './api-client.ts'
import { type Benchmark, figure, type Promised } from './benchmark.ts'
import { fillStore } from './fill-store.ts'
import { startProduct } from './processes.ts'
import { ABSENT, createBenchSite } from './site.ts'

const LIMIT = 1000

const quickly: Promised = {
  what: 'events a second, acknowledged',
  limit: 'at least 20000/s',
  value: (round) => figure(round, 'perSecond'),
  holds: (median) => median >= 20_000,
}

/** A consumer takes and acknowledges everything that there is, batch by batch. */
export function consumer(count: number): Benchmark {
  return {
    name: 'consumer',
    what: `a consumer drains ${count} events over HTTP, ${LIMIT} at a time`,
    promises: [quickly],
    async run(rounds, tell) {
      const site = await createBenchSite(ABSENT)
      await fillStore(join(site.folder, 'data/portaria.db'), count)
      const served = await startProduct(site.configFile, site.logFile)
      for (let round = 0; round < rounds; round++) {
        const startedAt = performance.now()
        const drained = await drain(served.apiPort, `round-${round}`)
        if (drained !== count) throw new Error(`drained ${drained} of ${count}`)
        tell({ perSecond: Math.round(count / ((performance.now() - startedAt) / 1000)) })
      }
      await served.stop()
      site.remove()
    },
  }
}

async function drain(port: number, name: string): Promise<number> {
  const client = createApiClient(port)
  let count = 0
  for (;;) {
    const { batch, data } = await client.post<{ batch: string | null; data: unknown[] }>(
      `/v1/consumers/${name}/batches`,
      {
        limit: LIMIT,
      },
    )
    if (batch === null) break
    count += data.length
    await client.post(`/v1/consumers/${name}/ack`, { batch })
  }
  client.close()
  return count
}
