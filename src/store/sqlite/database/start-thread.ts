import { Worker, type WorkerOptions } from 'node:worker_threads'
import { type EntryModule, entryModule } from '../../../platform/program-files.ts'

/** Whether a thread has loaded SQLite, which both sides change: `NOT_YET`, then `LOADING` and `LOADED`, or `ENDING`: it must not be loaded any more. */
export type SqliteLoading = Int32Array<SharedArrayBuffer>
export const [NOT_YET, LOADING, LOADED, ENDING] = [0, 1, 2, 3]

/** What every thread of the store gets. */
export interface ThreadData {
  readonly loading: SqliteLoading
}

/** It takes milliseconds. A disk that hangs does not keep the process from ending. */
const LONGEST_LOAD_MS = 5000

const running = new Map<Worker, SqliteLoading>()

/**
 * Starts a thread that opens a database. Node aborts the process (SIGABRT) when a thread ends while it loads SQLite's native code, so the end of the process
 * waits for that. The thread calls `loadSqlite`.
 */
export function startThread(
  module: EntryModule,
  { workerData, ...options }: WorkerOptions & { workerData: object },
): Worker {
  const loading: SqliteLoading = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(entryModule(module), { ...options, workerData: { ...workerData, loading } })
  if (running.size === 0) process.on('exit', endLoading)
  running.set(worker, loading)
  worker.once('exit', () => {
    running.delete(worker)
    if (running.size === 0) process.off('exit', endLoading)
  })
  return worker
}

/** Ends a thread, whatever it does; where it loads SQLite, behind that. */
export async function terminateThread(worker: Worker): Promise<void> {
  const loading = running.get(worker)
  if (loading !== undefined) endLoadingOf(loading)
  await worker.terminate()
}

function endLoading(): void {
  for (const loading of running.values()) endLoadingOf(loading)
}

function endLoadingOf(loading: SqliteLoading): void {
  if (Atomics.compareExchange(loading, 0, NOT_YET, ENDING) === LOADING)
    Atomics.wait(loading, 0, LOADING, LONGEST_LOAD_MS)
}
