import {
  type Acknowledgment,
  type BatchLease,
  CONSUMER_LIMIT,
  CONSUMERS_PER_OWNER,
  type Consumer,
  type ConsumerKey,
  currentLease,
  type EventLag,
  type LeaseResult,
  type PositionRange,
} from '../../domain/consumer.ts'
import type { ConsumerLag } from '../../domain/store-snapshot.ts'
import { announcedAt, type RemovalRow } from '../rules/gaps.ts'
import { countAssigned, skippedOf } from '../verification/audit-points.ts'
import { type Asked, all, get, one, run } from './asked.ts'
import type { Dialect } from './dialect.ts'
import { readMeta } from './meta.ts'
import { selected } from './table-texts.ts'

interface ConsumerRow extends Omit<Consumer, 'batch'> {
  readonly id: number
  readonly batch: string | null
  readonly batchEnd: number | null
  readonly batchExpiresAt: number | null
}

const COLUMNS = selected('consumers')

function consumerOf({ id: _id, batch: id, batchEnd: end, batchExpiresAt: expiresAt, ...row }: ConsumerRow): Consumer {
  return { ...row, batch: id === null || end === null || expiresAt === null ? null : { id, end, expiresAt } }
}

const OF_OWNER = `coalesce(owner, '') = coalesce(cast(:owner as text), '')`
const IS_MEANT = `${OF_OWNER} and name = :name`

type Found = Consumer & { readonly id: number }

function* find({ forUpdate }: Dialect, { owner, name }: ConsumerKey): Asked<Found | null> {
  const row = yield* get<ConsumerRow>(`select ${COLUMNS} from consumers where ${IS_MEANT} ${forUpdate}`, {
    owner,
    name,
  })
  return row === undefined ? null : { id: row.id, ...consumerOf(row) }
}

/** null: a limit is reached. */
function* make(d: Dialect, { owner, name }: ConsumerKey, gapsReportedAt: number, now: number): Asked<Found | null> {
  const { own, total } = yield* one<{ own: number; total: number }>(
    `select count(*) filter (where ${OF_OWNER}) as own, count(*) as total from consumers`,
    { owner },
  )
  if (own >= CONSUMERS_PER_OWNER || total >= CONSUMER_LIMIT) return null
  yield* run(
    `insert into consumers (owner, name, position, gaps_reported_at, created_at)
    values (:owner, :name, 0, ${d.time(':gapsReportedAt')}, ${d.time(':now')}) on conflict do nothing`,
    { owner, name, gapsReportedAt, now },
  )
  return yield* find(d, { owner, name })
}

/** Also ends the lease. */
function* change(id: number, set: string, values: Readonly<Record<string, number>>): Asked<Consumer> {
  const row = yield* one<ConsumerRow>(
    `update consumers set ${set}, batch = null, batch_end = null, batch_expires_at = null where id = :id returning ${COLUMNS}`,
    { ...values, id },
  )
  return consumerOf(row)
}

/** A consumer that was deleted meanwhile starts at position 0. */
function mayLease(consumer: Consumer | null, after: number, now: number): boolean {
  if (consumer === null) return after === 0
  return consumer.position === after && currentLease(consumer, now) === null
}

export function* leaseBatch(
  d: Dialect,
  key: ConsumerKey,
  { after, end, gapsReportedAt }: PositionRange,
  batch: Omit<BatchLease, 'end'> | null,
  now: number,
): Asked<LeaseResult> {
  const existing = yield* find(d, key)
  if (!mayLease(existing, after, now)) return 'elsewhere'
  const consumer = existing ?? (yield* make(d, key, gapsReportedAt, now))
  if (consumer === null) return 'too many'
  const { id } = consumer
  if (batch === null) yield* change(id, 'position = :position', { position: end })
  else
    yield* run(
      `update consumers set batch = :batch, batch_end = :end, batch_expires_at = ${d.time(':expiresAt')} where id = :id`,
      { id, batch: batch.id, expiresAt: batch.expiresAt, end },
    )
  return 'leased'
}

export function* acknowledgeBatch(
  d: Dialect,
  key: ConsumerKey,
  batchId: string,
  upTo: number | null,
  now: number,
): Asked<Acknowledgment> {
  const consumer = yield* find(d, key)
  const batch = consumer && currentLease(consumer, now)
  if (consumer === null || batch?.id !== batchId) return 'not out'
  const position = upTo ?? batch.end
  if (position < consumer.position || position > batch.end) return 'outside'
  // A batch that is given back as it is was not acknowledged.
  if (position === consumer.position) return yield* change(consumer.id, 'position = :position', { position })
  return yield* change(consumer.id, `position = :position, acknowledged_at = ${d.time(':now')}`, { position, now })
}

/** A removal between a 410 and the move to its cursor is a gap of its own. */
export function* seekConsumer(
  d: Dialect,
  key: ConsumerKey,
  position: number,
  now: number,
  reportedAt = 0,
): Asked<Consumer | null> {
  const latest = announcedAt(yield* all<RemovalRow>('select * from removals'))
  const gapsReportedAt = reportedAt === 0 ? latest : Math.min(reportedAt, latest)
  const consumer = (yield* find(d, key)) ?? (yield* make(d, key, gapsReportedAt, now))
  if (consumer === null) return null
  const set = `position = :position, gaps_reported_at = ${d.time(':gapsReportedAt')}`
  return yield* change(consumer.id, set, { position, gapsReportedAt })
}

export function* deleteConsumer(_: Dialect, { owner, name }: ConsumerKey): Asked<boolean> {
  return (yield* run(`delete from consumers where ${IS_MEANT}`, { owner, name })) > 0
}

export function* getConsumer(_: Dialect, { owner, name }: ConsumerKey): Asked<Consumer | null> {
  const row = yield* get<ConsumerRow>(`select ${COLUMNS} from consumers where ${IS_MEANT}`, { owner, name })
  return row === undefined ? null : consumerOf(row)
}

export function* listConsumers({ byBytes }: Dialect): Asked<Consumer[]> {
  const rows = yield* all<ConsumerRow>(
    `select ${COLUMNS} from consumers order by coalesce(owner, '') ${byBytes}, name ${byBytes}`,
  )
  return rows.map(consumerOf)
}

/** How far each position is behind. */
export function* listLags(d: Dialect, positions: readonly number[]): Asked<EventLag[]> {
  const rows = yield* all<{ after: number; oldestAt: number | null; last: number }>(
    `select value as after, (select received_at from events where id > value order by id limit 1) as "oldestAt", ${d.lastPosition} as last
    from ${d.numbers(':positions')} as listed order by place`,
    { positions },
  )
  // Positions that a restored backup skips are a billion.
  const skipped = skippedOf(yield* readMeta('skipped_positions'))
  return rows.map(({ after, oldestAt, last }) => ({
    events: oldestAt === null ? 0 : countAssigned(skipped, after, last),
    oldestAt,
  }))
}

/** How far each consumer is behind. */
export function* listConsumerLags(d: Dialect): Asked<ConsumerLag[]> {
  const consumers = yield* listConsumers(d)
  const positions = consumers.map(({ position }) => position)
  const lags = yield* listLags(d, positions)
  return consumers.map(({ owner, name }, index) => ({ owner, name, ...(lags[index] as EventLag) }))
}
