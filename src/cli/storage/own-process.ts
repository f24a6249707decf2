import { fork } from 'node:child_process'
import Database from 'better-sqlite3'
import { type ErrorCode, messageOf, PortariaError } from '../../platform/errors.ts'

const { SqliteError } = Database

/** What a process of this kind tells the command that started it. */
type Told<S, R> =
  | { readonly step: S }
  | { readonly result: R }
  | { readonly error: { readonly code: ErrorCode | null; readonly message: string } }

/** Which work it is, and how far it is. */
interface Work<S> {
  readonly url: URL
  readonly args: readonly string[]
  readonly onStep: (step: S) => void
}

/**
 * Runs work on a database in a process of its own, for what SQLite does in one step can only be broken off together with its process. Ctrl-C,
 * SIGTERM and a terminal that goes away break it off.
 * @returns null where it was broken off
 */
export function runInOwnProcess<S, R>({ url, args, onStep }: Work<S>): Promise<R | null> {
  const child = fork(url, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let isBrokenOff = false
  function breakOff(): void {
    isBrokenOff = true
    child.kill('SIGKILL')
  }
  for (const signal of SIGNALS) process.once(signal, breakOff)
  const said: Buffer[] = []
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk))
  return new Promise<R | null>((resolve, reject) => {
    child.on('message', (told) => {
      const known = told as Told<S, R>
      if ('step' in known) onStep(known.step)
      else if ('result' in known) resolve(known.result)
      else reject(errorOf(known.error))
    })
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (isBrokenOff) return resolve(null)
      // After a result or an error this changes nothing any more.
      reject(new Error(`the process of its own ended with ${code ?? signal}: ${Buffer.concat(said).toString('utf8')}`))
    })
  }).finally(() => {
    for (const signal of SIGNALS) process.off(signal, breakOff)
  })
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The other side: what such a process does, once. */
export function serveParent<S, R>(work: (show: (step: S) => void) => R): void {
  // Who is gone needs no answer any more.
  process.on('error', () => process.exit())
  try {
    tell({ result: work((step) => tell({ step })) })
  } catch (error) {
    tell({ error: { code: codeOf(error), message: messageOf(error) } })
  }
}

/** null: nobody expected it. What SQLite itself says is about the file. */
function codeOf(error: unknown): ErrorCode | null {
  if (error instanceof PortariaError) return error.code
  return error instanceof SqliteError ? 'store_unavailable' : null
}

function tell(told: Told<unknown, unknown>): void {
  process.send?.(told)
}

function errorOf({ code, message }: { readonly code: ErrorCode | null; readonly message: string }): Error {
  return code === null ? new Error(message) : new PortariaError(code, message)
}
