import { Worker } from 'node:worker_threads'
import type { StoreReader } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import type { LastKnown } from './database/last-known.ts'
import type { FromReader, Query, ReaderOptions, ToReader } from './threads/reader-thread.ts'

interface Waiting {
  readonly resolve: (value: never) => void
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

  function ask<T>(query: Query): Promise<T> {
    return new Promise((resolve, reject) => {
      lastId++
      waiting.set(lastId, { resolve, reject })
      worker.postMessage({ type: 'query', id: lastId, query } satisfies ToReader)
    })
  }

  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (message: FromReader) => {
      if (message.type === 'failed') reject(new PortariaError(message.error.code, message.error.message))
      else resolve()
    })
  })
  worker.on('error', failAll)
  worker.on('exit', () => failAll(new PortariaError('store_unavailable', 'the reading thread has ended')))
  worker.on('message', (message: FromReader) => {
    if (message.type !== 'answer' && message.type !== 'refused') return
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.type === 'answer') asked?.resolve(message.value as never)
    else asked?.reject(new PortariaError(message.error.code, message.error.message))
  })

  return {
    listStoredKinds: () => ask({ method: 'listStoredKinds', args: [] }),
    findRemovable: (search, limit) => ask({ method: 'findRemovable', args: [search, limit] }),
    findSubject: (search, limit) => ask({ method: 'findSubject', args: [search, limit] }),
    listEvents: (filter, limit) => ask({ method: 'listEvents', args: [filter, limit] }),
    getEvent: (id) => ask({ method: 'getEvent', args: [id] }),
    getProof: (id) => ask({ method: 'getProof', args: [id] }),
    latestPosition: () => ask({ method: 'latestPosition', args: [] }),
    listDeliveries: (filter, limit) => ask({ method: 'listDeliveries', args: [filter, limit] }),
    listAttempts: (deliveryId, limit) => ask({ method: 'listAttempts', args: [deliveryId, limit] }),
    listDestinations: (options = {}) => ask({ method: 'listDestinations', args: [options] }),
    countBacklog: () => ask({ method: 'countBacklog', args: [] }),
    takeSnapshot: () => ask({ method: 'takeSnapshot', args: [] }),
    reusableBytes: () => ask({ method: 'reusableBytes', args: [] }),
    lastReceivedAt: (kind, environment) => ask({ method: 'lastReceivedAt', args: [kind, environment] }),
    listPeers: (since) => ask({ method: 'listPeers', args: [since] }),
    listDestinationCertificates: () => ask({ method: 'listDestinationCertificates', args: [] }),
    getConsumer: (key) => ask({ method: 'getConsumer', args: [key] }),
    listConsumers: () => ask({ method: 'listConsumers', args: [] }),
    positionAt: (time) => ask({ method: 'positionAt', args: [time] }),
    listRefusals: (filter, limit) => ask({ method: 'listRefusals', args: [filter, limit] }),
    getRefusal: (id) => ask({ method: 'getRefusal', args: [id] }),
    listQuarantine: (filter, limit) => ask({ method: 'listQuarantine', args: [filter, limit] }),
    getQuarantined: (id) => ask({ method: 'getQuarantined', args: [id] }),
    latestRefusal: () => ask({ method: 'latestRefusal', args: [] }),
    listClients: (options = {}) => ask({ method: 'listClients', args: [options] }),
    findReplayable: (search, limit) => ask({ method: 'findReplayable', args: [search, limit] }),
    listReplays: (query, limit) => ask({ method: 'listReplays', args: [query, limit] }),
    readClock: () => ask({ method: 'readClock', args: [] }),
    getReplay: (id) => ask({ method: 'getReplay', args: [id] }),
    async close() {
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
      worker.postMessage({ type: 'close' } satisfies ToReader)
      await ended
    },
  }
}
