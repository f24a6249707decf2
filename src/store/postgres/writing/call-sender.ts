import type { DeliverySlots } from '../../../domain/delivery.ts'
import type { KindRule } from '../../../domain/kinds.ts'
import type { WriterPulse } from '../../../domain/store.ts'
import type { PortariaError } from '../../../platform/errors.ts'
import { createCallbackReader } from '../../storing/callback-reader.ts'
import { createHandOver } from '../../storing/hand-over.ts'
import { createWriteQueue, type QueueLimits, type Settling } from '../../storing/write-queue.ts'
import { createWriterState, type WriterTrouble } from '../../storing/writer-state.ts'
import { type Database, STORING_MS } from '../database/database.ts'
import { unavailable } from '../database/failures.ts'
import { createWriter, type WriteResult } from './writer.ts'
import type { WriterParts } from './writer-parts.ts'
import type { PostgresCall, PostgresWriteCall } from './writes.ts'

/** Sends the calls of writing methods to the writer in batches, and connects again where the connection has failed. */
export interface CallSender {
  /** @param place `first`: before all that waits */
  add(call: PostgresCall, place?: 'first' | 'last'): Promise<unknown>
  /** The connection of the database has failed. */
  connectionFailed(): void
  offerSlots(slots: DeliverySlots): void
  isHalfFull(): boolean
  pulse(): WriterPulse
  /** Behind all calls that wait. */
  close(): Promise<void>
}

export interface SenderOptions extends WriterTrouble {
  readonly kinds?: readonly KindRule[]
  readonly queue: QueueLimits
  /** Called after each batch that stored callbacks, with their number and its duration. */
  readonly onCommit?: (commit: { callbacks: number; durationMs: number }) => void
}

export function createCallSender(
  database: Database,
  parts: Omit<WriterParts, 'handOver'>,
  options: SenderOptions,
): CallSender {
  const readCallback = createCallbackReader(options.kinds ?? [])
  const queue = createWriteQueue<WriteResult, PostgresCall>(options.queue, send, settle)
  const state = createWriterState(
    {
      failedWords: 'PostgreSQL is away',
      reopenAttempts: Number.POSITIVE_INFINITY,
      failAll: queue.failAll,
      askToReopen: () => void reopen(),
    },
    options,
  )
  /** Of the connection that there is: `connected` makes them. */
  let { handOver, run } = connected()
  /** The batches that were sent, one after the other. */
  let running: Promise<void> = Promise.resolve()
  /** A batch is under way: its end reports the failure of the connection. */
  let isWriting = false
  let sentAt = 0
  /** Why the last attempt to connect again failed. It is reported once. */
  let lastReason = ''

  /** Offers of before do not count what was handed over since. */
  function connected() {
    const handOver = createHandOver()
    return { handOver, run: createWriter(database, { ...parts, handOver }, () => queue.waiting().waitingEvents > 0) }
  }

  function breakOff(): void {
    const failure = database.failure()
    if (failure !== null && failure.code !== 'store_unavailable') state.lose(failure)
    else state.broke(failure?.message ?? 'the connection has failed')
  }

  async function reopen(): Promise<void> {
    try {
      await database.reopen()
      ;({ handOver, run } = connected())
      lastReason = ''
      state.opened()
    } catch (error) {
      notOpened(unavailable(error))
    }
  }

  function notOpened(reason: PortariaError): void {
    if (reason.code !== 'store_unavailable') return state.lose(reason)
    if (reason.message !== lastReason) options.onTrouble?.({ broken: true, message: reason.message })
    lastReason = reason.message
    state.notOpened(reason)
  }

  function send(calls: readonly PostgresCall[]): null {
    running = running.then(() => perform(calls)).catch((error: unknown) => state.lose(unavailable(error)))
    return null
  }

  async function perform(calls: readonly PostgresCall[]): Promise<void> {
    // The batch before broke the connection, and this one was refused.
    if (!state.is('ready')) return
    sentAt = performance.now()
    isWriting = true
    const results = await run(calls.map(withFacts))
    isWriting = false
    const durationMs = performance.now() - sentAt
    const callbacks = queue.answered({ results, stored: [], durationMs }) ?? 0
    if (database.failure() !== null) return breakOff()
    if (callbacks > 0) options.onCommit?.({ callbacks, durationMs })
    queue.sendNext()
  }

  /**
   * Behind what is sent next: PostgreSQL works on it while callers are answered. Where other nodes wait for the head they are answered before it is locked
   * again.
   */
  function settle({ resolve, reject }: Settling, result: WriteResult): void {
    const settled = () => ('error' in result ? reject(result.error) : resolve(result.value))
    if (parts.node.living > 1) settled()
    else setImmediate(settled)
  }

  function withFacts(call: PostgresCall): PostgresWriteCall {
    return call.method === 'storeCallback' ? { method: call.method, args: [readCallback(call.args[0])] } : call
  }

  function add(call: PostgresCall, place: 'first' | 'last' = 'last'): Promise<unknown> {
    if (!state.is('ready')) return Promise.reject(state.unavailable())
    if (call.method === 'storeCallback') database.hurry(STORING_MS)
    // Meanwhile PostgreSQL works on the batch before. What is going to be refused is not read.
    return queue.add(queue.isHalfFull() ? call : withFacts(call), place)
  }

  return {
    add,
    connectionFailed() {
      if (!isWriting) breakOff()
    },
    offerSlots: (slots) => handOver.offered([slots]),
    isHalfFull: queue.isHalfFull,
    pulse: () => ({ ...queue.waiting(), silentMs: isWriting ? performance.now() - sentAt : 0 }),
    async close() {
      while (state.is('ready') && queue.hasCalls()) await queue.emptied()
      const closed = state.close()
      state.ended()
      await Promise.all([closed, running])
    },
  }
}
