import { parentPort, workerData } from 'node:worker_threads'
import type { ConsumerKey } from '../../../domain/consumer.ts'
import type { DestinationSelection } from '../../../domain/destination.ts'
import type { Environment } from '../../../domain/event.ts'
import type { QuarantineFilter } from '../../../domain/quarantine.ts'
import type { RefusalFilter } from '../../../domain/refusal.ts'
import type { ReplayQuery, ReplaySearch } from '../../../domain/replay.ts'
import type { RedactionSearch, RemovalSearch } from '../../../domain/retention.ts'
import { messageOf, PortariaError } from '../../../platform/errors.ts'
import { getProof } from '../audit/event-proof.ts'
import { getRefusal, latestRefusal, listRefusals } from '../audit/refusals.ts'
import { listClients } from '../clients/clients.ts'
import { readClock } from '../database/clock.ts'
import { DAMAGED, isDamaged, openForReading } from '../database/connection.ts'
import { requireOwn } from '../database/database-file.ts'
import { createFinder, type LastKnown, refuseLess } from '../database/last-known.ts'
import { requireCurrentSchema } from '../database/migrations.ts'
import { countBacklog, listAttempts, listDeliveries, listDestinations } from '../deliveries/delivery-queries.ts'
import { listDestinationCertificates } from '../deliveries/expiry.ts'
import { findReplayable, getReplay, listReplays } from '../deliveries/replay-queries.ts'
import { getConsumer, listConsumers, positionAt } from '../events/consumers.ts'
import { getEvent, latestPosition, listEvents } from '../events/event-queries.ts'
import { lastReceivedAt } from '../events/inactivity.ts'
import { listPeers } from '../events/peers.ts'
import { getQuarantined, listQuarantine } from '../events/quarantine-queries.ts'
import { takeSnapshot } from '../maintenance/store-snapshot.ts'
import { reusableBytes } from '../retention/reclaim.ts'
import { findRemovable, findSubject, listStoredKinds } from '../retention/removal-queries.ts'
import type { ThreadError } from './writer-thread.ts'

/** A thread for everything that only looks, on a read connection of its own: a long query delays no commit, and no TLS. */
export type Query =
  | {
      readonly method: 'listEvents'
      readonly args: Parameters<typeof listEvents> extends [unknown, ...infer A] ? A : never
    }
  | { readonly method: 'getEvent' | 'getProof'; readonly args: [id: string] }
  | { readonly method: 'latestPosition'; readonly args: [] }
  | {
      readonly method: 'listDeliveries'
      readonly args: Parameters<typeof listDeliveries> extends [unknown, ...infer A] ? A : never
    }
  | { readonly method: 'listAttempts'; readonly args: [deliveryId: number, limit: number] }
  | { readonly method: 'listDestinations'; readonly args: [options: DestinationSelection] }
  | { readonly method: 'countBacklog'; readonly args: [] }
  | { readonly method: 'takeSnapshot'; readonly args: [] }
  | { readonly method: 'reusableBytes'; readonly args: [] }
  | { readonly method: 'lastReceivedAt'; readonly args: [kind: string, environment: Environment] }
  | { readonly method: 'listPeers'; readonly args: [since: number] }
  | { readonly method: 'listDestinationCertificates'; readonly args: [] }
  | { readonly method: 'getConsumer'; readonly args: [key: ConsumerKey] }
  | { readonly method: 'listConsumers'; readonly args: [] }
  | { readonly method: 'positionAt'; readonly args: [time: number] }
  | { readonly method: 'listRefusals'; readonly args: [filter: RefusalFilter, limit: number] }
  | { readonly method: 'getRefusal'; readonly args: [id: number] }
  | { readonly method: 'listQuarantine'; readonly args: [filter: QuarantineFilter, limit: number] }
  | { readonly method: 'getQuarantined'; readonly args: [id: number] }
  | { readonly method: 'latestRefusal'; readonly args: [] }
  | { readonly method: 'listClients'; readonly args: [options: { revoked?: boolean }] }
  | { readonly method: 'findReplayable'; readonly args: [search: ReplaySearch, limit: number] }
  | { readonly method: 'listReplays'; readonly args: [query: ReplayQuery, limit: number] }
  | { readonly method: 'getReplay'; readonly args: [id: number] }
  | { readonly method: 'listStoredKinds'; readonly args: [] }
  | { readonly method: 'findRemovable'; readonly args: [search: RemovalSearch, limit: number] }
  | { readonly method: 'readClock'; readonly args: [] }
  | { readonly method: 'findSubject'; readonly args: [search: RedactionSearch, limit: number] }

