import { forwardingText } from '../../../domain/forwarding/forwarding-texts.ts'
import {
  isReplayed,
  type ReplayCancellation,
  type ReplayChange,
  type ReplayRecord,
  type ReplayStep,
} from '../../../domain/replay.ts'
import type { RequeuedEvent, StoredDelivery } from '../../rules/deliveries.ts'
import type { WithdrawnRow } from '../../rules/replays.ts'
import { endOfWithdrawn, refuseCanceling } from '../../rules/replays.ts'
import { endReplay, needReplay, noteProgress } from '../../sql/replays.ts'
import { ask } from '../database/ask.ts'
import type { Connection } from '../database/connection.ts'
import type { Destinations } from '../destinations/destinations.ts'
import { deliveriesOf } from '../rows/delivery-rows.ts'
import type { OrderKeys } from '../rows/order-keys.ts'
import { priorDeliveryReader } from './replay-queries.ts'
import type { Requeue } from './requeue.ts'

/** Inside the transaction. */
export interface Replays {
  advance(step: ReplayStep, now: number): ReplayChange
  cancel(id: number, now: number): ReplayCancellation
}

export function createReplays(
  db: Connection,
  parts: { destinations: Destinations; orderKeys: OrderKeys; requeue: Requeue },
): Replays {
  const { destinations, orderKeys, requeue } = parts
  const statements = prepareStatements(db)

  /** Checks again, because the event was found outside of this transaction. false: its data is gone. */
  function requeueEvent(replay: ReplayRecord, position: number, now: number): boolean {
    const { replayId, destinationId } = replay
    const event = statements.event.get(position)
    if (event === undefined || event.payload_removed_at !== null) return false
    const existing = statements.delivery.get({ position, destinationId })
    if (existing === undefined) requeue.insert(event, destinationId, { now, replayId })
    else requeue.restart(existing, { now, replayId })
    return true
  }

  /** Blocked deliveries first: then a release of the heads never makes another delivery of this replay due. */
  function withdraw({ replayId, destinationId }: ReplayRecord, now: number): number {
    const waiting = statements.waiting.all(replayId)
    for (const row of waiting) {
      const { id, state, order_key: orderKey } = row
      statements.withdraw.run({ id, ...endOfWithdrawn(row, now) })
      if (orderKey !== null) orderKeys.release({ id, destinationId, orderKey, isHead: state === 'pending' }, now)
    }
    return waiting.length
  }

  function claimedOf({ replayId, destinationId }: ReplayRecord): number[] {
    return statements.claimed.all({ replayId, destinationId })
  }

  return {
    advance({ replayId, from, to, positions }, now) {
      const replay = ask(db, needReplay, replayId)
      if (replay.state !== 'running' || replay.position !== from) return { replay, destinationIds: [] }
      const destination = destinations.current().find(({ id }) => id === replay.destinationId)
      if (destination === undefined)
        return {
          replay: ask(db, endReplay, replayId, 'failed', now, forwardingText('destination_removed')),
          destinationIds: [],
        }
      const priorDeliveriesOf = priorDeliveryReader(db, destination)
      const wanted = positions.filter((position) => isReplayed(replay, priorDeliveriesOf(position)))
      const requeued = wanted.filter((position) => requeueEvent(replay, position, now))
      return {
        replay: ask(db, noteProgress, replay, { to, requeued: requeued.length }, now),
        destinationIds: requeued.length === 0 ? [] : [destination.id],
      }
    },

    cancel(id, now) {
      const replay = ask(db, needReplay, id)
      if (replay.state === 'canceled') return { replay, destinationIds: [], claimedIds: claimedOf(replay) }
      refuseCanceling(replay, withdraw(replay, now))
      const canceled = ask(db, endReplay, id, 'canceled', now)
      return { replay: canceled, destinationIds: [replay.destinationId], claimedIds: claimedOf(canceled) }
    },
  }
}

function prepareStatements(db: Connection) {
  return {
    event: db.prepare<[number], RequeuedEvent>(
      'select id, environment, subject, payload_removed_at from events where id = ?',
    ),
    delivery: db.prepare<{ position: number; destinationId: number }, StoredDelivery>(`
      select d.id, d.event_id, d.destination_id, d.state, d.order_key, e.environment, e.subject, e.payload_removed_at
      from ${deliveriesOf('(select :position as value)')} join events e on e.id = d.event_id where d.destination_id = :destinationId`),
    waiting: db.prepare<[number], WithdrawnRow>(`
      select id, state, order_key, claimed_by, delivered_at from deliveries indexed by deliveries_of_replay
      where replay_id = ? and state in ('pending', 'blocked') order by state`),
    claimed: db
      .prepare<[{ replayId: number; destinationId: number }], number>(`
        select id from deliveries indexed by deliveries_claimed
        where destination_id = :destinationId + 0 and claimed_by is not null and replay_id = :replayId`)
      .pluck(),
    withdraw: db.prepare(
      'update deliveries set state = :state, reason = :reason, ended_at = :endedAt, next_attempt_at = null where id = :id',
    ),
  }
}
