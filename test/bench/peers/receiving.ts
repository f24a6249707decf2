import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Figures } from '../benchmark.ts'
import type { LoadOptions } from '../load-generator.ts'
import { load, type Manner } from '../processes.ts'
import { ABSENT, type BenchSite, createBenchSite } from '../site.ts'
import { LOAD, ONE_CORE, OTHER_CORES } from '../variants.ts'
import { missingPackages } from './debian.ts'
import { cpuOf, killChildren, killTree, memoryOf } from './process-tree.ts'
import type { Receiver, Running } from './variants.ts'

const CONNECTIONS = 64
const QUIET_MS = 500
const hasStrace = !missingPackages().includes('strace')
const SYNCS = ['fsync', 'fdatasync', 'sync_file_range']

/** Each part in fresh processes, with a store of its own. @param seconds that a load is measured */
export async function measureReceiver(receiver: Receiver, seconds: number): Promise<Figures> {
  const times = { warmUpMs: seconds * 1500, measureMs: seconds * 1000 }
  return {
    ...(await withSite((site) => allCores(receiver, site, times))),
    ...(await withSite((site) => oneCore(receiver, site, times))),
    ...(hasStrace ? await withSite((site) => syncs(receiver, site, times)) : {}),
    ...(await withSite((site) => crash(receiver, site, times))),
  }
}

type Times = Pick<LoadOptions, 'warmUpMs' | 'measureMs'>

export async function withSite<T>(use: (site: BenchSite) => Promise<T>): Promise<T> {
  const site = await createBenchSite(ABSENT)
  try {
    return await use(site)
  } catch (error) {
    await killChildren()
    throw error
  } finally {
    site.remove()
  }
}

/** The store is removed afterwards: the processes are killed. */
async function whileRunning<T>(
  receiver: Receiver,
  site: BenchSite,
  manner: Manner,
  use: (running: Running) => Promise<T>,
): Promise<T> {
  const running = await receiver.start(site, manner)
  try {
    return await use(running)
  } finally {
    await killTree(running.pids)
  }
}

function allCores(receiver: Receiver, site: BenchSite, times: Times): Promise<Figures> {
  return whileRunning(receiver, site, {}, async ({ port, pids }) => {
    const options = { ...LOAD, ...times, port, certs: site.certs }
    const { p50Ms, p99Ms } = await load({ ...options, connections: 1 })
    const many = { ...options, connections: CONNECTIONS }
    await load({ ...many, warmUpMs: 0, measureMs: times.warmUpMs })
    const before = cpuOf(pids)
    const loading = load({ ...many, warmUpMs: QUIET_MS })
    await wait(times.measureMs / 2)
    const memoryMiB = memoryOf(pids)
    const { perSecond, acknowledged } = await loading
    return { perSecond, p50Ms, p99Ms, cpuUs: (cpuOf(pids) - before) / acknowledged, memoryMiB }
  })
}

function oneCore(receiver: Receiver, site: BenchSite, times: Times): Promise<Figures> {
  return whileRunning(receiver, site, { cores: ONE_CORE }, async ({ port }) => {
    const options = { ...LOAD, ...times, connections: CONNECTIONS, port, certs: site.certs }
    return { oneCorePerSecond: (await load(options, OTHER_CORES)).perSecond }
  })
}

/** Of all processes, by strace; only these calls stop them. */
function syncs(receiver: Receiver, site: BenchSite, { measureMs }: Times): Promise<Figures> {
  const trace = join(site.folder, 'trace')
  writeFileSync(trace, '')
  const calls = `trace=${SYNCS.join(',')}`
  const wrapper = ['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-s', '0', '-e', calls, '-A', '-o', trace]
  return whileRunning(receiver, site, { wrapper }, async ({ port }) => {
    async function each(connections: number): Promise<number> {
      await wait(QUIET_MS)
      const from = statSync(trace).size
      const { acknowledged } = await load({ ...LOAD, warmUpMs: 0, measureMs, connections, port, certs: site.certs })
      await wait(QUIET_MS)
      const lines = readFileSync(trace).subarray(from).toString().split('\n')
      // What another thread interrupted is counted once, at its beginning.
      return lines.filter((line) => SYNCS.some((call) => line.includes(` ${call}(`))).length / acknowledged
    }
    return { syncs1: await each(1), syncs64: await each(CONNECTIONS) }
  })
}

/** kill -9 of all processes under load; what was acknowledged and is not there after the next start. */
async function crash(receiver: Receiver, site: BenchSite, { measureMs }: Times): Promise<Figures> {
  const { stored } = receiver
  if (stored === null) return {}
  const acknowledgedFile = join(site.folder, 'acknowledged')
  const acknowledged = await whileRunning(receiver, site, {}, async ({ port, pids }) => {
    const times = { warmUpMs: 0, measureMs: measureMs * 1.5 }
    const loading = load({ ...LOAD, ...times, connections: CONNECTIONS, port, certs: site.certs, acknowledgedFile })
    await wait(measureMs)
    await killTree(pids)
    await loading
    return readFileSync(acknowledgedFile, 'utf8').split('\n')
  })
  const found = await whileRunning(receiver, site, {}, async (running) => new Set(await stored(site, running)))
  const missing = acknowledged.filter((number) => !found.has(number)).length
  return { acknowledged: acknowledged.length, missing }
}
