import { setTimeout as wait } from 'node:timers/promises'
import type { Figures } from '../benchmark.ts'
import { received } from '../deliveries.ts'
import { startServer } from '../processes.ts'
import { cpuOf, killTree, memoryOf } from './process-tree.ts'
import { withSite } from './receiving.ts'
import type { Forwarder } from './variants.ts'

/** Of jobs that wait, each sent with one request. @param seconds that are measured, unless the jobs end before */
export async function measureForwarder(forwarder: Forwarder, seconds: number, jobs: number): Promise<Figures> {
  const receiver = await startServer('receiver.ts', [])
  try {
    return await withSite(async (site) => {
      const { pids } = await forwarder.start(site, receiver, jobs)
      try {
        await wait(seconds * 1500)
        const [first, before, from] = [await received(receiver.port), cpuOf(pids), performance.now()]
        let last = first
        while (performance.now() - from < seconds * 1000 && last < jobs) {
          await wait(50)
          last = await received(receiver.port)
        }
        const [cpuUs, elapsed] = [cpuOf(pids) - before, (performance.now() - from) / 1000]
        if (last === first) throw new Error(`${forwarder.name}: ${first} of ${jobs} jobs sent before the measurement`)
        return { perSecond: (last - first) / elapsed, cpuUs: cpuUs / (last - first), memoryMiB: memoryOf(pids) }
      } finally {
        await killTree(pids)
      }
    })
  } finally {
    await receiver.stop()
  }
}
