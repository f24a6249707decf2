import type { DeliverySlots } from '../../../domain/delivery.ts'
import type { NewCallback } from '../../../domain/event.ts'
import type { KeptBacklog } from '../../../domain/store-snapshot.ts'
import { messageOf, PortariaError } from '../../../platform/errors.ts'
import { withoutFacts } from '../../storing/callback-writer.ts'
import { type Connection, isBrokenConnection, isDiskError } from '../database/connection.ts'
import { voidOldClaims } from '../deliveries/claims.ts'
import type { SqliteWriteCall } from './sqlite-calls.ts'
import { createWriterParts, type WriterOptions } from './writer-parts.ts'
import { performWrite, WRITES } from './writes.ts'

export type WriteResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: PortariaError }

/** What a commit did: the values of its operations, or nothing. */
type Committed =
  | { readonly ok: true; readonly values: readonly unknown[] }
  | { readonly ok: false; readonly error: unknown }

export interface Writer {
  /** A number that no earlier process had. It fences claims: a write after a claim repeats it. */
  readonly epoch: number
  /** The sums of waiting deliveries that have changed since the last call; at first all. */
  changedBacklogs(): KeptBacklog[]
  /**
   * Returns one result per operation, in order. `broken`: the connection must be reopened.
   * @throws when something fails behind a commit, for example without memory: nothing may be repeated, and this writer must not be used any more
   * @param slots as in Store.offerSlots; default none
   */
  run(
    operations: readonly SqliteWriteCall[],
    slots?: readonly DeliverySlots[],
  ): { results: WriteResult[]; broken: boolean }
}

/** @param options.writerEpoch that of this process's earlier writer, whose claims stay valid; left out: a new epoch, which voids all old claims */
export function createWriter(db: Connection, options: WriterOptions & { readonly writerEpoch?: number }): Writer {
  const epoch = options.writerEpoch ?? nextEpoch(db)
  if (options.writerEpoch === undefined) voidOldClaims(db, options.now())
  const parts = createWriterParts(db, epoch, options)
  const { callbacks, destinations, chargeRoutes, handOver, backlogs } = parts

  /** `setSyncing` alone changes it. */
  let isSyncing = true
  /** Sets whether the next commit is on disk when it returns. In WAL mode a synced commit makes all earlier ones durable, too. */
  function setSyncing(isWanted: boolean): void {
    if (isWanted === isSyncing) return
    db.pragma(isWanted ? 'synchronous = FULL' : 'synchronous = NORMAL')
    isSyncing = isWanted
  }

  const transaction = db.transaction((operations: readonly SqliteWriteCall[]) =>
    operations.map((operation) => performWrite(parts, operation)),
  )

  /** Performs all of them in one commit, or none. */
  function commit(operations: readonly SqliteWriteCall[]): Committed {
    const committed = perform(operations)
    // A failure here is no failure of the operations, which must not be repeated.
    if (committed.ok) {
      callbacks.committed()
      backlogs.committed()
    }
    const isChanging = operations.some(({ method }) => WRITES[method].commit === 'changing')
    return isChanging ? reloadBehind(committed) : committed
  }

  function perform(operations: readonly SqliteWriteCall[]): Committed {
    try {
      setSyncing(operations.some(({ method }) => WRITES[method].isSynced))
      return { ok: true, values: transaction.immediate(operations) }
    } catch (error) {
      callbacks.rolledBack()
      backlogs.rolledBack()
      return { ok: false, error }
    }
  }

  function reloadBehind(committed: Committed): Committed {
    try {
      destinations.reload()
      chargeRoutes.reload()
      return committed
    } catch (error) {
      return { ok: false, error }
    }
  }

  function commitAlone(operation: SqliteWriteCall): WriteResult {
    if (WRITES[operation.method].commit === 'outside') return performOutside(operation)
    const committed = commit([operation])
    if (committed.ok) return { ok: true, value: committed.values[0] }
    if (operation.method !== 'storeCallback' || isDiskError(committed.error)) return failure(committed.error)
    return commitUnparsed(operation.args[0])
  }

  function performOutside(operation: SqliteWriteCall): WriteResult {
    try {
      return { ok: true, value: performWrite(parts, operation) }
    } catch (error) {
      return failure(error)
    }
  }

  function commitUnparsed(callback: NewCallback): WriteResult {
    const committed = commit([{ method: 'storeCallback', args: [withoutFacts(callback)] }])
    return committed.ok ? { ok: true, value: committed.values[0] } : failure(committed.error)
  }

  function commitGroup(operations: readonly SqliteWriteCall[]): WriteResult[] {
    if (operations.length === 1) return operations.map(commitAlone)
    const committed = commit(operations)
    if (committed.ok) return committed.values.map((value) => ({ ok: true, value }))
    // A failed disk fails all of them. Any other error comes from one of them, which must not fail the others.
    const { error } = committed
    return isDiskError(error) ? operations.map(() => failure(error)) : operations.map(commitAlone)
  }

  return {
    epoch,
    changedBacklogs: backlogs.changed,
    run(operations, slots = []) {
      handOver.offered(slots)
      const results: WriteResult[] = []
      for (const group of groupsOf(operations)) {
        results.push(...commitGroup(group))
        if (results.some(isBroken)) {
          while (results.length < operations.length) results.push(results.at(-1) as WriteResult)
          return { results, broken: true }
        }
      }
      return { results, broken: false }
    },
  }
}

function groupsOf(operations: readonly SqliteWriteCall[]): SqliteWriteCall[][] {
  const groups: SqliteWriteCall[][] = []
  for (const operation of operations) {
    const last = groups.at(-1)
    if (last?.[0] !== undefined && isShared(operation) && isShared(last[0])) last.push(operation)
    else groups.push([operation])
  }
  return groups
}

function isShared(operation: SqliteWriteCall): boolean {
  return WRITES[operation.method].commit === 'shared'
}

function failure(error: unknown): WriteResult {
  if (error instanceof PortariaError) return { ok: false, error }
  return {
    ok: false,
    error: new PortariaError('store_unavailable', `the database refused the write: ${messageOf(error)}`, {
      cause: error,
    }),
  }
}

function isBroken(result: WriteResult): boolean {
  return !result.ok && isBrokenConnection(result.error.cause)
}

function nextEpoch(db: Connection): number {
  const row = db
    .prepare<[], { value: string }>(`
      insert into meta (key, value) values ('writer_epoch', '1') on conflict (key) do update set value = cast(value as integer) + 1 returning value`)
    .get()
  return Number(row?.value)
}
