import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { VERSION } from '../../src/platform/version.ts'
import { reservePort } from '../support/ports.ts'
import { atMost, type Benchmark, figure } from './benchmark.ts'
import { ROOT, residentMiB, startProduct } from './processes.ts'
import { ABSENT, createBenchSite } from './site.ts'
import { peakMemory } from './start.ts'

const run = promisify(execFile)
const NAME = `portaria-${VERSION}-linux-${process.arch}`
/** Until timers of the start have run. */
const IDLE_AFTER_MS = 3000

/** `npm run bench -- --shipped`: the tarball of `npm run package` beside the clone. */
export const shipped: Benchmark = {
  name: 'shipped',
  what: 'the package beside the clone: ms until the callback listener accepts, ms of --help, MiB idle and with 64 connections under load',
  promises: [
    atMost(0.5, 'start against the clone', (r) => figure(r, 'start') / figure(r, 'cloneStart')),
    atMost(100, 'portaria --help', (r) => figure(r, 'help'), 'ms'),
    atMost(-60, 'idle memory against the clone', (r) => figure(r, 'idle') - figure(r, 'cloneIdle'), 'MiB more'),
    atMost(215, 'with 64 connections under load', (r) => figure(r, 'with64'), 'MiB'),
  ],
  async run(rounds, tell) {
    const archive = join(ROOT, 'dist', `${NAME}.tar.gz`)
    if (!existsSync(archive)) throw new Error(`${archive} is not there: npm run package makes it`)
    const folder = mkdtempSync(join(tmpdir(), 'portaria-bench-'))
    execFileSync('tar', ['-xzf', archive, '-C', folder])
    const root = join(folder, NAME)
    try {
      // They fill the compile caches.
      for (const one of [root, ROOT]) await Promise.all([startOf(one), helpMs(one)])
      for (let round = 0; round < rounds; round++) {
        const [packaged, clone] = [await startOf(root), await startOf(ROOT)]
        tell({
          start: packaged.acceptsMs,
          cloneStart: clone.acceptsMs,
          help: await helpMs(root),
          cloneHelp: await helpMs(ROOT),
          idle: packaged.idleMiB,
          cloneIdle: clone.idleMiB,
          with64: await peakMemory(64, root),
          cloneWith64: await peakMemory(64),
        })
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

async function startOf(root: string): Promise<{ acceptsMs: number; idleMiB: number }> {
  const site = await createBenchSite(ABSENT)
  const port = await reservePort()
  const configuration = readFileSync(site.configFile, 'utf8')
  writeFileSync(site.configFile, configuration.replace('port: 0', `port: ${port}`))
  const from = performance.now()
  const accepting = untilAccepts(port).then(() => Math.round(performance.now() - from))
  const served = await startProduct(site.configFile, site.logFile, { root })
  const acceptsMs = await accepting
  await wait(IDLE_AFTER_MS)
  const idleMiB = residentMiB(served.pid)
  await served.stop()
  site.remove()
  return { acceptsMs, idleMiB }
}

async function untilAccepts(port: number): Promise<void> {
  while (!(await accepts(port))) await wait(3)
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

async function helpMs(root: string): Promise<number> {
  const from = performance.now()
  await run(join(root, 'bin/portaria'), ['--help'])
  return Math.round(performance.now() - from)
}
