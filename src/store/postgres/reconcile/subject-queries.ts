import type { Realm } from '../../../domain/realm.ts'
import type { OpenSubjectsQuery } from '../../../domain/reconcile/reconcile-store.ts'
import type { KnownSubject, SubjectKey } from '../../../domain/reconcile/subjects.ts'
import { readMeta } from '../database/meta.ts'
import type { Sql } from '../database/sql.ts'
import { readSubjects, SUBJECT_COLUMNS, type SubjectRow, subjectOfRow } from './subject-rows.ts'

/** Key of `meta`. */
export const THROUGH = 'subjects_through'

export async function subjectsThrough(sql: Sql): Promise<number> {
  return Number((await readMeta(sql, THROUGH)) ?? 0)
}

export async function getKnownSubject(sql: Sql, key: SubjectKey): Promise<KnownSubject | null> {
  return (await readSubjects(sql, [key])).get(key) ?? null
}

export async function listOpenSubjects(
  sql: Sql,
  { kind, environment, dueBy, since, after }: OpenSubjectsQuery,
  limit: number,
): Promise<KnownSubject[]> {
  const conditions = [
    'kind = :kind and environment = :environment and next_ask_at is not null',
    ...(dueBy === undefined ? [] : ['next_ask_at <= at_ms(:dueBy)']),
    ...(since === undefined ? [] : ['first_at >= at_ms(:since)']),
    ...(after === undefined ? [] : ['(first_at, subject) < (at_ms(:afterAt), :afterSubject)']),
  ]
  const rows = await sql.all<SubjectRow>(
    `select ${SUBJECT_COLUMNS} from known_subjects where ${conditions.join(' and ')} order by first_at desc, subject desc limit :limit`,
    { kind, environment, dueBy, since, afterAt: after?.firstAt, afterSubject: after?.subject, limit },
  )
  return rows.map(subjectOfRow)
}

export function countPayments(
  sql: Sql,
  kind: string,
  environment: Realm,
  firstDay: string,
  lastDay: string,
): Promise<{ day: string; count: number }[]> {
  return sql.all(
    `select day, count(*) as count from known_subjects
    where kind = :kind and environment = :environment and day between :firstDay and :lastDay group by day order by day`,
    { kind, environment, firstDay, lastDay },
  )
}

export async function listSilentSubjects(
  sql: Sql,
  kind: string,
  environment: Realm,
  before: number,
  limit: number,
): Promise<KnownSubject[]> {
  const rows = await sql.all<SubjectRow>(
    `select ${SUBJECT_COLUMNS} from known_subjects
    where kind = :kind and environment = :environment and expected_at < at_ms(:before) and event_at is null and silence_raised_at is null
    order by expected_at, subject limit :limit`,
    { kind, environment, before, limit },
  )
  return rows.map(subjectOfRow)
}

/** An app may say what it expects after the first callback. */
export async function listDelays(sql: Sql, kind: string, environment: Realm, limit: number): Promise<number[]> {
  const rows = await sql.all<Pick<KnownSubject, 'eventAt' | 'expectedAt'>>(
    `select event_at as "eventAt", expected_at as "expectedAt" from known_subjects
    where kind = :kind and environment = :environment and expected_at is not null and event_at is not null
    order by event_at desc limit :limit`,
    { kind, environment, limit },
  )
  return rows.map(({ eventAt, expectedAt }) => Math.max(0, (eventAt as number) - (expectedAt as number)))
}
