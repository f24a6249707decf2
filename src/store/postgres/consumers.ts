import type {
  Acknowledgment,
  BatchLease,
  Consumer,
  ConsumerKey,
  EventLag,
  LeaseResult,
  PositionRange,
} from '../../domain/consumer.ts'
import { type ConsumerRow, consumerOfRow } from '../rows/consumer-row.ts'
import {
  acknowledgedPosition,
  areTooManyConsumers,
  type ConsumerCounts,
  gapsReportedBy,
  mayLease,
} from '../rules/consumers.ts'
import { countAssigned } from '../verification/audit-points.ts'
import { readHead } from './database/head.ts'
import type { Sql } from './database/sql.ts'
import { readSkipped } from './events/chain.ts'
import { latestAnnouncement } from './events/gaps.ts'
import type { Transaction } from './writing/transaction.ts'

type Found = Consumer & { readonly id: number }

const IS_MEANT = `coalesce(owner, '') = coalesce(:owner, '') and name = :name`

async function find(sql: Sql, { owner, name }: ConsumerKey): Promise<Found | null> {
  const row = await sql.get<ConsumerRow>(`select * from consumers where ${IS_MEANT} for update`, { owner, name })
  return row === undefined ? null : { id: row.id, ...consumerOfRow(row) }
}

/** null: a limit is reached. */
async function make(
  sql: Sql,
  { owner, name }: ConsumerKey,
  gapsReportedAt: number,
  now: number,
): Promise<Found | null> {
  const counts = await sql.get<ConsumerCounts>(
    `select count(*) filter (where coalesce(owner, '') = coalesce(:owner::text, '')) as own, count(*) as total from consumers`,
    { owner },
  )
  if (areTooManyConsumers(counts ?? { own: 0, total: 0 })) return null
  await sql.run(
    `insert into consumers (owner, name, position, gaps_reported_at, created_at) values (:owner, :name, 0, at_ms(:gapsReportedAt), at_ms(:now))
    on conflict do nothing`,
    { owner, name, gapsReportedAt, now },
  )
  return find(sql, { owner, name })
}

async function change(sql: Sql, id: number, set: string, values: Record<string, number>): Promise<Consumer> {
  const row = await sql.get<ConsumerRow>(
    `update consumers set ${set}, batch = null, batch_end = null, batch_expires_at = null where id = :id returning *`,
    { ...values, id },
  )
  return consumerOfRow(row as ConsumerRow)
}

export async function leaseBatch(
  _parts: unknown,
  { sql }: Transaction,
  key: ConsumerKey,
  { after, end, gapsReportedAt }: PositionRange,
  batch: Omit<BatchLease, 'end'> | null,
  now: number,
): Promise<LeaseResult> {
  const existing = await find(sql, key)
  if (!mayLease(existing, after, now)) return 'elsewhere'
  const consumer = existing ?? (await make(sql, key, gapsReportedAt, now))
  if (consumer === null) return 'too many'
  if (batch === null) await change(sql, consumer.id, 'position = :position', { position: end })
  else
    await sql.run(
      'update consumers set batch = :batch, batch_end = :end, batch_expires_at = at_ms(:expiresAt) where id = :id',
      { id: consumer.id, batch: batch.id, expiresAt: batch.expiresAt, end },
    )
  return 'leased'
}

export async function acknowledgeBatch(
  _parts: unknown,
  { sql }: Transaction,
  key: ConsumerKey,
  batchId: string,
  upTo: number | null,
  now: number,
): Promise<Acknowledgment> {
  const consumer = await find(sql, key)
  const position = acknowledgedPosition(consumer, { batchId, upTo, now })
  if (consumer === null || typeof position === 'string') return position as 'not out' | 'outside'
  // A batch that is given back as it is was not acknowledged.
  if (position === consumer.position) return change(sql, consumer.id, 'position = :position', { position })
  return change(sql, consumer.id, 'position = :position, acknowledged_at = at_ms(:now)', { position, now })
}

export async function seekConsumer(
  _parts: unknown,
  { sql }: Transaction,
  key: ConsumerKey,
  position: number,
  now: number,
  reportedAt = 0,
): Promise<Consumer | null> {
  const gapsReportedAt = gapsReportedBy({ position, gapsReportedAt: reportedAt }, await latestAnnouncement(sql))
  const consumer = (await find(sql, key)) ?? (await make(sql, key, gapsReportedAt, now))
  if (consumer === null) return null
  return change(sql, consumer.id, 'position = :position, gaps_reported_at = at_ms(:gapsReportedAt)', {
    position,
    gapsReportedAt,
  })
}

export async function deleteConsumer(
  _parts: unknown,
  { sql }: Transaction,
  { owner, name }: ConsumerKey,
): Promise<boolean> {
  return (await sql.run(`delete from consumers where ${IS_MEANT}`, { owner, name })) > 0
}

export async function getConsumer(sql: Sql, { owner, name }: ConsumerKey): Promise<Consumer | null> {
  const row = await sql.get<ConsumerRow>(`select * from consumers where ${IS_MEANT}`, { owner, name })
  return row === undefined ? null : consumerOfRow(row)
}

export async function listConsumers(sql: Sql): Promise<Consumer[]> {
  const rows = await sql.all<ConsumerRow>(
    `select * from consumers order by coalesce(owner, '') collate "C", name collate "C"`,
  )
  return rows.map(consumerOfRow)
}

/** How far each position is behind. */
export async function listLags(sql: Sql, positions: readonly number[]): Promise<EventLag[]> {
  const { position: last } = await readHead(sql)
  const rows = await sql.all<{ after: number; received_at: number | null }>(
    `select p.after, (select received_at from events where id > p.after order by id limit 1) as received_at
    from unnest(:positions::bigint[]) with ordinality as p (after, place) order by place`,
    { positions },
  )
  const skipped = await readSkipped(sql)
  return rows.map(({ after, received_at: oldestAt }) => ({
    events: oldestAt === null ? 0 : countAssigned(skipped, after, last),
    oldestAt,
  }))
}

/** Events are stored nearly in the order of their receipt: the first position is among so many that were received next. */
const NEXT_RECEIVED = 10_000

/** The position directly before the first event received at `time` or later. */
export async function positionAt(sql: Sql, time: number): Promise<number> {
  const first = await sql.get<{ id: number | null }>(
    `select min(id) as id from (
      select id from events where received_at >= at_ms(:time) order by received_at limit ${NEXT_RECEIVED}) next`,
    { time },
  )
  if (first?.id === null || first === undefined) return (await readHead(sql)).position
  return first.id - 1
}
