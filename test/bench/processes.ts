import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { LoadOptions, LoadResult } from './load-generator.ts'

const HERE = import.meta.dirname
const PORTARIA = resolve(HERE, '../../bin/portaria')
const run = promisify(execFile)

/** A server in a process of its own. */
export interface Served {
  readonly port: number
  readonly apiPort: number
  /** Of the charge listener; 0: there is none. */
  readonly chargesPort: number
  readonly pid: number
  stop(): Promise<void>
}

interface Address {
  readonly port: number
}

/** @param cores on which it runs, as taskset takes them; default: any */
export async function startServer(script: string, args: readonly string[], cores?: string): Promise<Served> {
  const [program, before] = onCores(process.execPath, cores)
  const child = spawn(program, [...before, join(HERE, 'servers', script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise<number>((done) =>
    createInterface({ input: child.stdout }).once('line', (line) => done(Number(line))),
  )
  return { port, apiPort: 0, chargesPort: 0, pid: child.pid as number, stop: () => stopChild(child) }
}

/** The product, its log on and written to a file. @param cores as in startServer */
export async function startProduct(configFile: string, logFile: string, cores?: string): Promise<Served> {
  const log = openSync(logFile, 'w')
  const [program, before] = onCores(PORTARIA, cores)
  const child = spawn(program, [...before, 'serve', '--config', configFile], { stdio: ['ignore', 'ignore', log] })
  for (let tries = 0; tries < 600; tries++) {
    const line = readFileSync(logFile, 'utf8')
      .split('\n')
      .find((text) => text.includes('"gateway.started"'))
    if (line !== undefined) {
      const started = JSON.parse(line) as Record<'callbacks' | 'api', Address> & { charges: Address | null }
      return {
        port: started.callbacks.port,
        apiPort: started.api.port,
        chargesPort: started.charges?.port ?? 0,
        pid: child.pid as number,
        stop: () => stopChild(child),
      }
    }
    if (child.exitCode !== null) break
    await wait(100)
  }
  throw new Error(`the product did not start: ${readFileSync(logFile, 'utf8')}`)
}

function onCores(program: string, cores: string | undefined): [string, string[]] {
  return cores === undefined ? [program, []] : ['taskset', ['-c', cores, program]]
}

async function stopChild(child: ChildProcess): Promise<void> {
  const exited = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await exited
}

/** The load generator, in a process of its own. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { stdout } = await run(process.execPath, [join(HERE, 'load-generator.ts'), JSON.stringify(options)])
  return JSON.parse(stdout) as LoadResult
}

export async function runNaiveForwarder(args: readonly string[]): Promise<{ perSecond: number }> {
  const { stdout } = await run(process.execPath, [join(HERE, 'servers/naive-forwarder.ts'), ...args])
  return JSON.parse(stdout) as { perSecond: number }
}

/** CPU for the hashes of one event, in µs. */
export async function measureHashes(bodyBytes: number): Promise<number> {
  const { stdout } = await run(process.execPath, [join(HERE, 'servers/hash-cost.ts'), String(bodyBytes)])
  return (JSON.parse(stdout) as { microseconds: number }).microseconds
}

/** CPU time of each thread of a process so far, in µs, by thread id; that of the process is its main thread. */
export function threadTimes(pid: number): Map<number, number> {
  const times = new Map<number, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [, fields = ''] = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ')
    const [user, system] = fields.split(' ').slice(11, 13).map(Number) as [number, number]
    times.set(Number(thread), (user + system) * TICK_US)
  }
  return times
}

/** A tick of /proc on Linux (sysconf _SC_CLK_TCK is 100). */
const TICK_US = 10_000

/** Resident memory of a process, in MiB. */
export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024)
}
