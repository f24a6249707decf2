import type { KindRule } from '../../domain/kinds.ts'
import type { NodeStore, NodeWrites } from '../../domain/nodes/node.ts'
import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { createCertainClock } from '../rules/certain-clock.ts'
import { createCallbackReader } from '../storing/callback-reader.ts'
import { createHandOver } from '../storing/hand-over.ts'
import { createWriteQueue, type QueueLimits, type Settling } from '../storing/write-queue.ts'
import { createWriterState, type WriterTrouble } from '../storing/writer-state.ts'
import { readClock } from './clock.ts'
import { type DatabaseOptions, openDatabase, STORING_MS } from './database/database.ts'
import { unavailable } from './database/failures.ts'
import type { Sql } from './database/sql.ts'
import { listNodes } from './leases.ts'
import { prepareStep } from './search/search-index.ts'
import { type PostgresReads, READS } from './writing/reads.ts'
import { createWriter, type WriteResult } from './writing/writer.ts'
import { type PostgresCall, type PostgresWriteCall, type PostgresWrites, WRITES } from './writing/writes.ts'

export interface PostgresStoreOptions extends DatabaseOptions, WriterTrouble {
  readonly deduplicationWindowMs: number
  readonly kinds?: readonly KindRule[]
  /** Wait before the first attempt of a delivery, unless its destination has a schedule of its own; default 0. */
  readonly firstWaitMs?: number
  readonly queue: QueueLimits
  /** Called after each batch that stored callbacks, with their number and its duration. */
  readonly onCommit?: (commit: { callbacks: number; durationMs: number }) => void
  /** As in WriterParts; default 15 s. */
  readonly leaseMs?: number
}

const LEASE_MS = 15_000

export interface PostgresStore extends Store {
  readonly nodes: NodeStore
}

/** @throws PortariaError `store_unavailable`, `store_newer`, `configuration_invalid` */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  /** A batch is under way, or the opening: its end reports the failure of the connection. */
  let isWriting = true
  const database = await openDatabase(options, () => !isWriting && breakOff())
  const clock = createCertainClock(await database.read(readClock), Date.now)
  const { leaseMs = LEASE_MS } = options
  const parts = {
    clock,
    window: clock.windowOf(options.deduplicationWindowMs),
    firstWaitMs: options.firstWaitMs ?? 0,
    node: { id: null },
    leaseMs,
  }
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
  let sentAt = 0
  isWriting = false

  /** Offers of before do not count what was handed over since. */
  function connected() {
    const handOver = createHandOver()
    return { handOver, run: createWriter(database, { ...parts, handOver }, () => queue.waiting().waitingEvents > 0) }
  }

  function breakOff(): void {
    state.broke(database.failure()?.message ?? 'the connection has failed')
  }

  async function reopen(): Promise<void> {
    try {
      await database.reopen()
      ;({ handOver, run } = connected())
      state.opened()
    } catch (error) {
      const reason = unavailable(error)
      if (reason.code === 'store_unavailable') state.notOpened(reason)
      else state.lose(reason)
    }
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

  function withFacts(call: PostgresCall): PostgresWriteCall {
    return call.method === 'storeCallback' ? { method: call.method, args: [readCallback(call.args[0])] } : call
  }

  function add(call: PostgresCall, place: 'first' | 'last' = 'last'): Promise<unknown> {
    if (!state.is('ready')) return Promise.reject(state.unavailable())
    if (call.method === 'storeCallback') database.hurry(STORING_MS)
    return queue.add(call, place)
  }

  const reads = Object.entries(READS).map(([name, read]) => [
    name,
    (...args: readonly unknown[]) =>
      database.read((sql) => (read as (sql: Sql, ...given: readonly unknown[]) => Promise<unknown>)(sql, ...args)),
  ])
  const writes = Object.keys(WRITES).map((method) => [
    method,
    (...args: readonly unknown[]) => add({ method, args } as unknown as PostgresCall),
  ])
  const methods = Object.fromEntries([...reads, ...writes]) as PostgresReads & PostgresWrites
  return {
    ...methods,
    async workOnSearch(task, bounds) {
      const step = await database.read((sql) => prepareStep(sql, task, bounds))
      if (step !== null) await methods.performSearchStep(step)
      return step?.events ?? null
    },
    // A row of the index is removed as quickly as any other.
    prepareRemoval: async () => null,
    recordRefusals(batch) {
      if (!queue.isHalfFull()) return methods.recordRefusals(batch)
      return Promise.reject(new PortariaError('queue_full', 'too many callbacks are waiting for the database'))
    },
    nodes: {
      ...nodeWrites(add),
      listNodes: () => database.read((sql) => listNodes(sql, leaseMs)),
    },
    offerSlots: (slots) => handOver.offered([slots]),
    pulse: () => ({ ...queue.waiting(), silentMs: isWriting ? performance.now() - sentAt : 0 }),
    async close() {
      while (state.is('ready') && queue.hasCalls()) await queue.emptied()
      const closed = state.close()
      state.ended()
      await Promise.all([closed, running])
      await database.close()
    },
  }
}

function settle({ resolve, reject }: Settling, result: WriteResult): void {
  if ('error' in result) reject(result.error)
  else resolve(result.value)
}

/** They go before the callbacks that wait: without a sign of life this node would lose its leases. */
function nodeWrites(add: (call: PostgresCall, place: 'first') => Promise<unknown>): NodeWrites {
  const write =
    (method: keyof NodeWrites) =>
    (...args: readonly unknown[]) =>
      add({ method, args } as unknown as PostgresCall, 'first')
  return { signOn: write('signOn'), freeLeases: write('freeLeases'), signOff: write('signOff') } as NodeWrites
}
