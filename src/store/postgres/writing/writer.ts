import type { NewCallback } from '../../../domain/event.ts'
import { PortariaError } from '../../../platform/errors.ts'
import { withoutFacts } from '../../storing/callback-writer.ts'
import { type Database, STORING_MS } from '../database/database.ts'
import { isOfServer, unavailable } from '../database/failures.ts'
import type { Head } from '../database/head.ts'
import type { WriterSql } from '../database/sql.ts'
import { type Ahead, readAhead } from '../events/storing.ts'
import { beginTransaction, createCaches, type Transaction } from './transaction.ts'
import type { WriterParts } from './writer-parts.ts'
import { limitOf, type PostgresWriteCall, performWrite, storeCallbacks, WRITES } from './writes.ts'

export type WriteResult = { readonly value: unknown } | { readonly error: PortariaError }

/** Performs calls in their order, neighbours that may share a commit in one transaction. Returns one result for each call. */
export type Writer = (calls: readonly PostgresWriteCall[]) => Promise<WriteResult[]>

/** @param isAwaited a callback waits for its commit, or for the calls before it */
export function createWriter(database: Database, parts: WriterParts, isAwaited: () => boolean): Writer {
  const caches = createCaches()

  /** Performs all of them in one commit, or none. */
  async function commit(calls: readonly PostgresWriteCall[]): Promise<unknown[]> {
    const isSynced = calls.some(({ method }) => WRITES[method].isSynced)
    const limitMs = isAwaited() ? STORING_MS : Math.min(...calls.map(({ method }) => limitOf(method)))
    try {
      let told: number | null = null
      const runs = callbackRunsOf(calls)
      let known: Ahead | undefined
      const ahead = (sql: WriterSql) => {
        const { list: destinations } = caches.destinations
        if (Array.isArray(runs[0])) known = readAhead(sql, runs[0], { destinations, window: parts.window })
      }
      const write = async (sql: WriterSql, head: Head) => {
        const before = head.changes
        const transaction = beginTransaction(sql, head, caches, parts)
        const value = await performAll(transaction, runs, known)
        const last = transaction.end()
        told = head.changes > before ? head.changes : null
        return { value, last }
      }
      const values = await database.write(write, { isSynced, limitMs, ahead })
      if (told !== null) parts.own.confirmed(told)
      parts.handOver.committed()
      return values
    } catch (error) {
      parts.handOver.rolledBack()
      throw error
    }
  }

  /** @param ahead of the first run */
  async function performAll(transaction: Transaction, runs: readonly Run[], ahead?: Ahead): Promise<unknown[]> {
    const values: unknown[] = []
    for (const run of runs) {
      const read = run === runs[0] ? ahead : undefined
      if (Array.isArray(run)) values.push(...(await storeCallbacks(parts, transaction, run, read)))
      else values.push(await performWrite(parts, transaction, run as PostgresWriteCall))
    }
    return values
  }

  /** No call is at fault. */
  function isOfDatabase(error: unknown): boolean {
    return database.failure() !== null || isOfServer(error)
  }

  async function commitAlone(call: PostgresWriteCall): Promise<WriteResult> {
    try {
      const [value] = await commit([call])
      return { value }
    } catch (error) {
      if (call.method !== 'storeCallback' || error instanceof PortariaError || isOfDatabase(error))
        return failure(error)
      const unparsed: PostgresWriteCall = { method: 'storeCallback', args: [withoutFacts(call.args[0])] }
      return commit([unparsed]).then(([value]) => ({ value }), failure)
    }
  }

  async function commitGroup(calls: readonly PostgresWriteCall[]): Promise<WriteResult[]> {
    if (calls.length === 1) return [await commitAlone(calls[0] as PostgresWriteCall)]
    try {
      return (await commit(calls)).map((value) => ({ value }))
    } catch (error) {
      if (isOfDatabase(error)) return calls.map(() => failure(error))
    }
    // The error comes from one of them, which must not fail the others.
    const results: WriteResult[] = []
    for (const call of calls) results.push(await commitAlone(call))
    return results
  }

  return async function run(calls) {
    const results: WriteResult[] = []
    for (const group of groupsOf(calls)) results.push(...(await commitGroup(group)))
    return results
  }
}

function isShared({ method }: PostgresWriteCall): boolean {
  return WRITES[method].commit === 'shared'
}

function failure(error: unknown): WriteResult {
  return { error: error instanceof PortariaError ? error : unavailable(error) }
}

function groupsOf(calls: readonly PostgresWriteCall[]): PostgresWriteCall[][] {
  const groups: PostgresWriteCall[][] = []
  for (const call of calls) {
    const last = groups.at(-1)
    if (last?.[0] !== undefined && isShared(call) && isShared(last[0])) last.push(call)
    else groups.push([call])
  }
  return groups
}

type Run = PostgresWriteCall | NewCallback[]

/** Callbacks that follow each other are stored together. */
function callbackRunsOf(calls: readonly PostgresWriteCall[]): Run[] {
  const runs: Run[] = []
  for (const call of calls) {
    const last = runs.at(-1)
    if (call.method !== 'storeCallback') runs.push(call)
    else if (Array.isArray(last)) last.push(call.args[0])
    else runs.push([call.args[0]])
  }
  return runs
}
