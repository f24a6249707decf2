import { randomUUID } from 'node:crypto'
import type { NodeStore, NodeWrites } from '../../domain/nodes/node.ts'
import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { createCertainClock } from '../rules/certain-clock.ts'
import { readClock } from '../sql/clock.ts'
import { createOwnCommits } from './changes/own-commits.ts'
import { watchChanges } from './changes/watch-changes.ts'
import { ask } from './database/ask.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database/database.ts'
import { LEASE_MS } from './leases.ts'
import { getSession, listGrants, listSessionKeys } from './page-sessions.ts'
import { readMethods } from './postgres-reader.ts'
import { createSearchWork } from './search/search-work.ts'
import { type CallSender, createCallSender, type SenderOptions } from './writing/call-sender.ts'
import { type PostgresCall, type PostgresWrites, WRITES } from './writing/writes.ts'

export interface PostgresStoreOptions extends DatabaseOptions, SenderOptions {
  readonly deduplicationWindowMs: number
  /** Wait before the first attempt of a delivery, unless its destination has a schedule of its own; default 0. */
  readonly firstWaitMs?: number
  /** As in WriterParts; default 15 s. */
  readonly leaseMs?: number
  /** The time of this process, which follows the clock of the database from here on; default: that of the host. */
  readonly time?: { now(): number; follow(database: number, begunAt: number, endedAt: number): void }
}

export interface PostgresStore extends Store {
  readonly nodes: NodeStore
}

/** @throws PortariaError `store_unavailable`, `store_newer`, `configuration_invalid` */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  let sender: CallSender | undefined
  const database = await openDatabase(options, () => sender?.connectionFailed())
  // Nothing takes a time before: a host whose clock is wrong would judge the right one of the database.
  const evidence = await followClock(database, options).catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  const clock = createCertainClock(evidence, options.time?.now ?? Date.now)
  const { leaseMs = LEASE_MS, firstWaitMs = 0 } = options
  const own = createOwnCommits(randomUUID())
  const window = clock.windowOf(options.deduplicationWindowMs)
  const { add, ...sending } = createCallSender(
    database,
    { clock, window, firstWaitMs, node: { id: null, living: 1 }, own, leaseMs },
    options,
  )
  sender = { add, ...sending }

  const writes = Object.keys(WRITES).map((method) => [
    method,
    (...args: readonly unknown[]) => add({ method, args } as unknown as PostgresCall),
  ])
  const methods = { ...readMethods(database.read), ...(Object.fromEntries(writes) as PostgresWrites) }
  return {
    ...methods,
    ...createSearchWork(database.read, methods),
    recordRefusals(batch) {
      if (!sending.isHalfFull()) return methods.recordRefusals(batch)
      return Promise.reject(new PortariaError('queue_full', 'too many callbacks are waiting for the database'))
    },
    nodes: {
      ...nodeWrites(add),
      watch: (listener) => watchChanges({ connect: database.connectListener, read: database.read, own }, listener).stop,
    },
    pageSessions: {
      keepSession: methods.keepSession,
      useSession: methods.useSession,
      endSession: methods.endSession,
      claimGrant: methods.claimGrant,
      keepGrant: methods.keepGrant,
      endGrants: methods.endGrants,
      takeOnce: methods.takeOnce,
      getSession: (key) => database.read((sql) => getSession(sql, key)),
      listSessionKeys: () => database.read(listSessionKeys),
      listGrants: () => database.read(listGrants),
    },
    offerSlots: sending.offerSlots,
    pulse: sending.pulse,
    async close() {
      await sending.close()
      await database.close()
    },
  }
}

async function followClock({ read }: Database, { time }: Pick<PostgresStoreOptions, 'time'>) {
  const evidence = await read((sql) => ask(sql, readClock))
  const begunAt = Date.now()
  const database = await read((sql) => sql.get<{ at: number }>('select clock_timestamp() as at'))
  if (database !== undefined) time?.follow(database.at, begunAt, Date.now())
  return evidence
}

/** They go before the callbacks that wait: without a sign of life this node would lose its leases. */
function nodeWrites(add: (call: PostgresCall, place: 'first') => Promise<unknown>): NodeWrites {
  const write =
    (method: keyof NodeWrites) =>
    (...args: readonly unknown[]) =>
      add({ method, args } as unknown as PostgresCall, 'first')
  return { signOn: write('signOn'), freeLeases: write('freeLeases'), signOff: write('signOff') } as NodeWrites
}
