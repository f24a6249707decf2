import { Worker } from 'node:worker_threads'
import type { Store } from '../../domain/store.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { WAL_BYTES } from './database/connection.ts'
import { createIndexingReader } from './indexing-reader.ts'
import { createKeptBacklogs } from './maintenance/kept-backlogs.ts'
import { startSqliteReader } from './sqlite-reader.ts'
import { createDeliveryRooms } from './threads/delivery-rooms.ts'
import { methodsOf } from './threads/methods.ts'
import { unpackResults } from './threads/packed-results.ts'
import { limitYoungGeneration, YOUNG_MIB } from './threads/thread-memory.ts'
import { claimOf, createPacker, errorOfThread } from './threads/thread-messages.ts'
import type { PreparingStep } from './threads/writer-parts.ts'
import type { FromWriter, ThreadResult, ToWriter, WriterOptions } from './threads/writer-thread.ts'
import type { StoreCall, WriteMethod } from './threads/writes.ts'

export interface SqliteStoreOptions extends WriterOptions {
  /** Bounds of the queue; beyond them `storeCallback` throws `queue_full`. */
  readonly queue: { readonly events: number; readonly bytes: number }
  /** Called after each commit that stored callbacks, with their number and its duration. */
  readonly onCommit?: (commit: { callbacks: number; durationMs: number }) => void
  /** Called while the start makes what an older database lacks, before the promise is fulfilled. */
  readonly onPreparing?: (step: PreparingStep) => void
  /** `broken`: the disk has failed, and the store is being reopened; otherwise: it works again. */
  readonly onTrouble?: (trouble: { broken: boolean; message: string }) => void
  /** The store refuses all calls from now on and saves its data as far as possible; `onLost` follows. */
  readonly onLosing?: () => void
  /** The reader thread has died: all reads fail from now on, while writes continue. Called once. */
  readonly onReaderLost?: (error: Error) => void
  /** The store is unusable: the process must end, so that its supervisor restarts it. */
  readonly onLost?: (error: Error) => void
}

interface Queued {
  readonly operation: StoreCall
  readonly events: number
  readonly bytes: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

const BATCH_OPERATIONS = 512
const BATCH_BYTES = 16 * 1024 * 1024
const BATCHES_IN_FLIGHT = 2
/** A queue this long is sent before the batch in flight has ended, so that the writer need not wait for the main thread in between. */
const AHEAD_OPERATIONS = 24
/** The writer waits some 0.1 ms for the main thread between two batches. Where a batch takes longer than this, a larger one saves more than that wait. */
const AHEAD_WITHIN_MS = 2
const REOPEN_ATTEMPTS = 10
const REOPEN_WAIT_MS = 1000

/**
 * Group commit without a timer: calls that arrive while a batch is in flight form the next one. A second batch is sent before the first has ended
 * only if it is large enough to be worth a commit of its own, and batches are quick.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { file, deduplicationWindowMs, kinds = [], firstWaitMs = 0, lockWaitMs = 0, walBytes = WAL_BYTES } = options
  const worker = new Worker(new URL('./threads/writer-thread.ts', import.meta.url), {
    name: 'writer',
    resourceLimits: limitYoungGeneration(YOUNG_MIB.writer),
    workerData: { file, deduplicationWindowMs, kinds, firstWaitMs, lockWaitMs, walBytes } satisfies WriterOptions,
  })
  const readerThread = startSqliteReader(file, { onFailed: options.onReaderLost })
  let packOperations = createPacker()
  const queue: Queued[] = []
  const inFlight: Queued[][] = []
  const rooms = createDeliveryRooms()
  /** How long the writer took for the latest batch. */
  let lastBatchMs = 0
  let waitingEvents = 0
  let waitingBytes = 0
  let state: 'ready' | 'broken' | 'closing' | 'lost' = 'ready'
  let reopenAttempts = 0
  let onIdle: (() => void) | undefined
  /** Called when the writer has compared its files a last time, or has lost them. */
  let onEnded: (() => void) | undefined
  let isLossReported = false
  /** When the writer last sent a message, or got work after it was idle. */
  let lastSignAt = performance.now()

