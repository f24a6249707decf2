import type { NewCallback } from '../../../domain/event.ts'
import { PortariaError } from '../../../platform/errors.ts'
import { withoutFacts } from '../../storing/callback-writer.ts'
import type { WriteCall } from '../../storing/store-calls.ts'
import { type Database, unavailable } from '../database/database.ts'
import { beginTransaction, type DestinationCache, type Transaction } from './transaction.ts'
import type { WriterParts } from './writer-parts.ts'
import { performWrite, storeCallbacks, WRITES } from './writes.ts'

export type WriteResult = { readonly value: unknown } | { readonly error: PortariaError }

/** Performs calls in their order, neighbours that may share a commit in one transaction. Returns one result for each call. */
export type Writer = (calls: readonly WriteCall[]) => Promise<WriteResult[]>

export function createWriter(database: Database, parts: WriterParts): Writer {
  const cache: DestinationCache = { version: -1, list: [] }

  /** Performs all of them in one commit, or none. */
  async function commit(calls: readonly WriteCall[]): Promise<unknown[]> {
    const isSynced = calls.some(({ method }) => WRITES[method]?.isSynced)
    try {
      const values = await database.write(async (sql) => {
        const transaction = beginTransaction(sql, cache)
        const performed = await performAll(transaction, calls)
        await transaction.end()
        return performed
      }, isSynced)
      parts.handOver.committed()
      return values
    } catch (error) {
      parts.handOver.rolledBack()
      throw error
    }
  }

  async function performAll(transaction: Transaction, calls: readonly WriteCall[]): Promise<unknown[]> {
    const values: unknown[] = []
    for (const run of callbackRunsOf(calls)) {
      if (Array.isArray(run)) values.push(...(await storeCallbacks(parts, transaction, run)))
      else values.push(await performWrite(parts, transaction, run as WriteCall))
    }
    return values
  }

  async function commitAlone(call: WriteCall): Promise<WriteResult> {
    try {
      const [value] = await commit([call])
      return { value }
    } catch (error) {
      if (call.method !== 'storeCallback' || error instanceof PortariaError) return failure(error)
      const unparsed: WriteCall = { method: 'storeCallback', args: [withoutFacts(call.args[0])] }
      return commit([unparsed]).then(([value]) => ({ value }), failure)
    }
  }

  /** An error of a group comes from one of them, which must not fail the others. */
  async function commitGroup(calls: readonly WriteCall[]): Promise<WriteResult[]> {
    if (calls.length > 1) {
      const values = await commit(calls).catch(() => null)
      if (values !== null) return values.map((value) => ({ value }))
    }
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

function failure(error: unknown): WriteResult {
  return { error: error instanceof PortariaError ? error : unavailable(error) }
}

function groupsOf(calls: readonly WriteCall[]): WriteCall[][] {
  const groups: WriteCall[][] = []
  const isShared = ({ method }: WriteCall) => WRITES[method]?.commit === 'shared'
  for (const call of calls) {
    const last = groups.at(-1)
    if (last?.[0] !== undefined && isShared(call) && isShared(last[0])) last.push(call)
    else groups.push([call])
  }
  return groups
}

/** Callbacks that follow each other are stored together. */
function callbackRunsOf(calls: readonly WriteCall[]): (WriteCall | NewCallback[])[] {
  const runs: (WriteCall | NewCallback[])[] = []
  for (const call of calls) {
    const last = runs.at(-1)
    if (call.method !== 'storeCallback') runs.push(call)
    else if (Array.isArray(last)) last.push(call.args[0])
    else runs.push([call.args[0]])
  }
  return runs
}
