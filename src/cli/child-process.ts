/**
 * Backup, verify and statistics are single steps of SQLite that only the end of their process can interrupt. So they
 * run in a process of their own.
 */

import { fork } from 'node:child_process'
import Database from 'better-sqlite3'
import { type ErrorCode, messageOf, PortariaError } from '../platform/errors.ts'

const { SqliteError } = Database

/** What a child tells the command that started it. */
type Message<S, R> =
  | { readonly step: S }
  | { readonly result: R }
  | { readonly error: { readonly code: ErrorCode | null; readonly message: string } }

export interface ChildOptions<S> {
  /** The module that the child runs: it calls `serveParent`. */
  readonly module: string
  readonly args: readonly string[]
  readonly onStep?: (step: S) => void
  /** Kills the child. */
  readonly signal?: AbortSignal | undefined
  /** Message of the error after a signal. */
  readonly interrupted: string
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs long work in a child process: a step of SQLite can only be ended together with its process. Ctrl-C, SIGTERM and a closed terminal (SIGHUP)
 * end it.
 * @throws PortariaError `store_unavailable` after a signal, and what the work throws; AbortError
 */
export function runInChild<S, R>({ module, args, onStep, signal, interrupted }: ChildOptions<S>): Promise<R> {
  const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const
  const child = fork(module, args, { stdio: [...stdio], killSignal: 'SIGKILL', ...(signal && { signal }) })
  let isInterrupted = false
  function interrupt(): void {
    isInterrupted = true
    child.kill('SIGKILL')
  }
  for (const name of SIGNALS) process.once(name, interrupt)
  const stderr: Buffer[] = []
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk))
  return new Promise<R>((resolve, reject) => {
    child.on('message', (message: Message<S, R>) => {
      if ('step' in message) onStep?.(message.step)
      else if ('result' in message) resolve(message.result)
      else reject(errorOf(message.error))
    })
    child.once('error', reject)
    child.once('close', (code, signalName) => {
      if (isInterrupted) reject(new PortariaError('store_unavailable', interrupted))
      // After a result or an error this changes nothing any more.
      else reject(new Error(`the child process ended with ${code ?? signalName}: ${Buffer.concat(stderr).toString()}`))
    })
  }).finally(() => {
    for (const name of SIGNALS) process.off(name, interrupt)
  })
}

/** The child's side: does the work once and sends its steps, and then its result or error. */
export async function serveParent<S, R>(work: (show: (step: S) => void) => Promise<R>): Promise<void> {
  // The parent is gone: nothing is left to do.
  process.on('error', () => process.exit())
  try {
    send({ result: await work((step) => send({ step })) })
  } catch (error) {
    send({ error: { code: codeOf(error), message: messageOf(error) } })
  }
}

/** null: an unexpected error. Errors of SQLite itself are about the file. */
function codeOf(error: unknown): ErrorCode | null {
  if (error instanceof PortariaError) return error.code
  return error instanceof SqliteError ? 'store_unavailable' : null
}

function send(message: Message<unknown, unknown>): void {
  process.send?.(message)
}

function errorOf({ code, message }: { readonly code: ErrorCode | null; readonly message: string }): Error {
  return code === null ? new Error(message) : new PortariaError(code, message)
}
