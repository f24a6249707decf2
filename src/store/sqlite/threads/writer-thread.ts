import { closeSync, openSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { Claim } from '../../../domain/delivery.ts'
import type { StoredCallback } from '../../../domain/event-record.ts'
import { PortariaError } from '../../../platform/errors.ts'
import { realFileOf } from '../../../platform/real-file.ts'
import { type Connection, openForWriting } from '../database/connection.ts'
import { checkDatabaseFile } from '../database/database-file.ts'
import { type Difference, type FileWatch, watchFiles } from '../database/file-watch.ts'
import {
  createFinder,
  type Found,
  isSameKnown,
  type LastKnown,
  NOTHING_KNOWN,
  nameDatabase,
  readLastKnown,
  refuseLess,
  writeLastKnown,
} from '../database/last-known.ts'
import { lockDatabase } from '../database/lock.ts'
import { salvage } from '../database/lost-files.ts'
import { isCurrentSchema, migrate } from '../database/migrations.ts'
import {
  type PackedClaim,
  type PackedOperations,
  packClaim,
  type ThreadError,
  threadError,
  unpackOperations,
} from './thread-messages.ts'
import { createWriter, type WriteResult, type Writer } from './writer.ts'
import type { WriteCall } from './writes.ts'

/** The writer's thread: the only one that changes the database. Main sends a batch, this answers with its results, one batch after the other. */
export interface WriterOptions {
  readonly file: string
  readonly deduplicationWindowMs: number
  /** Wait before the first attempt at a delivery, where its destination has no schedule of its own; default 0. */
  readonly firstWaitMs?: number
  /** How long another owner of the file is waited for before `store_locked`; default 0. */
  readonly lockWaitMs?: number
  /** As in openForWriting. */
  readonly walBytes?: number
}

export type ToWriter =
  | { readonly type: 'batch'; readonly packed: PackedOperations }
  | { readonly type: 'reopen' }
  /** The last look at the files, while the reader still keeps SQLite from taking in the log. */
  | { readonly type: 'stop' }
  | { readonly type: 'close' }

/** null stands for the next of the stored callbacks. */
export type ThreadResult =
  | { readonly value: unknown }
  | { readonly claim: PackedClaim }
  | { readonly error: ThreadError }
  | null

export type FromWriter =
  | { readonly type: 'opened' }
  | { readonly type: 'failed'; readonly error: ThreadError }
  | {
      readonly type: 'results'
      readonly results: ThreadResult[]
      /** What became of stored callbacks, as one JSON text: cheaper on both sides than a structured clone. */
      readonly stored: string
      readonly broken: boolean
      readonly durationMs: number
    }
  /** Another program has changed the files: nothing is accepted any more. `lost` follows when all that can be saved is. */
  | { readonly type: 'failing'; readonly error: ThreadError }
  | { readonly type: 'lost'; readonly error: ThreadError }
  | { readonly type: 'stopped' }
  | { readonly type: 'closed' }

const port = parentPort
if (port === null) throw new Error('writer-thread.ts runs only as a worker')
const options = workerData as WriterOptions
/** One and the same in the whole life of this process, wherever links lead meanwhile. */
const file = realFileOf(options.file)

/** No commit is answered when the files were compared longer ago than this. */
const LOOK_EVERY_MS = 1000

let db: Connection | undefined
let writer: Writer | undefined
let unlock: (() => void) | undefined
/** Nothing is written between a failure of the disk and the reopening, also not what was sent before main heard of it. */
let isBroken = false
/** Of the database; closed last. */
let descriptor: number | undefined
let watch: FileWatch | undefined
let find: (() => Found) | undefined
let known: LastKnown | undefined
let lookedAt = 0
let isLost = false

function open(): void {
  unlock ??= lockDatabase(file, options.lockWaitMs ?? 0)
  const before = descriptor === undefined ? readLastKnown(file) : null
  if (descriptor === undefined) checkDatabaseFile(file, before)
  db = openForWriting(file, options.walBytes)
  if (before !== null) {
    refuseLess(file, before, createFinder(db)())
    // A crash during a migration may leave the header of either schema beside the log: neither is a sign of a stale log.
    if (!isCurrentSchema(db)) writeLastKnown(file, { ...before, schemaCookie: null }, { isSynced: true })
  }
  migrate(db)
  nameDatabase(db)
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
    ...(writer !== undefined && { writerEpoch: writer.epoch }),
  })
  find = createFinder(db)
  descriptor ??= openSync(file, 'r')
  watch = watchFiles(db, file, descriptor)
  isBroken = false
  look({ isSynced: true })
}

