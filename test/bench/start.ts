import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Benchmark, figure, type Promised, reported } from './benchmark.ts'
import { load, type Manner, ROOT, residentMiB, startProduct } from './processes.ts'
import { ABSENT, createBenchSite } from './site.ts'
import { LOAD, siteOf } from './variants.ts'

const run = promisify(execFile)

/** As before the first start: nothing is compiled, and each thread loads the type stripper. */
const COLD: Manner = { environment: { NODE_DISABLE_COMPILE_CACHE: '1' } }

export const start: Benchmark = {
  name: 'start',
  what: 'seconds until the listeners accept, without and with a compile cache, and of portaria --help',
  promises: [seconds('cold'), seconds('warm'), seconds('help')],
  async run(rounds, tell) {
    // They fill the compile cache.
    await startSeconds({})
    await helpSeconds()
    for (let round = 0; round < rounds; round++)
      tell({ cold: await startSeconds(COLD), warm: await startSeconds({}), help: await helpSeconds() })
  },
}

function seconds(name: string): Promised {
  return reported(name, (round) => figure(round, name), 's')
}

async function startSeconds(manner: Manner): Promise<number> {
  const site = await createBenchSite(ABSENT)
  const startedAt = performance.now()
  const served = await startProduct(site.configFile, site.logFile, manner)
  const duration = secondsSince(startedAt)
  await served.stop()
  site.remove()
  return duration
}

async function helpSeconds(): Promise<number> {
  const startedAt = performance.now()
  await run(join(ROOT, 'bin/portaria'), ['--help'])
  return secondsSince(startedAt)
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000
}

/** The most resident memory under load, in MiB. */
export async function peakMemory(connections: number, root?: string): Promise<number> {
  const site = await siteOf('product')
  const served = await startProduct(site.configFile, site.logFile, { root })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMiB(served.pid))
  }, 100)
  await load({ ...LOAD, connections, port: served.port, certs: site.certs })
  clearInterval(watch)
  await served.stop()
  site.remove()
  return peak
}
