import { parentPort, workerData } from 'node:worker_threads'
import type { Claim } from '../../domain/delivery.ts'
import { PortariaError } from '../../domain/errors.ts'
import type { StoredCallback } from '../../domain/event-record.ts'
import { type Connection, openForWriting } from './connection.ts'
import { lockDatabase } from './lock.ts'
import { migrate } from './migrations.ts'
import type { Operation, Result } from './operations.ts'
import { type PackedClaim, type PackedOperations, packClaim, unpackOperations } from './wire.ts'
import { createWriter, type Writer } from './writer.ts'

/** The writer's thread: the only one that changes the database. Main sends a batch, this answers with its results, one batch after the other. */
export interface WriterOptions {
  readonly file: string
  readonly deduplicationWindowMs: number
  /** Wait before the first attempt at a delivery, where its destination has no schedule of its own; default 0. */
  readonly firstWaitMs?: number
  /** How long another owner of the file is waited for before `store_locked`; default 0. */
  readonly lockWaitMs?: number
  /** As in openForWriting. */
  readonly logBytes?: number
}

export type ToWriter =
  | { readonly type: 'batch'; readonly packed: PackedOperations }
  | { readonly type: 'reopen' }
  | { readonly type: 'close' }

/** An error as it crosses threads. */
export interface WireError {
  readonly code: PortariaError['code']
  readonly message: string
  readonly violations?: PortariaError['violations']
}

/** null stands for the next of the stored callbacks. */
export type WireResult =
  | { readonly value: unknown }
  | { readonly claim: PackedClaim }
  | { readonly error: WireError }
  | null

export type FromWriter =
  | { readonly type: 'opened' }
  | { readonly type: 'failed'; readonly error: WireError }
  | {
      readonly type: 'results'
      readonly results: WireResult[]
      /** What became of stored callbacks, as one JSON text: cheaper on both sides than a structured clone. */
      readonly stored: string
      readonly broken: boolean
      readonly durationMs: number
    }
  | { readonly type: 'closed' }

const port = parentPort
if (port === null) throw new Error('writer-thread.ts runs only as a worker')
const options = workerData as WriterOptions

let db: Connection | undefined
let writer: Writer | undefined
let unlock: (() => void) | undefined
/** Nothing is written between a failure of the disk and the reopening, also not what was sent before main heard of it. */
let isBroken = false

function open(): void {
  unlock ??= lockDatabase(options.file, options.lockWaitMs ?? 0)
  db = openForWriting(options.file, options.logBytes)
  migrate(db)
  // After a failed sync the kernel may have dropped pages of the log that look written. Moving the whole log into the database and
  // starting it anew means that nothing later rests on them.
  const [checkpoint] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
  if (checkpoint?.busy !== 0 && writer !== undefined) {
    throw new PortariaError('store_unavailable', 'a reader holds the log, it cannot be started anew yet')
  }
  writer = createWriter(db, {
    deduplicationWindowMs: options.deduplicationWindowMs,
    firstWaitMs: options.firstWaitMs ?? 0,
    now: Date.now,
    // The attempts of this process go on while its database is opened again.
    ...(writer !== undefined && { owner: writer.owner }),
  })
  isBroken = false
}

function closeConnection(): void {
  try {
    db?.close()
  } finally {
    db = undefined
  }
}

function tell(message: FromWriter, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer)
}

function openAndTell(): void {
  try {
    open()
    tell({ type: 'opened' })
  } catch (error) {
    closeConnection()
    tell({ type: 'failed', error: wireError(error) })
  }
}

function runBatch(packed: PackedOperations): void {
  const startedAt = performance.now()
  const operations = unpackOperations(packed)
  const { results, broken } = isBroken ? refuse(operations) : (writer as Writer).run(operations)
  isBroken = broken
  const stored: StoredCallback[] = []
  const wired = results.map((result, index): WireResult => {
    const operation = operations[index] as Operation
    if (!result.ok || operation.method !== 'storeCallback') return wireResult(operation, result)
    stored.push(result.value as StoredCallback)
    return null
  })
  const transfer = wired.flatMap((result) => (result !== null && 'claim' in result ? [result.claim.bytes] : []))
  const durationMs = performance.now() - startedAt
  tell({ type: 'results', results: wired, stored: JSON.stringify(stored), broken, durationMs }, transfer)
}

function refuse(operations: readonly Operation[]): { results: Result[]; broken: boolean } {
  const error = new PortariaError('store_unavailable', 'the disk failed; the store is being opened again')
  return { results: operations.map(() => ({ ok: false, error })), broken: true }
}

function wireResult(operation: Operation, result: Result): WireResult {
  if (!result.ok) return { error: wireError(result.error) }
  if (operation.method === 'claimDeliveries') return { claim: packClaim(result.value as Claim) }
  return { value: result.value }
}

function wireError(error: unknown): WireError {
  if (error instanceof PortariaError) return { code: error.code, message: error.message, violations: error.violations }
  return {
    code: 'store_unavailable',
    message: `the database cannot be used: ${error instanceof Error ? error.message : String(error)}`,
  }
}

port.on('message', (message: ToWriter) => {
  if (message.type === 'batch') return runBatch(message.packed)
  closeConnection()
  if (message.type === 'reopen') return openAndTell()
  unlock?.()
  tell({ type: 'closed' })
  port.close()
})
openAndTell()
