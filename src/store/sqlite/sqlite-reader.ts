import type { Worker } from 'node:worker_threads'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import type { LastKnown } from './database/last-known.ts'
import { startThread, terminateThread } from './database/start-thread.ts'
import { methodsOf } from './threads/methods.ts'
import type { FromReader, ReaderThreadOptions, ToReader } from './threads/reader-thread.ts'
import type { ReadCall, ReadMethod } from './threads/reads.ts'
import type { SqliteReader } from './threads/sqlite-calls.ts'
import { limitYoungGeneration, YOUNG_MIB } from './threads/thread-memory.ts'
import { errorOfThread } from './threads/thread-messages.ts'

interface WaitingRead {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

interface SqliteReaderOptions {
  /** What the database must at least hold. null: nothing is known, or the writer has compared it already. */
  readonly known?: LastKnown | null
  /** The reader thread has died: all reads fail from now on. Called once, and never because of `close`. */
  readonly onFailed?: ((error: PortariaError) => void) | undefined
}

/**
 * Starts the reader thread. When it dies, all its reads fail with `store_unavailable`, those under way and every later one.
 * @throws PortariaError `store_missing`, `store_newer`, `store_unavailable`
 */
export function openSqliteReader(file: string, options: SqliteReaderOptions = {}): Promise<SqliteReader> {
  return startSqliteReader(file, options).open()
}

/** A reader thread that loads its modules while something else happens to the database. */
export interface StartingReader {
  /** @throws as `openSqliteReader` */
  open(): Promise<SqliteReader>
  /** In place of `open`. */
  abandon(): Promise<void>
}

export function startSqliteReader(file: string, { known = null, onFailed }: SqliteReaderOptions = {}): StartingReader {
  const worker = startThread('reader-thread', {
    name: 'reader',
    resourceLimits: limitYoungGeneration(YOUNG_MIB.reader),
    workerData: { file, known } satisfies ReaderThreadOptions,
  })
  const waiting = new Map<number, WaitingRead>()
  /** Of the latest question to the thread. */
  let lastId = 0
  /** Set once, by `fail` or `close`: every read fails with it from then on. */
  let failure: PortariaError | null = null
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))

  function perform(call: ReadCall): Promise<unknown> {
    if (failure !== null) return Promise.reject(failure)
    return new Promise((resolve, reject) => {
      lastId++
      waiting.set(lastId, { resolve, reject })
      worker.postMessage({ type: 'read', id: lastId, call } satisfies ToReader)
    })
  }

  function fail(error: PortariaError): void {
    const isFirst = failure === null
    failure ??= error
    for (const { reject } of waiting.values()) reject(failure)
    waiting.clear()
    if (isFirst) onFailed?.(error)
  }

  function settle(message: FromReader): void {
    if (message.type !== 'answer' && message.type !== 'refused') return
    const read = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.type === 'answer') read?.resolve(message.value)
    else read?.reject(errorOfThread(message.error))
  }

  const opening = opened(worker)
  // Without modules it fails before `open`, which then throws it.
  opening.catch(() => undefined)

  return {
    async open() {
      worker.postMessage({ type: 'open' } satisfies ToReader)
      const methods = await opening
      worker.on('error', (cause) => fail(unavailable(`the reader thread has failed: ${messageOf(cause)}`, cause)))
      worker.on('exit', () => fail(unavailable('the reader thread has ended')))
      worker.on('message', settle)
      return {
        ...methodsOf<Pick<SqliteReader, ReadMethod>>(methods, (method, args) => perform({ method, args } as ReadCall)),
        async close() {
          failure ??= unavailable('the store is closed')
          worker.postMessage({ type: 'close' } satisfies ToReader)
          await exited
        },
      }
    },
    async abandon() {
      await terminateThread(worker)
    },
  }
}

function opened(worker: Worker): Promise<readonly ReadMethod[]> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (message: FromReader) => {
      if (message.type === 'failed') reject(errorOfThread(message.error))
      else if (message.type === 'opened') resolve(message.methods)
    })
  })
}

function unavailable(message: string, cause?: unknown): PortariaError {
  return new PortariaError('store_unavailable', message, { cause })
}