export interface ReaderOptions {
  readonly file: string
  readonly known: LastKnown | null
}

export type ToReader =
  | { readonly type: 'query'; readonly id: number; readonly query: Query }
  | { readonly type: 'close' }

export type FromReader =
  | { readonly type: 'opened' }
  | { readonly type: 'failed'; readonly error: ThreadError }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'refused'; readonly id: number; readonly error: ThreadError }

const port = parentPort
if (port === null) throw new Error('reader-thread.ts runs only as a worker')

function open() {
  const { file, known } = workerData as ReaderOptions
  const db = openForReading(file)
  requireOwn(db)
  requireCurrentSchema(db)
  if (known !== null) refuseLess(file, known, createFinder(db)())
  return db
}

function perform(db: ReturnType<typeof open>, query: Query): unknown {
  switch (query.method) {
    case 'listEvents':
      return listEvents(db, ...query.args)
    case 'getEvent':
      return getEvent(db, ...query.args)
    case 'getProof':
      return getProof(db, ...query.args)
    case 'latestPosition':
      return latestPosition(db)
    case 'listDeliveries':
      return listDeliveries(db, ...query.args)
    case 'listAttempts':
      return listAttempts(db, ...query.args)
    case 'listDestinations':
      return listDestinations(db, ...query.args)
    case 'countBacklog':
      return countBacklog(db)
    case 'takeSnapshot':
      return takeSnapshot(db)
    case 'reusableBytes':
      return reusableBytes(db)
    case 'lastReceivedAt':
      return lastReceivedAt(db, ...query.args)
    case 'listPeers':
      return listPeers(db, ...query.args)
    case 'listDestinationCertificates':
      return listDestinationCertificates(db)
    case 'getConsumer':
      return getConsumer(db, ...query.args)
    case 'listConsumers':
      return listConsumers(db)
    case 'positionAt':
      return positionAt(db, ...query.args)
    case 'listRefusals':
      return listRefusals(db, ...query.args)
    case 'getRefusal':
      return getRefusal(db, ...query.args)
    case 'listQuarantine':
      return listQuarantine(db, ...query.args)
    case 'getQuarantined':
      return getQuarantined(db, ...query.args)
    case 'latestRefusal':
      return latestRefusal(db)
    case 'listClients':
      return listClients(db, ...query.args)
    case 'findReplayable':
      return findReplayable(db, ...query.args)
    case 'listReplays':
      return listReplays(db, ...query.args)
    case 'getReplay':
      return getReplay(db, ...query.args)
    case 'listStoredKinds':
      return listStoredKinds(db)
    case 'findRemovable':
      return findRemovable(db, ...query.args)
    case 'readClock':
      return readClock(db)
    case 'findSubject':
      return findSubject(db, ...query.args)
  }
}

function wireError(error: unknown): ThreadError {
  return {
    code: error instanceof PortariaError ? error.code : 'store_unavailable',
    message: `${messageOf(error)}${isDamaged(error) ? DAMAGED : ''}`,
  }
}

try {
  const db = open()
  port.on('message', (message: ToReader) => {
    if (message.type === 'close') {
      db.close()
      port.close()
      return
    }
    try {
      port.postMessage({ type: 'answer', id: message.id, value: perform(db, message.query) } satisfies FromReader)
    } catch (error) {
      port.postMessage({ type: 'refused', id: message.id, error: wireError(error) } satisfies FromReader)
    }
  })
  port.postMessage({ type: 'opened' } satisfies FromReader)
} catch (error) {
  port.postMessage({ type: 'failed', error: wireError(error) } satisfies FromReader)
  port.close()
}
