import { readFileSync } from 'node:fs'
import { atMost, type Benchmark, figure } from './benchmark.ts'
import { load, measureHashes, startProduct } from './processes.ts'
import { createBenchSite } from './site.ts'

const ABSENT = 'http://127.0.0.1:9/hook'
const BODY_BYTES = 1024
const LOAD = { connections: 64, bodyBytes: BODY_BYTES, rate: 0, reconnect: false }
/** Of what /proc tells, in µs. */
const TICK = 10_000

/** What the tamper evidence costs, as a share of all the CPU that a notification takes from TLS to the disk. */
export const evidence: Benchmark = {
  name: 'evidence',
  what: 'µs of CPU for a notification, and for the hashes of its event',
  promises: [atMost(0.05, 'the hashes against the whole', (r) => figure(r, 'hashes') / figure(r, 'notification'))],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++)
      tell({ hashes: rounded(await measureHashes(BODY_BYTES)), notification: rounded(await costOfNotification()) })
  },
}

async function costOfNotification(): Promise<number> {
  const site = await createBenchSite(ABSENT)
  const served = await startProduct(site.configFile, site.logFile)
  const loading = { ...LOAD, port: served.port, certs: site.certs }
  await load({ ...loading, warmUpMs: 0, measureMs: 6000 })
  const before = cpuOf(served.pid)
  const { answered } = await load({ ...loading, warmUpMs: 0, measureMs: 5000 })
  const spent = cpuOf(served.pid) - before
  await served.stop()
  site.remove()
  return spent / answered
}

/** All its threads, in µs. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) * TICK
}

function rounded(microseconds: number): number {
  return Math.round(microseconds * 10) / 10
}
