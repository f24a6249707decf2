import type {
  Acknowledgment,
  BatchLease,
  Consumer,
  ConsumerKey,
  EventLag,
  LeaseResult,
  PositionRange,
} from '../../../domain/consumer.ts'
import type { Cursor } from '../../../domain/public-id.ts'
import type { ConsumerRow } from '../../rows/consumer-row.ts'
import { consumerOfRow } from '../../rows/consumer-row.ts'
import { acknowledgedPosition, areTooManyConsumers, gapsReportedBy, mayLease } from '../../rules/consumers.ts'
import { countAssigned } from '../../verification/audit-points.ts'
import { readSkipped } from '../audit/audit-points.ts'
import { firstSince } from '../blocks/event-blocks.ts'
import type { Connection } from '../database/connection.ts'
import { lastGiven } from '../database/last-position.ts'
import { latestAnnouncement } from '../rows/removals.ts'

/** Inside the transaction. Nothing throws, because other calls share it. */
export function createConsumers(db: Connection) {
  const statements = prepareStatements(db)

  function find(key: ConsumerKey): (Consumer & { readonly id: number }) | null {
    const row = statements.find.get(key)
    return row === undefined ? null : { id: row.id, ...consumerOfRow(row) }
  }

  /** null: a limit is reached. */
  function make(key: ConsumerKey, gapsReportedAt: number, now: number): (Consumer & { readonly id: number }) | null {
    const { own = 0, total = 0 } = statements.count.get(key) ?? {}
    if (areTooManyConsumers({ own, total })) return null
    statements.insert.run({ ...key, gapsReportedAt, now })
    return find(key)
  }

  function lease(
    key: ConsumerKey,
    { after, end, gapsReportedAt }: PositionRange,
    batch: Omit<BatchLease, 'end'> | null,
    now: number,
  ): LeaseResult {
    const existing = find(key)
    if (!mayLease(existing, after, now)) return 'elsewhere'
    const consumer = existing ?? make(key, gapsReportedAt, now)
    if (consumer === null) return 'too many'
    if (batch === null) statements.move.get({ id: consumer.id, position: end })
    else statements.lease.run({ consumer: consumer.id, batch: batch.id, expiresAt: batch.expiresAt, end })
    return 'leased'
  }

  function acknowledge(key: ConsumerKey, batchId: string, upTo: number | null, now: number): Acknowledgment {
    const consumer = find(key)
    const position = acknowledgedPosition(consumer, { batchId, upTo, now })
    if (consumer === null || typeof position === 'string') return position as 'not out' | 'outside'
    return consumerOfRow(statements.acknowledge.get({ id: consumer.id, position, now }) as ConsumerRow)
  }

  function seek(key: ConsumerKey, to: Cursor, now: number): Consumer | null {
    const { position } = to
    const gapsReportedAt = gapsReportedBy(to, latestAnnouncement(db))
    const consumer = find(key) ?? make(key, gapsReportedAt, now)
    if (consumer === null) return null
    return consumerOfRow(statements.seek.get({ id: consumer.id, position, gapsReportedAt }) as ConsumerRow)
  }

  return {
    lease,
    acknowledge,
    seek,
    remove: (key: ConsumerKey): boolean => statements.remove.run(key).changes > 0,
  }
}

const IS_MEANT = `coalesce(owner, '') = coalesce(:owner, '') and name = :name`

export function getConsumer(db: Connection, key: ConsumerKey): Consumer | null {
  const row = db.prepare<ConsumerKey, ConsumerRow>(`select * from consumers where ${IS_MEANT}`).get(key)
  return row === undefined ? null : consumerOfRow(row)
}

export function listConsumers(db: Connection): Consumer[] {
  return db
    .prepare<[], ConsumerRow>(`select * from consumers order by coalesce(owner, ''), name`)
    .all()
    .map(consumerOfRow)
}

/** How far each position is behind. */
export function listLags(db: Connection, positions: readonly number[]): EventLag[] {
  const first = db.prepare<[number], number>('select received_at from events where id > ? order by id limit 1').pluck()
  const last = lastGiven(db)
  // Positions that a restored backup skips are a billion.
  const skipped = readSkipped(db)
  return positions.map((position) => {
    const oldestAt = first.get(position)
    if (oldestAt === undefined) return { events: 0, oldestAt: null }
    return { events: countAssigned(skipped, position, last), oldestAt }
  })
}

/** The position directly before the first event received at `time` or later. */
export function positionAt(db: Connection, time: number): number {
  const first = firstSince(db, time)
  return first === null ? lastGiven(db) : first - 1
}

function prepareStatements(db: Connection) {
  return {
    find: db.prepare<ConsumerKey, ConsumerRow>(`select * from consumers where ${IS_MEANT}`),
    count: db.prepare<ConsumerKey, { own: number; total: number }>(`
      select count(*) filter (where coalesce(owner, '') = coalesce(:owner, '')) as own, count(*) as total from consumers`),
    insert: db.prepare(
      'insert into consumers (owner, name, position, gaps_reported_at, created_at) values (:owner, :name, 0, :gapsReportedAt, :now)',
    ),
    lease: db.prepare(
      'update consumers set batch = :batch, batch_end = :end, batch_expires_at = :expiresAt where id = :consumer',
    ),
    move: db.prepare<{ id: number; position: number }, ConsumerRow>(`
      update consumers set position = :position, batch = null, batch_end = null, batch_expires_at = null where id = :id returning *`),
    seek: db.prepare<{ id: number; position: number; gapsReportedAt: number }, ConsumerRow>(`
      update consumers set position = :position, gaps_reported_at = :gapsReportedAt, batch = null, batch_end = null, batch_expires_at = null where id = :id
      returning *`),
    acknowledge: db.prepare<{ id: number; position: number; now: number }, ConsumerRow>(`
      update consumers set acknowledged_at = case when :position > position then :now else acknowledged_at end, position = :position,
        batch = null, batch_end = null, batch_expires_at = null
      where id = :id returning *`),
    remove: db.prepare<ConsumerKey>(`delete from consumers where ${IS_MEANT}`),
  }
}
