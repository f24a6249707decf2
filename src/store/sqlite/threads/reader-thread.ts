import { parentPort, workerData } from 'node:worker_threads'
import { MOVE_KEY, refuseHalfMoved } from '../../rules/half-moved.ts'
import { readMeta } from '../audit/audit-points.ts'
import { type Connection, loadSqlite, openForReading } from '../database/connection.ts'
import { requireOwn } from '../database/database-file.ts'
import { createFinder, type LastKnown, refuseLess } from '../database/last-known.ts'
import { requireCurrentSchema } from '../database/migrations.ts'
import type { ThreadData } from '../database/start-thread.ts'
import type { InParts } from '../search/in-parts.ts'
import { beginIndexing, isIndexing, performRead, READ_METHODS, type ReadCall, type ReadMethod } from './reads.ts'
import { READ_CACHE_KIB } from './thread-memory.ts'
import { type ThreadError, threadError } from './thread-messages.ts'

export interface ReaderThreadOptions {
  readonly file: string
  readonly known: LastKnown | null
}

export type ToReader =
  /** The first one. Until then the thread only loads its modules. */
  | { readonly type: 'open' }
  | { readonly type: 'read'; readonly id: number; readonly call: ReadCall }
  | { readonly type: 'close' }

export type FromReader =
  /** With the methods: the main thread need not load the queries to know them. */
  | { readonly type: 'opened'; readonly methods: readonly ReadMethod[] }
  | { readonly type: 'failed'; readonly error: ThreadError }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'refused'; readonly id: number; readonly error: ThreadError }

/*
 * The reader thread performs the reading Store methods on a connection of its own, so a long query delays neither a commit nor TLS.
 * It also computes the parts of the search index, in slices between the reads.
 */

const port = parentPort
if (port === null) throw new Error('reader-thread.ts runs only as a worker')

function open() {
  const { file, known, loading } = workerData as ReaderThreadOptions & ThreadData
  loadSqlite(loading)
  const db = openForReading(file, READ_CACHE_KIB)
  requireOwn(db)
  requireCurrentSchema(db)
  refuseHalfMoved(readMeta(db, MOVE_KEY))
  if (known !== null) refuseLess(file, known, createFinder(db)())
  return db
}

/** Of the work on the search index, between reads. */
const SLICE_MS = 5
/** A request often reads several times: a slice waits until no read has come for so long, */
const QUIET_MS = 2
/** but at most so long after the slice before. */
const LONGEST_REST_MS = 20

/** When the last read was answered, which `perform` sets, and when the last slice ended, which `indexOn` sets. */
let [readAt, slicedAt] = [0, 0]
/** Set once, by `open`; undefined again when it is closed. */
let db: Connection | undefined

function answer(id: number, value: unknown): void {
  port?.postMessage({ type: 'answer', id, value } satisfies FromReader)
}

function refuse(id: number, error: unknown): void {
  port?.postMessage({ type: 'refused', id, error: threadError(error) } satisfies FromReader)
}

function perform(connection: Connection, { id, call }: Extract<ToReader, { type: 'read' }>): void {
  try {
    if (isIndexing(call)) setImmediate(indexOn, id, beginIndexing(connection, call))
    else {
      answer(id, performRead(connection, call))
      readAt = performance.now()
    }
  } catch (error) {
    refuse(id, error)
  }
}

/** A slice, if it is time for one. The reads that come meanwhile are answered before the next one. */
function indexOn(id: number, work: InParts<unknown>): void {
  // The store was closed, which has refused the call.
  if (db === undefined) return
  const startedAt = performance.now()
  if (startedAt < Math.min(readAt + QUIET_MS, slicedAt + LONGEST_REST_MS)) {
    setTimeout(indexOn, 1, id, work)
    return
  }
  try {
    for (slicedAt = startedAt; slicedAt < startedAt + SLICE_MS; slicedAt = performance.now()) {
      const step = work.next()
      if (step.done === true) return answer(id, step.value)
    }
    setImmediate(indexOn, id, work)
  } catch (error) {
    refuse(id, error)
  }
}

port.on('message', (message: ToReader) => {
  if (message.type === 'read') return perform(db as Connection, message)
  if (message.type === 'close') {
    db?.close()
    db = undefined
    return port.close()
  }
  try {
    db = open()
    port.postMessage({ type: 'opened', methods: READ_METHODS } satisfies FromReader)
  } catch (error) {
    port.postMessage({ type: 'failed', error: threadError(error) } satisfies FromReader)
    port.close()
  }
})