  function enqueue(operation: StoreCall): Promise<unknown> {
    const events = operation.method === 'storeCallback' ? 1 : 0
    const bytes = operation.method === 'storeCallback' ? operation.args[0].body.length : 0
    if (state !== 'ready') return Promise.reject(unavailable())
    if (events > 0 && (waitingEvents + events > options.queue.events || waitingBytes + bytes > options.queue.bytes)) {
      return Promise.reject(
        new PortariaError('queue_full', 'more callbacks are waiting for the disk than storage.queue allows'),
      )
    }
    waitingEvents += events
    waitingBytes += bytes
    return new Promise((resolve, reject) => {
      queue.push({ operation, events, bytes, resolve, reject })
      sendBatch()
    })
  }

  function unavailable(): PortariaError {
    if (state === 'closing') return new PortariaError('store_unavailable', 'the store is closing')
    if (state === 'lost') return new PortariaError('store_unavailable', 'the database was lost; the gateway is ending')
    return new PortariaError('store_unavailable', 'the disk failed; the store is being opened again')
  }

  function sendBatch(): void {
    if (state === 'broken' || state === 'lost' || inFlight.length >= BATCHES_IN_FLIGHT) return
    if (inFlight.length > 0 && (queue.length < AHEAD_OPERATIONS || lastBatchMs > AHEAD_WITHIN_MS)) return
    if (queue.length === 0) {
      onIdle?.()
      return
    }
    let count = 0
    for (
      let bytes = 0;
      count < queue.length && count < BATCH_OPERATIONS && (count === 0 || bytes < BATCH_BYTES);
      count++
    ) {
      bytes += (queue[count] as Queued).bytes
    }
    const batch = queue.splice(0, count)
    if (inFlight.length === 0) lastSignAt = performance.now()
    if (post(batch)) inFlight.push(batch)
    else sendBatch()
  }

  /** Returns whether the writer gets the batch. Otherwise, for example without memory for the message, its calls have failed. */
  function post(batch: readonly Queued[]): boolean {
    try {
      const packed = packOperations(batch.map(({ operation }) => operation))
      worker.postMessage({ type: 'batch', packed, rooms: rooms.takeChanged() } satisfies ToWriter, [packed.bytes])
      return true
    } catch (cause) {
      // The writer does not get the values that this message numbers.
      packOperations = createPacker()
      const words = `the batch could not be sent to the writer: ${messageOf(cause)}`
      failBatch(batch, new PortariaError('store_unavailable', words, { cause }))
      return false
    }
  }

  /** @param stored what the results that are null stand for, in order */
  function settleBatch(batch: readonly Queued[], results: readonly ThreadResult[], stored: readonly unknown[]): void {
    let place = 0
    batch.forEach((queued, index) => {
      waitingEvents -= queued.events
      waitingBytes -= queued.bytes
      const result = results[index] as ThreadResult
      if (result === null) queued.resolve(stored[place++])
      else settle(queued, result)
    })
  }

  function failBatch(batch: readonly Queued[], error: PortariaError): void {
    settleBatch(
      batch,
      batch.map(() => ({ error })),
      [],
    )
  }

  function failEverything(error: PortariaError): void {
    for (const batch of inFlight.splice(0)) failBatch(batch, error)
    for (const queued of queue.splice(0)) {
      waitingEvents -= queued.events
      waitingBytes -= queued.bytes
      queued.reject(error)
    }
    onIdle?.()
  }

  function reopen(): void {
    reopenAttempts++
    const wait = reopenAttempts === 1 ? 0 : REOPEN_WAIT_MS
    setTimeout(() => state === 'broken' && worker.postMessage({ type: 'reopen' } satisfies ToWriter), wait)
  }

  function lose(error: PortariaError): void {
    if (state === 'closing') return
    failForGood(error)
    reportLoss(error)
  }

  function failForGood(error: PortariaError): void {
    failEverything(error)
    if (state === 'lost' || state === 'closing') return
    state = 'lost'
    options.onLosing?.()
  }

  function reportLoss(error: PortariaError): void {
    if (isLossReported) return
    isLossReported = true
    options.onLost?.(error)
    onEnded?.()
  }

