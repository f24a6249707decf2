import { PortariaError } from '../../domain/errors.ts'
import type { Environment } from '../../domain/event.ts'
import { numberedId, parseEventId } from '../../domain/public-id.ts'
import type { DeliveryState } from '../../domain/store.ts'
import type { Connection } from './connection.ts'
import type { Destinations } from './destinations.ts'
import { orderKeyOf, type SubjectLines } from './subject-lines.ts'

/** What an operator does to single deliveries. */
export interface DeliveryActions {
  retry(deliveryId: number, now: number): { destinationId: number }
  skip(deliveryId: number, now: number): { destinationId: number }
  replay(
    eventId: string,
    destinationId: number | null,
    now: number,
  ): { deliveryIds: number[]; destinationIds: number[] }
}

interface DeliveryRow {
  id: number
  event_id: number
  destination_id: number
  state: DeliveryState
  order_key: number | null
  environment: Environment
  subject: string | null
}

type EventRow = Pick<DeliveryRow, 'environment' | 'subject'> & { readonly id: number }

export function createDeliveryActions(
  db: Connection,
  destinations: Destinations,
  lines: SubjectLines,
): DeliveryActions {
  const statements = prepareStatements(db)

  function get(id: number): DeliveryRow {
    const row = statements.byId.get(id)
    if (row === undefined) throw new PortariaError('not_found', `there is no delivery ${numberedId('dlv', id)}`)
    return row
  }

  function keyOf(destinationId: number, event: Pick<EventRow, 'environment' | 'subject'>): number | null {
    const destination = destinations.current().find((d) => d.id === destinationId)
    if (destination === undefined) {
      throw new PortariaError(
        'conflict',
        `the destination ${numberedId('dst', destinationId)} was removed: events replay --destination sends the event to another one`,
      )
    }
    return orderKeyOf(destination, event)
  }

  /**
   * Due now, from the first step of the schedule; behind the head of its line if another delivery is that. An attempt that is under way goes
   * on: it is not sent again beside it, but when that has failed.
   */
  function restart(row: DeliveryRow, now: number): void {
    const orderKey = keyOf(row.destination_id, row)
    const isBehind = orderKey !== null && lines.hasOtherHead(row.destination_id, orderKey, row.id)
    statements.restart.run({ id: row.id, orderKey, state: isBehind ? 'blocked' : 'pending', now })
  }

  return {
    retry(deliveryId, now) {
      const row = get(deliveryId)
      if (row.state === 'blocked') {
        throw new PortariaError(
          'conflict',
          `${numberedId('dlv', deliveryId)} waits behind another delivery of its subject: retry or skip that one`,
        )
      }
      restart(row, now)
      return { destinationId: row.destination_id }
    },

    skip(deliveryId, now) {
      const row = get(deliveryId)
      const isHolding = row.state === 'exhausted' && row.order_key !== null
      if (row.state !== 'pending' && row.state !== 'blocked' && !isHolding) {
        throw new PortariaError(
          'conflict',
          `${numberedId('dlv', deliveryId)} is ${row.state} already: there is nothing to skip`,
        )
      }
      statements.skip.run(now, deliveryId)
      if (row.order_key !== null) {
        const line = { id: row.id, destinationId: row.destination_id, orderKey: row.order_key }
        lines.leave({ ...line, isHead: row.state !== 'blocked' }, now)
      }
      return { destinationId: row.destination_id }
    },

    replay(eventId, destinationId, now) {
      const parsed = parseEventId(eventId)
      const event = parsed === null ? undefined : statements.event.get(parsed.position, parsed.nonce)
      if (event === undefined) throw new PortariaError('not_found', `there is no event ${eventId.slice(0, 64)}`)
      const known = statements.ofEvent.all(event.id)
      const wanted = destinationId === null ? known.map((row) => row.destination_id) : [destinationId]
      const targets = wanted.filter((id) => destinationId !== null || destinations.current().some((d) => d.id === id))
      if (targets.length === 0) {
        throw new PortariaError(
          'conflict',
          'the event was owed to no destination that is still there: name one with --destination',
        )
      }
      const deliveryIds = targets.map((target) => {
        const row = known.find((delivery) => delivery.destination_id === target)
        if (row === undefined) return insert(event, target, now)
        if (row.state !== 'pending' && row.state !== 'blocked') restart(row, now)
        return row.id
      })
      return { deliveryIds, destinationIds: targets }
    },
  }

  function insert(event: EventRow, destinationId: number, now: number): number {
    const orderKey = keyOf(destinationId, event)
    const isBehind = orderKey !== null && lines.isTaken(destinationId, orderKey)
    return Number(
      statements.insert.run({
        position: event.id,
        destinationId,
        orderKey,
        state: isBehind ? 'blocked' : 'pending',
        now,
      }).lastInsertRowid,
    )
  }
}

function prepareStatements(db: Connection) {
  const columns = 'd.id, d.event_id, d.destination_id, d.state, d.order_key, e.environment, e.subject'
  return {
    byId: db.prepare<[number], DeliveryRow>(
      `select ${columns} from deliveries d join events e on e.id = d.event_id where d.id = ?`,
    ),
    ofEvent: db.prepare<[number], DeliveryRow>(
      `select ${columns} from deliveries d join events e on e.id = d.event_id where d.event_id = ? order by d.id`,
    ),
    event: db.prepare<[number, string], EventRow>(
      'select id, environment, subject from events where id = ? and nonce = ?',
    ),
    // Later than the claim, whatever the clock does, if there is one: that says that it came during the attempt.
    restart: db.prepare(`
      update deliveries set state = :state, steps_used = 0, order_key = :orderKey, next_attempt_at = case :state when 'pending' then :now end,
        ended_at = null, reason = null, replayed_at = max(:now, coalesce(claimed_at + 1, 0))
      where id = :id`),
    skip: db.prepare(`
      update deliveries set state = 'canceled', reason = 'skipped by an operator', ended_at = ?, next_attempt_at = null where id = ?`),
    insert: db.prepare(`
      insert into deliveries (event_id, destination_id, state, order_key, created_at, next_attempt_at, replayed_at)
      values (:position, :destinationId, :state, :orderKey, :now, case :state when 'pending' then :now end, :now)`),
  }
}
