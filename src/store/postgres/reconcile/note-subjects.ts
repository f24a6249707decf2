import type {
  ExpectedSubject,
  SeenBatch,
  SilentSubject,
  UnknownCount,
} from '../../../domain/reconcile/reconcile-store.ts'
import { subjectExpected, subjectSeen } from '../../rules/known-subjects.ts'
import { keepMeta } from '../database/meta.ts'
import type { Sql } from '../database/sql.ts'
import type { Transaction } from '../writing/transaction.ts'
import { subjectsThrough, THROUGH } from './subject-queries.ts'
import { readSubjects } from './subject-rows.ts'

export async function noteSubjects(_parts: unknown, { sql }: Transaction, batch: SeenBatch): Promise<boolean> {
  const { from, through, subjects, events } = batch
  if ((await subjectsThrough(sql)) !== from) return false
  const known = await readSubjects(sql, subjects)
  for (const seen of subjects) known.set(subjectSeen(known.get(seen), seen))
  known.write(sql)
  await countEvents(sql, events)
  await keepMeta(sql, THROUGH, String(through))
  await forgetSubjects(sql, Math.max(0, ...subjects.map(({ receivedAt }) => receivedAt)) - FORGOTTEN_AFTER_MS)
  return true
}

async function countEvents(sql: Sql, events: SeenBatch['events']): Promise<void> {
  await sql.run(
    `insert into event_days (kind, environment, day, received, reconciled)
    select kind, environment, day, sum(received), sum(reconciled)
    from unnest(:kinds::text[], :environments::text[], :days::text[], :received::integer[], :reconciled::integer[])
      as r (kind, environment, day, received, reconciled) group by kind, environment, day
    on conflict (day, kind, environment) do update set received = event_days.received + excluded.received,
      reconciled = event_days.reconciled + excluded.reconciled`,
    {
      ...daysOf(events),
      received: events.map(({ received }) => received),
      reconciled: events.map(({ reconciled }) => reconciled),
    },
  )
}

function daysOf(rows: readonly Pick<UnknownCount, 'kind' | 'environment' | 'day'>[]) {
  return {
    kinds: rows.map(({ kind }) => kind),
    environments: rows.map(({ environment }) => environment),
    days: rows.map(({ day }) => day),
  }
}

/** As long as tokens. */
const FORGOTTEN_AFTER_MS = 400 * 86_400_000
const FORGOTTEN_AT_ONCE = 100

/** Removes the oldest subjects that are not asked for any more. */
async function forgetSubjects(sql: Sql, before: number): Promise<void> {
  await sql.run(
    `delete from known_subjects where (kind, environment, subject) in (
      select kind, environment, subject from known_subjects where next_ask_at is null and first_at < at_ms(:before) order by first_at limit :limit)`,
    { before, limit: FORGOTTEN_AT_ONCE },
  )
}

export async function expectSubjects(
  _parts: unknown,
  { sql }: Transaction,
  subjects: readonly ExpectedSubject[],
  now: number,
): Promise<number> {
  const known = await readSubjects(sql, subjects)
  let added = 0
  for (const expected of subjects) {
    const row = known.get(expected)
    if (row !== undefined && row.expectedAt !== null) continue
    known.set(subjectExpected(row, expected, now))
    added++
  }
  known.write(sql)
  return added
}

export async function keepUnknown(
  _parts: unknown,
  { sql }: Transaction,
  counts: readonly UnknownCount[],
): Promise<void> {
  await sql.run(
    `insert into event_days (kind, environment, day, unknown)
    select * from unnest(:kinds::text[], :environments::text[], :days::text[], :unknown::integer[]) as r (kind, environment, day, unknown)
    where unknown > 0 or exists (select from event_days d where (d.day, d.kind, d.environment) = (r.day, r.kind, r.environment))
    on conflict (day, kind, environment) do update set unknown = excluded.unknown`,
    { ...daysOf(counts), unknown: counts.map(({ unknown }) => unknown) },
  )
}

/** false: it is not silent any more, or its silence was raised before. */
export async function noteSilence({ sql }: Transaction, { key, event }: SilentSubject): Promise<boolean> {
  const changed = await sql.run(
    `update known_subjects set silence_raised_at = at_ms(:now)
    where kind = :kind and environment = :environment and subject = :subject
      and expected_at is not null and event_at is null and silence_raised_at is null`,
    { ...key, now: event.madeAt },
  )
  return changed > 0
}
