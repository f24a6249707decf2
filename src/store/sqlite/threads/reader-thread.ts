import { parentPort, workerData } from 'node:worker_threads'
import { MOVE_KEY, refuseHalfMoved } from '../../rules/half-moved.ts'
import { readMeta } from '../audit/audit-points.ts'
import { type Connection, loadSqlite, openForReading } from '../database/connection.ts'
import { requireOwn } from '../database/database-file.ts'
import { createFinder, type LastKnown, refuseLess } from '../database/last-known.ts'
import { requireCurrentSchema } from '../database/migrations.ts'
import type { ThreadData } from '../database/start-thread.ts'
import { performRead, READS, type ReadCall, type ReadMethod } from './reads.ts'
import { type ThreadError, threadError } from './thread-messages.ts'

export interface ReaderThreadOptions {
  readonly file: string
  readonly known: LastKnown | null
  readonly cacheKiB: number
}

export type ToReader =
  /** The first one. Until then the thread only loads its modules. */
  | { readonly type: 'open' }
  | { readonly type: 'read'; readonly id: number; readonly call: ReadCall }
  | { readonly type: 'close' }

export type FromReader =
  /** With the methods of READS: the main thread need not load the queries to know them. */
  | { readonly type: 'opened'; readonly methods: readonly ReadMethod[] }
  | { readonly type: 'failed'; readonly error: ThreadError }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'refused'; readonly id: number; readonly error: ThreadError }

/* The reader thread performs the reading Store methods on a connection of its own, so a long query delays neither a commit nor TLS. */

const port = parentPort
if (port === null) throw new Error('reader-thread.ts runs only as a worker')

function open() {
  const { file, known, cacheKiB, loading } = workerData as ReaderThreadOptions & ThreadData
  loadSqlite(loading)
  const db = openForReading(file, cacheKiB)
  requireOwn(db)
  requireCurrentSchema(db)
  refuseHalfMoved(readMeta(db, MOVE_KEY))
  if (known !== null) refuseLess(file, known, createFinder(db)())
  return db
}

function answer(db: Connection, { id, call }: Extract<ToReader, { type: 'read' }>): FromReader {
  try {
    return { type: 'answer', id, value: performRead(db, call) }
  } catch (error) {
    return { type: 'refused', id, error: threadError(error) }
  }
}

let db: Connection | undefined
port.on('message', (message: ToReader) => {
  if (message.type === 'read') return port.postMessage(answer(db as Connection, message))
  if (message.type === 'close') {
    db?.close()
    return port.close()
  }
  try {
    db = open()
    port.postMessage({ type: 'opened', methods: Object.keys(READS) as ReadMethod[] } satisfies FromReader)
  } catch (error) {
    port.postMessage({ type: 'failed', error: threadError(error) } satisfies FromReader)
    port.close()
  }
})
