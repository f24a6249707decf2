import { Worker } from 'node:worker_threads'
import type { StoreReader } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import type { LastKnown } from './database/last-known.ts'
import { methodsOf } from './threads/methods.ts'
import type { FromReader, ReaderOptions, ToReader } from './threads/reader-thread.ts'
import { READS, type ReadCall, type ReadMethod } from './threads/reads.ts'
import { errorOfThread } from './threads/thread-messages.ts'

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/**
 * @param known what the database must not hold less than; null: nothing is known, or its writer has looked
 * @throws PortariaError `store_missing`, `store_newer`, `store_unavailable`
 */
export async function openSqliteReader(file: string, known: LastKnown | null = null): Promise<StoreReader> {
  const worker = new Worker(new URL('./threads/reader-thread.ts', import.meta.url), {
    workerData: { file, known } satisfies ReaderOptions,
  })
  const waiting = new Map<number, Waiting>()
  let lastId = 0

  function failAll(error: Error): void {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function perform(call: ReadCall): Promise<unknown> {
    return new Promise((resolve, reject) => {
      lastId++
      waiting.set(lastId, { resolve, reject })
      worker.postMessage({ type: 'read', id: lastId, call } satisfies ToReader)
    })
  }

  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (message: FromReader) => {
      if (message.type === 'failed') reject(errorOfThread(message.error))
      else resolve()
    })
  })
  worker.on('error', failAll)
  worker.on('exit', () => failAll(new PortariaError('store_unavailable', 'the reading thread has ended')))
  worker.on('message', (message: FromReader) => {
    if (message.type !== 'answer' && message.type !== 'refused') return
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.type === 'answer') asked?.resolve(message.value)
    else asked?.reject(errorOfThread(message.error))
  })

  return {
    ...methodsOf<Pick<StoreReader, ReadMethod>>(READS, (method, args) => perform({ method, args } as ReadCall)),
    async close() {
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
      worker.postMessage({ type: 'close' } satisfies ToReader)
      await ended
    },
  }
}
