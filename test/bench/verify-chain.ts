import { join } from 'node:path'
import { runDatabaseJob } from '../../src/cli/database-job.ts'
import { atMost, type Benchmark, figure } from './benchmark.ts'
import { filledSite } from './filled-site.ts'

const PROMISED = 5_000_000

/** The audit chain of a store with so many events, verified as `storage verify --chain` does: in a process of its own. */
export function verifyChain(stored: number): Benchmark {
  return {
    name: 'verify-chain',
    what: `events/s of storage verify --chain with ${stored} stored events, and seconds for ${PROMISED} at this rate`,
    promises: [atMost(80, `verify the audit chain of ${PROMISED} events`, (r) => figure(r, 'seconds'), 's')],
    async run(rounds, tell) {
      const { folder } = await filledSite(stored)
      const file = join(folder, 'data/portaria.db')
      for (let round = 0; round < rounds; round++) {
        const startedAt = performance.now()
        const { events, problems } = await runDatabaseJob('verifyChain', { file, expected: [] }, { interrupted: '' })
        const tookS = (performance.now() - startedAt) / 1000
        if (problems.length > 0 || events < stored) throw new Error(`${events} events: ${problems.join('; ')}`)
        tell({ perSecond: Math.round(events / tookS), seconds: Math.round((PROMISED / events) * tookS * 10) / 10 })
      }
    },
  }
}