  function receive(message: FromWriter): void {
    lastSignAt = performance.now()
    if (message.type === 'results') {
      const batch = inFlight.shift()
      // Its predecessor broke the connection: the writer has refused it, and its calls have failed already.
      if (batch === undefined) return
      lastBatchMs = message.durationMs
      const callbacks = batch.filter(({ operation }) => operation.method === 'storeCallback').length
      const failed = message.results.find((result) => result !== null && 'error' in result)
      const stored = unpackResults(message.stored)
      backlogs.change(message.backlogs)
      settleBatch(batch, message.results, stored)
      if (message.broken) breakDown(failed?.error.message ?? 'the disk failed')
      else if (callbacks > 0) options.onCommit?.({ callbacks, durationMs: message.durationMs })
      sendBatch()
    } else if (message.type === 'opened' && state === 'broken') {
      state = 'ready'
      reopenAttempts = 0
      backlogs.begin(message.backlogs)
      rooms.forget()
      options.onTrouble?.({ broken: false, message: 'the database is open again' })
    } else if (message.type === 'failed' && state === 'broken') {
      if (reopenAttempts >= REOPEN_ATTEMPTS) lose(errorOfThread(message.error))
      else reopen()
    } else if (message.type === 'failing') failForGood(errorOfThread(message.error))
    else if (message.type === 'lost') reportLoss(errorOfThread(message.error))
    else if (message.type === 'stopped') onEnded?.()
  }

  function breakDown(message: string): void {
    if (state !== 'ready') return
    state = 'broken'
    failEverything(new PortariaError('store_unavailable', message))
    options.onTrouble?.({ broken: true, message })
    reopen()
  }

  const first = await opened(worker, options.onPreparing).catch(async (error: unknown) => {
    await Promise.all([worker.terminate(), readerThread.abandon()])
    throw error
  })
  worker.on('message', receive)
  worker.on('error', (error) =>
    lose(new PortariaError('store_unavailable', `the writer thread has failed: ${error.message}`, { cause: error })),
  )
  worker.on('exit', () => {
    lose(new PortariaError('store_unavailable', 'the writer thread has ended'))
    onEnded?.()
  })
  const reader = await readerThread.open().catch(async (error: unknown) => {
    await worker.terminate()
    throw error
  })

  const backlogs = createKeptBacklogs(reader.takeSnapshot)
  backlogs.begin(first.backlogs)
  const indexing = createIndexingReader(file)
  const methods = methodsOf<Pick<Store, WriteMethod>>(first.methods, (method, args) =>
    enqueue({ method, args } as StoreCall),
  )

  return {
    ...reader,
    ...methods,
    ...indexing.methods,
    takeSnapshot: backlogs.takeSnapshot,
    recordRefusals(batch) {
      // Refusals give way to callbacks.
      const isBusy = waitingEvents > options.queue.events / 2 || waitingBytes > options.queue.bytes / 2
      if (!isBusy) return methods.recordRefusals(batch)
      return Promise.reject(new PortariaError('queue_full', 'too many callbacks are waiting for the disk'))
    },
    offerRoom: rooms.offer,
    pulse() {
      const isAwaited = inFlight.length > 0 || state === 'broken'
      return { waitingEvents, waitingBytes, silentMs: isAwaited ? performance.now() - lastSignAt : 0 }
    },
    async close() {
      // In a loop, because the result of a call may cause another call.
      while (state === 'ready' && (inFlight.length > 0 || queue.length > 0))
        await new Promise<void>((resolve) => (onIdle = resolve))
      if (state !== 'lost') worker.postMessage({ type: 'stop' } satisfies ToWriter)
      state = 'closing'
      if (!isLossReported) await new Promise<void>((resolve) => (onEnded = resolve))
      await Promise.all([reader.close(), indexing.close()])
      if (isLossReported) {
        await worker.terminate()
        return
      }
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
      worker.postMessage({ type: 'close' } satisfies ToWriter)
      await ended
    },
  }
}

type Settled = NonNullable<ThreadResult>

function settle(queued: Queued, result: Settled): void {
  if ('error' in result) queued.reject(errorOfThread(result.error))
  else if ('claim' in result) queued.resolve(claimOf(result.claim))
  else queued.resolve(result.value)
}

type Opened = Extract<FromWriter, { type: 'opened' }>

function opened(worker: Worker, onPreparing: SqliteStoreOptions['onPreparing']): Promise<Opened> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.on('message', function receive(message: FromWriter) {
      if (message.type === 'preparing') return onPreparing?.(message.step)
      worker.off('message', receive)
      if (message.type === 'failed' || message.type === 'failing') reject(errorOfThread(message.error))
      else if (message.type === 'opened') resolve(message)
    })
  })
}
