import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { LoadOptions, LoadResult } from './load-generator.ts'
import type { PollOptions, WakeUp } from './poll-generator.ts'

const HERE = import.meta.dirname
/** The checkout that is measured. */
export const ROOT = resolve(HERE, '../..')
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

/** How a server runs. */
export interface Manner {
  /** The cores it may use, as taskset takes them. Default: any. */
  readonly cores?: string | undefined
  /** Beside the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>
  /** A program before it that becomes it, with its arguments. */
  readonly wrapper?: readonly string[]
  /** Of the product: the checkout it is started from. Default: this one. */
  readonly root?: string | undefined
}

export async function startServer(script: string, args: readonly string[], manner: Manner = {}): Promise<Served> {
  const child = start([process.execPath, join(HERE, 'servers', script), ...args], manner, ['ignore', 'pipe', 'inherit'])
  const port = await new Promise<number>((done, fail) => {
    createInterface({ input: child.stdout as Readable }).once('line', (line) => done(Number(line)))
    child.once('exit', (code) => fail(new Error(`${script} ended with ${code}`)))
  })
  return { port, apiPort: 0, chargesPort: 0, pid: child.pid as number, stop: () => stopChild(child) }
}

/** The product, its log on and written to a file. */
export async function startProduct(configFile: string, logFile: string, manner: Manner = {}): Promise<Served> {
  const log = openSync(logFile, 'w')
  const portaria = join(manner.root ?? ROOT, 'bin/portaria')
  const child = start([portaria, 'serve', '--config', configFile], manner, ['ignore', 'ignore', log])
  for (let tries = 0; tries < START_TRIES; tries++) {
    const line = readFileSync(logFile, 'utf8')
      .split('\n')
      .find((text) => text.includes('"gateway.started"') && text.endsWith('}'))
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
    await wait(START_WAIT_MS)
  }
  throw new Error(`the product did not start: ${readFileSync(logFile, 'utf8')}`)
}

/** Two minutes. */
const START_TRIES = 6000
const START_WAIT_MS = 20

/** A program in a process of its own. */
export function start(command: readonly string[], manner: Manner, stdio: StdioOptions): ChildProcess {
  const [program, ...args] = commandOn(manner.cores, [...(manner.wrapper ?? []), ...command])
  return spawn(program, args, { stdio, env: { ...process.env, ...manner.environment } })
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await exited
}

/** The load generator, in a process of its own. @param cores on which it runs, as taskset takes them */
export async function load(options: LoadOptions, cores?: string): Promise<LoadResult> {
  return (await runScript('load-generator.ts', [JSON.stringify(options)], cores)) as LoadResult
}

/** The pollers, in a process of their own. */
export async function pollersOf(options: PollOptions): Promise<readonly WakeUp[]> {
  return (await runScript('poll-generator.ts', [JSON.stringify(options)], undefined)) as readonly WakeUp[]
}

export async function runNaiveForwarder(args: readonly string[], cores?: string): Promise<{ perSecond: number }> {
  return (await runScript('servers/naive-forwarder.ts', args, cores)) as { perSecond: number }
}

/** The JSON that it prints. */
async function runScript(script: string, args: readonly string[], cores: string | undefined): Promise<unknown> {
  const [program, ...rest] = commandOn(cores, [process.execPath, join(HERE, script), ...args])
  return JSON.parse((await run(program, rest)).stdout)
}

function commandOn(cores: string | undefined, command: readonly string[]): [string, ...string[]] {
  return [...(cores === undefined ? [] : ['taskset', '-c', cores]), ...command] as [string, ...string[]]
}

/** CPU for the hashes of one event, in µs. */
export async function measureHashes(bodyBytes: number): Promise<number> {
  const cost = await runScript('servers/hash-cost.ts', [String(bodyBytes)], undefined)
  return (cost as { microseconds: number }).microseconds
}

/** Time and CPU of a commit, in µs. */
export async function measureHop(): Promise<Readonly<Record<string, number>>> {
  return (await runScript('servers/hop.ts', [], undefined)) as Record<string, number>
}

/** How long the store's counts for metrics take, in ms. No gateway may run. */
export async function measureSnapshot(file: string, root = ROOT): Promise<number> {
  const cost = await runScript('servers/snapshot.ts', [root, file], undefined)
  return (cost as { milliseconds: number }).milliseconds
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

/**
 * CPU time of the threads of a process so far, in µs, summed by name. Node names its own threads, the product its workers. Those of a version
 * without names are distinguished by the order in which they start.
 */
export function timesByThread(pid: number): Record<string, number> {
  const sums: Record<string, number> = {}
  const unnamed = [...WORKERS]
  for (const [id, time] of [...threadTimes(pid)].sort(([one], [other]) => one - other)) {
    const comm = readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').trim()
    const worker = comm === 'WorkerThread' ? unnamed.shift() : undefined
    const name = id === pid ? 'main' : (worker ?? THREAD_NAMES[comm] ?? comm)
    sums[name] = (sums[name] ?? 0) + time
  }
  return sums
}

const WORKERS = ['writer', 'reader'] as const

/** What Node calls its threads, and what the table does. */
const THREAD_NAMES: Readonly<Record<string, string>> = { V8Worker: 'v8', 'libuv-worker': 'libuv' }

/** A tick of /proc on Linux (sysconf _SC_CLK_TCK is 100). */
const TICK_US = 10_000

/** Resident memory of a process, in MiB. */
export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024)
}
