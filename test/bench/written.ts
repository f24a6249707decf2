import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { atMost, type Benchmark, type Figures, figure, reported } from './benchmark.ts'
import { load } from './processes.ts'
import { LOAD, products, siteOf, startVariant } from './variants.ts'

const CONNECTIONS = [1, 64] as const
/** A page, in bytes; a frame of the WAL is a page and its header, which are written apart. */
const PAGE = 8192
const QUIET_MS = 500

/** The bytes and system calls that a callback costs the disk, as strace sees them. */
export const written: Benchmark = {
  name: 'written',
  what: 'of a callback, with 1 connection and with 64: syncs of the WAL, bytes and pages written to it, all writes to the WAL and the database',
  promises: [
    // A checkpoint syncs the WAL once more.
    atMost(1.05, 'syncs of the WAL a callback, 1 connection', (r) => figure(r, 'product1Syncs'), 'sync'),
    ...CONNECTIONS.flatMap((count) => [
      reported(`bytes to the WAL, connections: ${count}`, (r) => figure(r, `product${count}Bytes`), 'bytes'),
      reported(`pages to the WAL, connections: ${count}`, (r) => figure(r, `product${count}Pages`), 'pages'),
      reported(`writes, connections: ${count}`, (r) => figure(r, `product${count}Writes`), 'calls'),
    ]),
  ],
  needs: ['strace'],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) {
      const figures: Record<string, number> = {}
      for (const variant of products())
        for (const connections of CONNECTIONS) Object.assign(figures, await writtenBy(variant, connections))
      tell(figures)
    }
  },
}

async function writtenBy(variant: 'product' | 'before', connections: number): Promise<Figures> {
  const site = await siteOf(variant)
  const trace = join(site.folder, 'trace')
  // The program keeps its process id, and only these calls stop it.
  const calls = 'trace=pwrite64,fsync,fdatasync'
  const wrapper = ['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-y', '-s', '0', '-e', calls, '-o', trace]
  const served = await startVariant(variant, site, { wrapper })
  try {
    const loading = { ...LOAD, warmUpMs: 0, measureMs: 2000, connections, port: served.port, certs: site.certs }
    await load(loading)
    await wait(QUIET_MS)
    const from = statSync(trace).size
    const { acknowledged } = await load(loading)
    await wait(QUIET_MS)
    return perCallback(`${variant}${connections}`, readFileSync(trace).subarray(from).toString(), acknowledged)
  } finally {
    await served.stop()
    site.remove()
  }
}

function perCallback(name: string, trace: string, callbacks: number): Figures {
  const calls = trace.split('\n').map(parseCall)
  const toWal = calls.filter((call) => call?.file.endsWith('-wal'))
  const writes = calls.filter((call) => call?.name === 'pwrite64' && /\.db(-wal)?$/.test(call.file))
  const walWrites = toWal.filter((call) => call?.name === 'pwrite64')
  const each = (count: number) => Math.round((count / callbacks) * 1000) / 1000
  return {
    [`${name}Syncs`]: each(toWal.length - walWrites.length),
    [`${name}Bytes`]: Math.round(walWrites.reduce((sum, call) => sum + (call?.result ?? 0), 0) / callbacks),
    [`${name}Pages`]: each(walWrites.filter((call) => call?.result === PAGE).length),
    [`${name}Writes`]: each(writes.length),
  }
}

/** `12 pwrite64(20</path/portaria.db-wal>, ""..., 8192, 32) = 8192`. What another thread interrupted is counted once, at its beginning. */
function parseCall(line: string): { name: string; file: string; result: number } | null {
  const [, name = '', file = '', rest = ''] = /^\d+ +(\w+)\(\d+<([^>]*)>(.*)$/.exec(line) ?? []
  if (name === '') return null
  const asked = Number(/, (\d+), \d+(?:\)| <unfinished)/.exec(rest)?.[1] ?? 0)
  return { name, file, result: asked }
}
