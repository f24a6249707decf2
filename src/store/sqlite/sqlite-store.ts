import type { Worker } from 'node:worker_threads'
import type { Store } from '../../domain/store.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { createWriteQueue, type QueueLimits, type Settling } from '../storing/write-queue.ts'
import { createWriterState, type WriterTrouble } from '../storing/writer-state.ts'
import { WAL_BYTES } from './database/connection.ts'
import { startThread, terminateThread } from './database/start-thread.ts'
import { createKeptBacklogs } from './maintenance/kept-backlogs.ts'
import { unpackResults } from './packing/packed-results.ts'
import { createSearchWork } from './search-work.ts'
import { startSqliteReader } from './sqlite-reader.ts'
import { methodsOf } from './threads/methods.ts'
import { createOfferedSlots } from './threads/offered-slots.ts'
import type { SearchReads, SqliteCall, SqliteReader, SqliteWrites } from './threads/sqlite-calls.ts'
import { limitYoungGeneration, YOUNG_MIB } from './threads/thread-memory.ts'
import { claimOf, createPacker, errorOfThread } from './threads/thread-messages.ts'
import type { FromWriter, ThreadResult, ToWriter, WriterThreadOptions } from './threads/writer-thread.ts'

export interface SqliteStoreOptions extends WriterThreadOptions, WriterTrouble {
  /** Bounds of the queue; beyond them `storeCallback` throws `queue_full`. */
  readonly queue: QueueLimits
  /** Called after each commit that stored callbacks, with their number and its duration. */
  readonly onCommit?: (commit: { callbacks: number; durationMs: number }) => void
  /** The reader thread has died: all reads fail from now on, while writes continue. Called once. */
  readonly onReaderLost?: (error: Error) => void
}

/** With the steps of what takes several, and what only a database in a file has. */
export type SqliteStore = Store & SearchReads & Pick<SqliteReader, 'reusableBytes'> & Pick<SqliteWrites, StepOrOwn>

type StepOrOwn = 'applySearchChange' | 'redact' | 'checkpointWal'

