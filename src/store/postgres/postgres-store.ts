import type { KindRule } from '../../domain/kinds.ts'
import type { Store } from '../../domain/store.ts'
import { createCertainClock } from '../rules/certain-clock.ts'
import { createCallbackReader } from '../storing/callback-reader.ts'
import { createHandOver } from '../storing/hand-over.ts'
import type { StoreCall, WriteCall } from '../storing/store-calls.ts'
import { createWriteQueue, type QueueLimits, type Settling } from '../storing/write-queue.ts'
import { readClock } from './clock.ts'
import { openDatabase } from './database/database.ts'
import { nextEpoch } from './database/epoch.ts'
import type { Sql } from './database/sql.ts'
import { voidOldClaims } from './deliveries/claims.ts'
import { type PostgresReadMethod, READS } from './writing/reads.ts'
import { createWriter, type WriteResult } from './writing/writer.ts'
import { type PostgresWriteMethod, WRITES } from './writing/writes.ts'

export interface PostgresStoreOptions {
  readonly url: string
  readonly deduplicationWindowMs: number
  readonly kinds?: readonly KindRule[]
  /** Wait before the first attempt of a delivery, unless its destination has a schedule of its own; default 0. */
  readonly firstWaitMs?: number
  readonly queue: QueueLimits
}

/** What this store has by now. */
export type PostgresStore = Pick<Store, PostgresReadMethod | PostgresWriteMethod | 'offerSlots' | 'pulse' | 'close'>

/** @throws PortariaError `store_unavailable` */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const database = await openDatabase(options.url)
  const clock = createCertainClock(await database.read(readClock), Date.now)
  const handOver = createHandOver()
  const run = createWriter(database, {
    clock,
    window: clock.windowOf(options.deduplicationWindowMs),
    firstWaitMs: options.firstWaitMs ?? 0,
    writerEpoch: await database.write(beginEpoch, true),
    handOver,
  })
  const readCallback = createCallbackReader(options.kinds ?? [])
  const queue = createWriteQueue<WriteResult>(options.queue, send, settle)
  /** The batches that were sent, one after the other. */
  let running: Promise<void> = Promise.resolve()
  let sentAt = 0

  function send(calls: readonly StoreCall[]): null {
    running = running.then(async () => {
      sentAt = performance.now()
      const results = await run(calls.map(withFacts))
      queue.answered({ results, stored: [], durationMs: performance.now() - sentAt })
      queue.sendNext()
    })
    return null
  }

  function withFacts(call: StoreCall): WriteCall {
    return call.method === 'storeCallback' ? { method: call.method, args: [readCallback(call.args[0])] } : call
  }

  const reads = Object.entries(READS).map(([name, read]) => [
    name,
    (...args: readonly unknown[]) =>
      database.read((sql) => (read as (sql: Sql, ...given: readonly unknown[]) => Promise<unknown>)(sql, ...args)),
  ])
  const writes = Object.keys(WRITES).map((method) => [
    method,
    (...args: readonly unknown[]) => queue.add({ method, args } as unknown as StoreCall),
  ])
  return {
    ...(Object.fromEntries([...reads, ...writes]) as Pick<PostgresStore, PostgresReadMethod | PostgresWriteMethod>),
    offerSlots: (slots) => handOver.offered([slots]),
    pulse: () => ({ ...queue.waiting(), silentMs: queue.isInFlight() ? performance.now() - sentAt : 0 }),
    async close() {
      while (queue.hasCalls()) await queue.emptied()
      await running
      await database.close()
    },
  }
}

function settle({ resolve, reject }: Settling, result: WriteResult): void {
  if ('error' in result) reject(result.error)
  else resolve(result.value)
}

/** One node alone uses the database: the claims of earlier processes are void. */
async function beginEpoch(sql: Sql): Promise<number> {
  await voidOldClaims(sql, Date.now())
  return nextEpoch(sql)
}
