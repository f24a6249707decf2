import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { DemoFailure } from './waiting.ts'

const MAIN = resolve(import.meta.dirname, '../../main.ts')
const LINES_KEPT = 5

/** Sends SIGKILL before it returns; resolves when the process is gone. */
export type Kill = () => Promise<void>

export interface ChildOptions<T> {
  /** For messages, as "the gateway". */
  readonly name: string
  readonly signal: AbortSignal
  /** Gets a function that kills the process, before anything else can fail. */
  readonly onSpawned: (kill: Kill) => void
  /** What a line says about the start; null: the program has not started yet. */
  readonly read: (line: string) => T | null
}

export interface ChildProgram<T> {
  readonly pid: number
  readonly started: T
  readonly kill: Kill
  /** Exit and last output; null while it runs. */
  exitReport(): string | null
}

/** Starts a command of this program as a process; resolves once a line of its output says that it has started. */
export function spawnProgram<T>(args: readonly string[], options: ChildOptions<T>): Promise<ChildProgram<T>> {
  const { name, signal, onSpawned, read } = options
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const lastLines: string[] = []
  let ending: string | null = null
  const exitReport = () => ending && `${name} ended with ${ending}; its last lines:\n${lastLines.join('\n')}`
  const gone = new Promise<void>((done) => {
    const end = (how: string) => {
      ending = how
      done()
    }
    child.once('error', (error) => end(error.message))
    child.once('exit', (code, signalName) => end(String(signalName ?? code)))
  })
  const kill: Kill = () => {
    child.kill('SIGKILL')
    return gone
  }
  onSpawned(kill)
  return new Promise((done, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    function takeLine(line: string): void {
      lastLines.push(line)
      if (lastLines.length > LINES_KEPT) lastLines.shift()
      const started = read(line)
      if (started === null) return
      signal.removeEventListener('abort', abort)
      done({ pid: child.pid as number, started, kill, exitReport })
    }
    for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', takeLine)
    // Its last lines may arrive after its exit.
    void gone.then(() => setImmediate(() => reject(new DemoFailure(exitReport() ?? `${name} ended`))))
  })
}
