import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Environment } from '../../domain/realm.ts'
import type { Address } from '../../gateway/addresses.ts'
import { entryModule } from '../../platform/program-files.ts'
import { DemoFailure } from './waiting.ts'

const LINES_KEPT = 5

/** Sends SIGKILL before it returns; resolves when the process is gone. */
export type Kill = () => Promise<void>

interface Program {
  readonly pid: number
  readonly kill: Kill
  /** Sends SIGTERM; resolves when the process is gone. */
  readonly end: () => Promise<void>
  /** Resolves when the process is gone, for whatever reason. */
  readonly gone: Promise<void>
  /** Exit and last output; null while it runs. */
  exitReport(): string | null
}

export interface Gateway extends Program {
  readonly callbacks: Address
  readonly charges: Address
  readonly api: Address
}

/** The members of the simulator's JSON output that the demo reads. */
export interface Simulator extends Program {
  /** File of the authority of its server certificate. */
  readonly serverCa: string
  readonly control: string
  readonly playground: string
  readonly environments: Readonly<Record<Environment, SimulatedEnvironment>>
}

export type InterfaceName = 'payment' | 'registration' | 'charges'

export interface SimulatedEnvironment {
  readonly baseAddresses: Readonly<Record<InterfaceName, string>>
  readonly tokenEndpoints: Readonly<Record<InterfaceName, string>>
  readonly applications: readonly [
    {
      readonly clientId: string
      readonly clientSecret: string
      readonly files: { readonly cert: string; readonly key: string }
    },
  ]
}

interface ProgramOptions {
  /** For messages, as "the gateway". */
  readonly name: string
  /** In the line of JSON with which it says that it has started. */
  readonly mark: string
  readonly signal: AbortSignal
  /** Gets a function that kills the process, before anything else can fail. */
  readonly onSpawned: (kill: Kill) => void
}

/** Starts a command of this program as a process; resolves with the members of the line that says that it has started. */
export function spawnProgram<T extends Program>(args: readonly string[], options: ProgramOptions): Promise<T> {
  const { name, mark, signal, onSpawned } = options
  const child = spawn(process.execPath, [entryModule('main'), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const lastLines: string[] = []
  let ending: string | null = null
  const exitReport = () => ending && `${name} ended with ${ending}; its last lines:\n${lastLines.join('\n')}`
  const gone = new Promise<void>((done) => {
    const note = (how: string) => {
      ending = how
      done()
    }
    child.once('error', (error) => note(error.message))
    child.once('exit', (code, signalName) => note(String(signalName ?? code)))
  })
  const kill: Kill = () => {
    child.kill('SIGKILL')
    return gone
  }
  const end = () => {
    child.kill('SIGTERM')
    return gone
  }
  onSpawned(kill)
  return new Promise((done, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    function takeLine(line: string): void {
      lastLines.push(line)
      if (lastLines.length > LINES_KEPT) lastLines.shift()
      if (!line.startsWith('{') || !line.includes(mark)) return
      signal.removeEventListener('abort', abort)
      done({ ...JSON.parse(line), pid: child.pid, kill, end, gone, exitReport })
    }
    for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', takeLine)
    // Its last lines may arrive after its exit.
    void gone.then(() => setImmediate(() => reject(new DemoFailure(exitReport() ?? `${name} ended`))))
  })
}