/** Whether the files are as they should be; if so, keeps how far the database is. */
function look({ isSynced } = { isSynced: false }): boolean {
  if (watch === undefined || find === undefined || isLost) return !isLost
  lookedAt = performance.now()
  const difference = watch.look()
  if (difference !== null) lose(difference)
  else if (!isBroken) keepKnown({ ...NOTHING_KNOWN, ...find(), ...watch.marks() }, isSynced)
  return difference === null
}

function keepKnown(now: LastKnown, isSynced: boolean): void {
  if (!isSynced && known !== undefined && isSameKnown(now, known)) return
  known = { ...now, savedAt: new Date().toISOString() }
  try {
    writeLastKnown(file, known, { isSynced })
  } catch (error) {
    // Of a full disk somebody else tells: an older note says less, and nothing wrong.
    if (isSynced && NEVER_WRITABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** What was acknowledged since the note was written belongs to it, too. */
function knownAtLast(): LastKnown {
  const latest = known ?? NOTHING_KNOWN
  try {
    return { ...latest, ...find?.(), savedAt: new Date().toISOString() }
  } catch {
    // What is damaged need not answer.
    return latest
  }
}

const NEVER_WRITABLE = new Set(['EACCES', 'EPERM', 'ELOOP', 'EISDIR'])

function lookWhenDue(): boolean {
  return performance.now() - lookedAt < LOOK_EVERY_MS ? !isLost : look()
}

function lose(difference: Difference): void {
  if (db === undefined || watch === undefined) return
  isLost = true
  clearInterval(looking)
  const lost = new PortariaError('store_unavailable', `the database was lost: ${difference.words}`)
  tell({ type: 'failing', error: threadError(lost) })
  const error = salvage({ db, file, watch, difference, known: knownAtLast() })
  closeConnection()
  tell({ type: 'lost', error: threadError(error) })
}

function closeConnection(): void {
  try {
    db?.close()
  } finally {
    watch?.close()
    db = watch = find = undefined
  }
}

function tell(message: FromWriter, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer)
}

function openAndTell(): void {
  try {
    open()
    if (!isLost) tell({ type: 'opened' })
  } catch (error) {
    closeConnection()
    tell({ type: 'failed', error: threadError(error) })
  }
}

function runBatch(packed: PackedOperations): void {
  const startedAt = performance.now()
  if (!lookWhenDue()) return
  const operations = unpackOperations(packed)
  const { results, broken } = isBroken ? refuse(operations) : (writer as Writer).run(operations)
  isBroken = broken
  // Main has refused all of them already.
  if (!lookWhenDue()) return
  const stored: StoredCallback[] = []
  const threadResults = results.map((result, index): ThreadResult => {
    const operation = operations[index] as WriteCall
    if (!result.ok || operation.method !== 'storeCallback') return threadResult(operation, result)
    stored.push(result.value as StoredCallback)
    return null
  })
  const transfer = threadResults.flatMap((result) => (result !== null && 'claim' in result ? [result.claim.bytes] : []))
  const durationMs = performance.now() - startedAt
  tell({ type: 'results', results: threadResults, stored: JSON.stringify(stored), broken, durationMs }, transfer)
}

function refuse(operations: readonly WriteCall[]): { results: WriteResult[]; broken: boolean } {
  const error = new PortariaError('store_unavailable', 'the disk failed; the store is being opened again')
  return { results: operations.map(() => ({ ok: false, error })), broken: true }
}

function threadResult(operation: WriteCall, result: WriteResult): ThreadResult {
  if (!result.ok) return { error: threadError(result.error) }
  if (operation.method === 'claimDeliveries') return { claim: packClaim(result.value as Claim) }
  return { value: result.value }
}

port.on('message', (message: ToWriter) => {
  if (message.type === 'batch') return runBatch(message.packed)
  if (message.type === 'stop') {
    look({ isSynced: true })
    return tell({ type: 'stopped' })
  }
  if (message.type === 'reopen' && !look()) return
  closeConnection()
  if (message.type === 'reopen') return openAndTell()
  clearInterval(looking)
  if (descriptor !== undefined) closeSync(descriptor)
  unlock?.()
  tell({ type: 'closed' })
  port.close()
})
const looking = setInterval(function lookBetweenBatches() {
  try {
    if (performance.now() - lookedAt >= LOOK_EVERY_MS / 2) look()
  } catch {
    // A disk that fails here fails the next batch, too, which reports it.
  }
}, LOOK_EVERY_MS)
openAndTell()
