import { closeSync, openSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { Claim, DeliverySlots } from '../../../domain/delivery.ts'
import type { StoredCallback } from '../../../domain/event-record.ts'
import type { KindRule } from '../../../domain/kinds.ts'
import type { KeptBacklog } from '../../../domain/store-snapshot.ts'
import { PortariaError } from '../../../platform/errors.ts'
import { realFileOf } from '../../../platform/real-file.ts'
import { MOVE_KEY, refuseHalfMoved } from '../../rules/half-moved.ts'
import { createCallbackReader } from '../../storing/callback-reader.ts'
import { readMeta } from '../audit/audit-points.ts'
import { type Connection, loadSqlite, openForWriting } from '../database/connection.ts'
import { checkDatabaseFile, refuseNetworkFileSystem } from '../database/database-file.ts'
import { type Difference, type FileWatch, watchFiles } from '../database/file-watch.ts'
import {
  createFinder,
  type Found,
  forgetSchema,
  isSameKnown,
  type LastKnown,
  NOTHING_KNOWN,
  nameDatabase,
  readLastKnown,
  refuseLess,
  writeLastKnown,
} from '../database/last-known.ts'
import { prepareMark } from '../database/last-position.ts'
import { lockDatabase } from '../database/lock.ts'
import { migrate, requireKnownSchema } from '../database/migrations.ts'
import { refuseOtherSchema } from '../database/schema-check.ts'
import type { ThreadData } from '../database/start-thread.ts'
import { salvage } from '../maintenance/lost-files.ts'
import { packResults } from '../packing/packed-results.ts'
import type { SqliteWriteCall, SqliteWrites } from './sqlite-calls.ts'
import {
  type ClaimMessage,
  claimMessage,
  createUnpacker,
  type PackedOperations,
  type ThreadError,
  threadError,
} from './thread-messages.ts'
import { createWriter, type WriteResult, type Writer } from './writer.ts'
import { WRITES } from './writes.ts'

export interface WriterThreadOptions {
  readonly file: string
  readonly deduplicationWindowMs: number
  /** How facts of callbacks are read; left out: every callback must have its facts. */
  readonly kinds?: readonly KindRule[]
  /** Wait before the first attempt of a delivery, unless its destination has a schedule of its own; default 0. */
  readonly firstWaitMs?: number
  /** How long to wait for the lock of another process before `store_locked`; default 0. */
  readonly lockWaitMs?: number
  /** As in openForWriting. */
  readonly walBytes?: number
}

export type ToWriter =
  /** `slots`: as in Store.offerSlots, those that were offered since the last batch. */
  | { readonly type: 'batch'; readonly packed: PackedOperations; readonly slots: readonly DeliverySlots[] }
  | { readonly type: 'reopen' }
  /** Compare the files a last time, while the open reader keeps SQLite from removing the log. */
  | { readonly type: 'stop' }
  | { readonly type: 'close' }

/** null: the next one in `stored`. */
export type ThreadResult =
  | { readonly value: unknown }
  | { readonly claim: ClaimMessage }
  | { readonly error: ThreadError }
  | null

export type FromWriter =
  /** With the methods of WRITES: the main thread need not load their statements to know them. */
  | {
      readonly type: 'opened'
      readonly methods: readonly (keyof SqliteWrites)[]
      readonly backlogs: readonly KeptBacklog[]
    }
  | { readonly type: 'failed'; readonly error: ThreadError }
  | {
      readonly type: 'results'
      readonly results: ThreadResult[]
      /** The results of `storeCallback`, as packResults packs them. */
      readonly stored: string
      readonly broken: boolean
      readonly durationMs: number
      /** Those that the batch has changed. */
      readonly backlogs: readonly KeptBacklog[]
    }
  /** Another program has changed the files. No call is accepted from now on; `lost` follows when the data is saved as far as possible. */
  | { readonly type: 'failing'; readonly error: ThreadError }
  | { readonly type: 'lost'; readonly error: ThreadError }
  | { readonly type: 'stopped' }
  | { readonly type: 'closed' }

/* The writer thread alone changes the database. The main thread sends batches; each is answered with its results before the next one is performed. */

const port = parentPort
if (port === null) throw new Error('writer-thread.ts runs only as a worker')
const options = workerData as WriterThreadOptions & ThreadData
/** Resolved once: a link that is changed later does not change the file. */
const file = realFileOf(options.file)

/** No commit is answered unless the files were compared within this time. */
const LOOK_EVERY_MS = 1000

const unpackOperations = createUnpacker(createCallbackReader(options.kinds ?? []))

let db: Connection | undefined
let writer: Writer | undefined
let unlock: (() => void) | undefined
/** Set from a failure of the disk until the reopening: batches that were already sent are refused, too. */
let isBroken = false
/** Of the database; closed last, because closing it frees all locks of this process on the file. */
let descriptor: number | undefined
let watch: FileWatch | undefined
let find: (() => Found) | undefined
let known: LastKnown | undefined
let lookedAt = 0
let isLost = false

function open(): void {
  loadSqlite(options.loading)
  refuseNetworkFileSystem(file)
  unlock ??= lockDatabase(file, options.lockWaitMs ?? 0)
  const before = descriptor === undefined ? readLastKnown(file) : null
  if (descriptor === undefined) checkDatabaseFile(file, before)
  db = openForWriting(file, options.walBytes)
  requireKnownSchema(db)
  refuseOtherSchema(db)
  if (before !== null) refuseLess(file, before, createFinder(db)())
  migrate(db, () => before !== null && forgetSchema(file, before))
  refuseHalfMoved(readMeta(db, MOVE_KEY))
  nameDatabase(db)
  // After a failed sync the kernel may have dropped pages of the log that look written. A full checkpoint restarts the log, so that no later
  // commit depends on them.
  const [checkpoint] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
  if (checkpoint?.busy !== 0 && writer !== undefined) {
    throw new PortariaError('store_unavailable', 'a reader uses the log, so it cannot be restarted yet')
  }
  writer = createWriter(db, {
    deduplicationWindowMs: options.deduplicationWindowMs,
    firstWaitMs: options.firstWaitMs ?? 0,
    now: Date.now,
    // Attempts under way in this process stay valid.
    ...(writer !== undefined && { writerEpoch: writer.epoch }),
  })
  find = createFinder(db)
  descriptor ??= openSync(file, 'r')
  watch = watchFiles(db, file, descriptor)
  isBroken = false
  look({ isSynced: true })
}

/** Compares the files; true: unchanged. Then updates the note of the last known position. */
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
    // A full disk is reported elsewhere, and an older note is still correct.
    if (isSynced && NEVER_WRITABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** The note, advanced to what was acknowledged since it was written. */
function knownAtLast(): LastKnown {
  const latest = known ?? NOTHING_KNOWN
  try {
    return { ...latest, ...find?.(), savedAt: new Date().toISOString() }
  } catch {
    // A damaged database may not answer.
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
  send({ type: 'failing', error: threadError(lost) })
  const error = salvage({ db, file, watch, difference, known: knownAtLast() })
  closeConnection()
  send({ type: 'lost', error: threadError(error) })
}

/** Not after a failure of the disk: the next start reads the last position from the events. */
function markLastPosition(): void {
  try {
    if (db !== undefined && !isBroken && !isLost) prepareMark(db)()
  } catch {
    // The mark only lets a verification notice missing events.
  }
}

function closeConnection(): void {
  try {
    db?.close()
  } finally {
    watch?.close()
    db = watch = find = undefined
  }
}

function send(message: FromWriter, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer)
}

function openAndReport(): void {
  try {
    open()
    if (!isLost)
      send({ type: 'opened', methods: Object.keys(WRITES) as (keyof SqliteWrites)[], backlogs: changedBacklogs() })
  } catch (error) {
    closeConnection()
    send({ type: 'failed', error: threadError(error) })
  }
}

function runBatch(packed: PackedOperations, slots: readonly DeliverySlots[]): void {
  const startedAt = performance.now()
  // Also where they are refused: later batches name values of this one.
  const operations = unpackOperations(packed)
  if (!lookWhenDue()) return
  const { results, broken } = isBroken ? refuse(operations) : (writer as Writer).run(operations, slots)
  isBroken = broken
  // The main thread has failed all of these calls already.
  if (!lookWhenDue()) return
  const stored: StoredCallback[] = []
  const threadResults = results.map((result, index): ThreadResult => {
    const operation = operations[index] as SqliteWriteCall
    if (!result.ok || operation.method !== 'storeCallback') return threadResult(operation, result)
    stored.push(result.value as StoredCallback)
    return null
  })
  const transfer = threadResults.flatMap((result) => (result !== null && 'claim' in result ? [result.claim.bytes] : []))
  const durationMs = performance.now() - startedAt
  send(
    {
      type: 'results',
      results: threadResults,
      stored: packResults(stored),
      broken,
      durationMs,
      backlogs: changedBacklogs(),
    },
    transfer,
  )
}

const changedBacklogs = () => writer?.changedBacklogs() ?? []

function refuse(operations: readonly SqliteWriteCall[]): { results: WriteResult[]; broken: boolean } {
  const error = new PortariaError('store_unavailable', 'the disk failed; the store is being opened again')
  return { results: operations.map(() => ({ ok: false, error })), broken: true }
}

function threadResult(operation: SqliteWriteCall, result: WriteResult): ThreadResult {
  if (!result.ok) return { error: threadError(result.error) }
  if (operation.method === 'claimDeliveries') return { claim: claimMessage(result.value as Claim) }
  return { value: result.value }
}

port.on('message', (message: ToWriter) => {
  if (message.type === 'batch') return runBatch(message.packed, message.slots)
  if (message.type === 'stop') {
    markLastPosition()
    look({ isSynced: true })
    return send({ type: 'stopped' })
  }
  if (message.type === 'reopen' && !look()) return
  closeConnection()
  if (message.type === 'reopen') return openAndReport()
  clearInterval(looking)
  if (descriptor !== undefined) closeSync(descriptor)
  unlock?.()
  send({ type: 'closed' })
  port.close()
})
const looking = setInterval(function lookBetweenBatches() {
  try {
    if (performance.now() - lookedAt >= LOOK_EVERY_MS / 2) look()
  } catch {
    // A failing disk also fails the next batch, which reports it.
  }
}, LOOK_EVERY_MS)
openAndReport()
