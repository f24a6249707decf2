import type { EventSource } from '../../../domain/event.ts'
import { createCertainClock } from '../../rules/certain-clock.ts'
import { createAnswerSettling } from '../../rules/settle-answer.ts'
import { readClock } from '../../sql/clock.ts'
import { createCallbackWriter } from '../../storing/callback-writer.ts'
import { createEventWriter } from '../../storing/event-writer.ts'
import { createHandOver } from '../../storing/hand-over.ts'
import { createTokenSettling } from '../../storing/settle-token.ts'
import { createTokenJobs } from '../../storing/token-jobs.ts'
import { createAuditChain } from '../audit/audit-chain.ts'
import { ask } from '../database/ask.ts'
import type { Connection } from '../database/connection.ts'
import { createDeduplication, type DeduplicationOptions } from '../deduplication/deduplication.ts'
import { keepBacklogSums } from '../deliveries/backlog-sums.ts'
import { createClaims } from '../deliveries/claims.ts'
import { createDeliveryActions } from '../deliveries/delivery-actions.ts'
import { createReplays } from '../deliveries/replays.ts'
import { createRequeue } from '../deliveries/requeue.ts'
import { createDestinations } from '../destinations/destinations.ts'
import { createEndedDeliveries } from '../destinations/ended-deliveries.ts'
import { createUnusedDestinations } from '../destinations/unused-destinations.ts'
import { createEventRows } from '../events/event-rows.ts'
import { createQuarantine } from '../events/quarantine.ts'
import { createSpaceReclaimer } from '../retention/reclaim.ts'
import { createRedaction } from '../retention/redaction.ts'
import { createRetention } from '../retention/retention.ts'
import { createOrderKeys } from '../rows/order-keys.ts'
import { createSearchWriter } from '../search/search-writer.ts'
import { createChargeRoutes } from '../service/charge-routes.ts'
import { createTokenRows } from '../service/notification-tokens.ts'
import { createReconciledFacts } from '../service/reconciled-facts.ts'

export interface WriterOptions extends Pick<DeduplicationOptions, 'geometry'> {
  readonly deduplicationWindowMs: number
  readonly firstWaitMs: number
  readonly now: () => number
  /** A clock in ms that is never set. */
  readonly monotonic?: () => number
}

export type WriterParts = ReturnType<typeof createWriterParts>

/** The statements of all writing Store methods, once per connection: those of a callback at once, the others on demand. */
export function createWriterParts(db: Connection, writerEpoch: number, options: WriterOptions) {
  const clock = createCertainClock(ask(db, readClock), options.now, options.monotonic)
  const window = clock.windowOf(options.deduplicationWindowMs)
  const orderKeys = createOrderKeys(db, options.firstWaitMs)
  const destinations = createDestinations(db)
  const quarantine = createQuarantine(db, window)
  const auditChain = createAuditChain(db)
  const deduplication = createDeduplication(db, { ...options, window })
  const unused = createUnusedDestinations(db)
  const routes = createChargeRoutes(db)
  const tokens = createTokenJobs(createTokenRows(db))
  const reconciled = createReconciledFacts(db)
  const search = createSearchWriter(db)
  const handOver = createHandOver()
  // Before any statement changes deliveries.
  const backlogs = keepBacklogSums(db)
  const rows = createEventRows(db, backlogs, writerEpoch)
  const writer = createEventWriter(
    { rows, chain: auditChain, deduplication, orderKeys, routes, handOver },
    options.firstWaitMs,
  )
  const insertBody = db.prepare<[number, EventSource, Uint8Array | null]>(
    'insert into event_bodies (event_id, source, body) values (?, ?, ?)',
  )
  const requeueing = () => ({
    destinations,
    orderKeys,
    requeue: createRequeue(db, { destinations, orderKeys, backlogs }),
  })
  const callbacks = createCallbackWriter({ rows, writer, deduplication, quarantine, reconciled, tokens })
  const parts = {
    db,
    backlogs,
    destinations,
    handOver,
    callbacks,
    orderKeys,
    unused,
    chargeRoutes: routes,
    clock,
    search,
    claims: createClaims(db, { writerEpoch, orderKeys, destinations, backlogs, handOver }),
  }
  return onDemand(parts, {
    settleAnswer: () => createAnswerSettling({ callbacks, reconciled, tokens }),
    settleToken: () =>
      createTokenSettling({ writer, tokens, rows, reconciled, insertBody: (...row) => void insertBody.run(...row) }),
    endedDeliveries: () => createEndedDeliveries(db, { orderKeys, destinations, unused }),
    actions: () => createDeliveryActions(db, requeueing()),
    replays: () => createReplays(db, requeueing()),
    space: () => createSpaceReclaimer(db),
    retention: () => createRetention(db, { orderKeys, auditChain, search }),
    redact: () => createRedaction(db, orderKeys, search),
  })
}

/** Adds parts that are made when they are used first: many stores never use most of them, and a statement takes some 15 KB and up to 130 µs. */
function onDemand<T extends object, M extends Readonly<Record<string, () => unknown>>>(
  parts: T,
  makers: M,
): T & { readonly [K in keyof M]: ReturnType<M[K]> } {
  for (const [name, make] of Object.entries(makers)) {
    const get = () => {
      const value = make()
      Object.defineProperty(parts, name, { value })
      return value
    }
    Object.defineProperty(parts, name, { get, configurable: true })
  }
  return parts as T & { readonly [K in keyof M]: ReturnType<M[K]> }
}
