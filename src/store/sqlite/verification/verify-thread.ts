import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { AuditRange } from '../../verification/audit-verification.ts'
import { createAuditReader } from '../audit/audit-entries.ts'
import { type PackedPart, packPart, transfersOf } from '../audit/packed-part.ts'
import { loadSqlite, openForReading } from '../database/connection.ts'
import type { ThreadData } from '../database/start-thread.ts'
import { type ThreadError, threadError } from '../threads/thread-messages.ts'

export interface VerifyThreadOptions {
  readonly file: string
}

export type FromVerifyThread = { readonly part: PackedPart } | { readonly error: ThreadError }

/* A thread of a verification reads ranges on a connection of its own, and computes the digests of their events. */

const port = parentPort
if (port === null) throw new Error('verify-thread.ts runs only as a worker')

/** On Linux of this thread alone: a gateway on the same machine goes first. */
const LOW_PRIORITY = 10

function open() {
  const { file, loading } = workerData as VerifyThreadOptions & ThreadData
  loadSqlite(loading)
  setPriority(LOW_PRIORITY)
  return createAuditReader(openForReading(file))
}

/** Opened by the first range, so that an error of it is answered. */
let read: ReturnType<typeof open> | undefined

port.on('message', (range: AuditRange) => {
  try {
    read ??= open()
    const part = packPart(read(range))
    port.postMessage({ part } satisfies FromVerifyThread, transfersOf(part))
  } catch (error) {
    port.postMessage({ error: threadError(error) } satisfies FromVerifyThread)
  }
})