/** Starts the writer thread and the reader thread. @throws PortariaError `store_locked`, `store_newer`, `store_unavailable` */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { file, deduplicationWindowMs, kinds = [], firstWaitMs = 0, lockWaitMs = 0, walBytes = WAL_BYTES } = options
  const worker = startThread('writer-thread', {
    name: 'writer',
    resourceLimits: limitYoungGeneration(YOUNG_MIB.writer),
    workerData: { file, deduplicationWindowMs, kinds, firstWaitMs, lockWaitMs, walBytes } satisfies WriterThreadOptions,
  })
  const readerThread = startSqliteReader(file, { onFailed: options.onReaderLost })
  /** A new one when a message could not be sent: it numbers values for the writer, which has not got them. */
  let packOperations = createPacker()
  const slots = createOfferedSlots()
  const writes = createWriteQueue<NonNullable<ThreadResult>, SqliteCall>(options.queue, sendBatch, settle)
  const askToReopen = () => worker.postMessage({ type: 'reopen' } satisfies ToWriter)
  const writer = createWriterState(
    { failedWords: 'the disk failed', reopenAttempts: 10, failAll: writes.failAll, askToReopen },
    options,
  )
  /** When the writer last sent a message, or got work after it was idle. */
  let lastSignAt = performance.now()

  function sendBatch(calls: readonly SqliteCall[], isFirst: boolean): PortariaError | null {
    if (isFirst) lastSignAt = performance.now()
    const changedSlots = slots.takeChanged()
    try {
      const packed = packOperations(calls)
      worker.postMessage({ type: 'batch', packed, slots: changedSlots } satisfies ToWriter, [packed.bytes])
      return null
    } catch (cause) {
      // For example without memory for the message. The writer gets neither the values that it numbers nor the slots.
      packOperations = createPacker()
      changedSlots.forEach(slots.offer)
      const words = `the batch could not be sent to the writer: ${messageOf(cause)}`
      return new PortariaError('store_unavailable', words, { cause })
    }
  }

  function receive(message: FromWriter): void {
    lastSignAt = performance.now()
    if (message.type === 'results') {
      const { stored, ...answer } = message
      const callbacks = writes.answered({ ...answer, stored: unpackResults(stored) })
      // The batch before broke the connection, so the writer has refused this one.
      if (callbacks === null) return
      backlogs.change(message.backlogs)
      if (message.broken) writer.broke(failureIn(message.results))
      else if (callbacks > 0) options.onCommit?.({ callbacks, durationMs: message.durationMs })
      writes.sendNext()
    } else if (message.type === 'opened' && writer.is('broken')) {
      backlogs.begin(message.backlogs)
      slots.forget()
      writer.opened()
    } else if (message.type === 'failed' && writer.is('broken')) writer.notOpened(errorOfThread(message.error))
    else if (message.type === 'failing') writer.failForGood(errorOfThread(message.error))
    else if (message.type === 'lost') writer.reportLoss(errorOfThread(message.error))
    else if (message.type === 'stopped') writer.ended()
  }

  const first = await opened(worker).catch(async (error: unknown) => {
    await Promise.all([terminateThread(worker), readerThread.abandon()])
    throw error
  })
  worker.on('message', receive)
  worker.on('error', (error) =>
    writer.lose(
      new PortariaError('store_unavailable', `the writer thread has failed: ${error.message}`, { cause: error }),
    ),
  )
  worker.on('exit', () => {
    writer.lose(new PortariaError('store_unavailable', 'the writer thread has ended'))
    writer.ended()
  })
  const reader = await readerThread.open().catch(async (error: unknown) => {
    await terminateThread(worker)
    throw error
  })

  const backlogs = createKeptBacklogs(reader.takeSnapshot)
  backlogs.begin(first.backlogs)
  const methods = methodsOf<SqliteWrites>(first.methods, (method, args) =>
    writer.is('ready') ? writes.add({ method, args } as SqliteCall) : Promise.reject(writer.unavailable()),
  )

  return {
    ...reader,
    ...methods,
    ...createSearchWork(reader, methods),
    takeSnapshot: backlogs.takeSnapshot,
    recordRefusals(batch) {
      if (!writes.isHalfFull()) return methods.recordRefusals(batch)
      return Promise.reject(new PortariaError('queue_full', 'too many callbacks are waiting for the disk'))
    },
    offerSlots: slots.offer,
    pulse() {
      const isAwaited = writes.isInFlight() || writer.is('broken')
      return { ...writes.waiting(), silentMs: isAwaited ? performance.now() - lastSignAt : 0 }
    },
    async close() {
      // In a loop, because the result of a call may cause another call.
      while (writer.is('ready') && writes.hasCalls()) await writes.emptied()
      if (!writer.is('lost')) worker.postMessage({ type: 'stop' } satisfies ToWriter)
      await writer.close()
      await reader.close()
      if (writer.isLost()) {
        await terminateThread(worker)
        return
      }
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
      worker.postMessage({ type: 'close' } satisfies ToWriter)
      await ended
    },
  }
}

function failureIn(results: readonly ThreadResult[]): string {
  const failed = results.find((result) => result !== null && 'error' in result)
  return failed?.error.message ?? 'the disk failed'
}

type Opened = Extract<FromWriter, { type: 'opened' }>

function opened(worker: Worker): Promise<Opened> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (message: FromWriter) => {
      if (message.type === 'failed' || message.type === 'failing') reject(errorOfThread(message.error))
      else if (message.type === 'opened') resolve(message)
    })
  })
}

function settle({ resolve, reject }: Settling, result: NonNullable<ThreadResult>): void {
  if ('error' in result) reject(errorOfThread(result.error))
  else if ('claim' in result) resolve(claimOf(result.claim))
  else resolve(result.value)
}
