import { availableParallelism } from 'node:os'
import { messageOf, PortariaError } from '../../../platform/errors.ts'
import type { AuditPart, AuditRange, AuditVerification, WrittenPoint } from '../../verification/audit-verification.ts'
import type { VerifyStep } from '../../verification/verification.ts'
import { unpackPart } from '../audit/packed-part.ts'
import { openForReading } from '../database/connection.ts'
import { startThread, terminateThread } from '../database/start-thread.ts'
import { errorOfThread } from '../threads/thread-messages.ts'
import { beginVerification, verifyAuditChain } from './verify-audit-chain.ts'
import type { FromVerifyThread, VerifyThreadOptions } from './verify-thread.ts'

interface ThreadOptions {
  /** How many; default: as many as the machine has cores, at most 8. */
  readonly threads?: number
  /** A smaller chain is verified sooner than threads start. */
  readonly fewest?: number
}

const MOST_THREADS = 8
const FEWEST_POSITIONS = 50_000
/** Of a thread, so that it need not wait for the walk. They bound the memory. */
const RANGES_AHEAD = 2

/** The same as `verifyAuditChain`, with the rows read and their digests computed by several threads; the walk follows them in order. */
export async function verifyInThreads(
  file: string,
  expected: readonly WrittenPoint[],
  show: (step: VerifyStep) => void,
  { threads = Math.min(MOST_THREADS, availableParallelism()), fewest = FEWEST_POSITIONS }: ThreadOptions = {},
): Promise<AuditVerification> {
  const db = openForReading(file)
  try {
    const verification = beginVerification(db, expected)
    if (verification.positions < fewest) return verifyAuditChain(file, expected, show)
    await using readers = startReaders(file, threads)
    const underWay: { readonly range: AuditRange; readonly part: Promise<AuditPart> }[] = []
    for (;;) {
      while (underWay.length < threads * RANGES_AHEAD) {
        const range = verification.nextRange()
        if (range === null) break
        underWay.push({ range, part: readers.read(range) })
      }
      const first = underWay.shift()
      if (first === undefined) return verification.end()
      show(verification.step(first.range))
      verification.take(first.range, await first.part)
    }
  } finally {
    db.close()
  }
}

function startReaders(file: string, threads: number) {
  const readers = Array.from({ length: threads }, () => startReader(file))
  let next = 0
  return {
    read(range: AuditRange): Promise<AuditPart> {
      const reader = readers[next++ % threads] as Reader
      const part = reader.read(range)
      // After an error of an earlier range no one waits for this one.
      part.catch(() => undefined)
      return part
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(readers.map(({ stop }) => stop()))
    },
  }
}

type Reader = ReturnType<typeof startReader>

/** A thread, which answers in the order of its ranges. */
function startReader(file: string) {
  const worker = startThread('verify-thread', {
    workerData: { file } satisfies VerifyThreadOptions,
  })
  const waiting: PromiseWithResolvers<AuditPart>[] = []
  let failure: PortariaError | null = null

  function fail(cause: unknown): void {
    failure ??= new PortariaError('store_unavailable', `a thread of the verification failed: ${messageOf(cause)}`, {
      cause,
    })
    for (const { reject } of waiting.splice(0)) reject(failure)
  }

  worker.on('message', (message: FromVerifyThread) => {
    const first = waiting.shift()
    if ('part' in message) first?.resolve(unpackPart(message.part))
    else first?.reject(errorOfThread(message.error))
  })
  worker.on('error', fail)
  worker.on('exit', (code) => fail(new Error(`it ended with ${code}`)))
  return {
    read(range: AuditRange): Promise<AuditPart> {
      if (failure !== null) return Promise.reject(failure)
      const part = Promise.withResolvers<AuditPart>()
      waiting.push(part)
      worker.postMessage(range)
      return part.promise
    },
    stop: () => terminateThread(worker),
  }
}
