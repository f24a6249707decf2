import type { OwnEvent } from '../../domain/event.ts'
import type { Realm } from '../../domain/realm.ts'
import type { SubjectAnswer } from '../../domain/reconcile/answers.ts'
import type {
  ExpectedSubject,
  OpenSubjectsQuery,
  SeenBatch,
  SilentSubject,
  UnknownCount,
} from '../../domain/reconcile/reconcile-store.ts'
import type { KnownSubject, SubjectKey } from '../../domain/reconcile/subjects.ts'
import { subjectExpected, subjectSeen } from '../rules/known-subjects.ts'
import type { SubjectRows } from '../rules/settle-answer.ts'
import { type Asked, all, get, one, run } from './asked.ts'
import type { Dialect } from './dialect.ts'
import { keepMeta, readMeta } from './meta.ts'
import { selected, upsertInto } from './table-texts.ts'
import { columnsOf } from './tables.ts'

type SubjectRow = Omit<KnownSubject, 'statuses'> & { readonly statuses: string }

const SELECT = `select ${selected('known_subjects')} from known_subjects`

function subjectOf({ statuses, ...row }: SubjectRow): KnownSubject {
  return { ...row, statuses: JSON.parse(statuses) as string[] }
}

const OF_KIND = 'kind = :kind and environment = :environment'
const OF_KEY = `${OF_KIND} and subject = :subject`
const KEY = columnsOf('kind:text environment:text subject:text')
/** Key of `meta`. */
const THROUGH = 'subjects_through'
/** As long as tokens. */
const FORGOTTEN_AFTER_MS = 400 * 86_400_000
const FORGOTTEN_AT_ONCE = 100
/** Events that an answer reads at most; beyond, `noteSubjects` has to take them up first. */
const MOST_LATER = 5000
/** Subjects of one statement: PostgreSQL limits how long it may wait for the next one. */
const AT_ONCE = 5000

export function* subjectsThrough(_: Dialect): Asked<number> {
  return Number((yield* readMeta(THROUGH)) ?? 0)
}

export function* getKnownSubject(_: Dialect, { kind, environment, subject }: SubjectKey): Asked<KnownSubject | null> {
  const row = yield* get<SubjectRow>(`${SELECT} where ${OF_KEY}`, { kind, environment, subject })
  return row === undefined ? null : subjectOf(row)
}

export function* listOpenSubjects(
  { time, using }: Dialect,
  { kind, environment, dueBy, since, after }: OpenSubjectsQuery,
  limit: number,
): Asked<KnownSubject[]> {
  const conditions = [
    `${OF_KIND} and next_ask_at is not null`,
    ...(dueBy === undefined ? [] : [`next_ask_at <= ${time(':dueBy')}`]),
    ...(since === undefined ? [] : [`first_at >= ${time(':since')}`]),
    ...(after === undefined ? [] : [`(first_at, subject) < (${time(':afterAt')}, :afterSubject)`]),
  ]
  const rows = yield* all<SubjectRow>(
    `${SELECT} ${using('known_subjects_open')} where ${conditions.join(' and ')} order by first_at desc, subject desc limit :limit`,
    { kind, environment, dueBy, since, afterAt: after?.firstAt, afterSubject: after?.subject, limit },
  )
  return rows.map(subjectOf)
}

export function* countPayments(
  _: Dialect,
  kind: string,
  environment: Realm,
  firstDay: string,
  lastDay: string,
): Asked<{ day: string; count: number }[]> {
  return yield* all(
    `select day, count(*) as count from known_subjects where ${OF_KIND} and day between :firstDay and :lastDay group by day order by day`,
    { kind, environment, firstDay, lastDay },
  )
}

export function* listSilentSubjects(
  { time, using }: Dialect,
  kind: string,
  environment: Realm,
  before: number,
  limit: number,
): Asked<KnownSubject[]> {
  const rows = yield* all<SubjectRow>(
    `${SELECT} ${using('known_subjects_silent')}
    where ${OF_KIND} and expected_at is not null and expected_at < ${time(':before')} and event_at is null and silence_raised_at is null
    order by expected_at, subject limit :limit`,
    { kind, environment, before, limit },
  )
  return rows.map(subjectOf)
}

/** An app may say what it expects after the first callback. */
export function* listDelays(_: Dialect, kind: string, environment: Realm, limit: number): Asked<number[]> {
  const rows = yield* all<{ eventAt: number; expectedAt: number }>(
    `select event_at as "eventAt", expected_at as "expectedAt" from known_subjects
    where ${OF_KIND} and expected_at is not null and event_at is not null order by event_at desc limit :limit`,
    { kind, environment, limit },
  )
  return rows.map(({ eventAt, expectedAt }) => Math.max(0, eventAt - expectedAt))
}

/** Subjects by their keys. What is not in the database is not in it. */
function createSubjectMap() {
  const known = new Map<string, KnownSubject>()
  const changed = new Set<string>()
  return {
    add(subject: KnownSubject): void {
      known.set(textOf(subject), subject)
    },
    get: (key: SubjectKey) => known.get(textOf(key)),
    set(subject: KnownSubject): void {
      known.set(textOf(subject), subject)
      changed.add(textOf(subject))
    },
    changed: () => [...changed].map((key) => known.get(key) as KnownSubject),
  }
}

function textOf({ kind, environment, subject }: SubjectKey): string {
  return JSON.stringify([kind, environment, subject])
}

function partsOf<T>(list: readonly T[]): readonly T[][] {
  return Array.from({ length: Math.ceil(list.length / AT_ONCE) }, (_, at) =>
    list.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  )
}

function* readSubjects(d: Dialect, keys: readonly SubjectKey[]): Asked<ReturnType<typeof createSubjectMap>> {
  const known = createSubjectMap()
  for (const rows of partsOf(keys)) {
    const found = yield* all<SubjectRow>(
      `${SELECT} where (kind, environment, subject) in (select * from ${d.rows(':keys', KEY)} as listed)`,
      { keys: { rows } },
    )
    for (const row of found) known.add(subjectOf(row))
  }
  return known
}

export function* writeSubjects(d: Dialect, subjects: readonly KnownSubject[]): Asked<void> {
  for (const part of partsOf(subjects)) {
    const rows = part.map((one) => ({ ...one, statuses: JSON.stringify(one.statuses) }))
    yield* run(upsertInto(d, 'known_subjects'), { rows: { rows } })
  }
}

export function* noteSubjects(d: Dialect, { from, through, subjects, events }: SeenBatch): Asked<boolean> {
  if ((yield* subjectsThrough(d)) !== from) return false
  const known = yield* readSubjects(d, subjects)
  for (const seen of subjects) known.set(subjectSeen(known.get(seen), seen))
  yield* writeSubjects(d, known.changed())
  const columns = columnsOf('kind:text environment:text day:text received:integer reconciled:integer')
  yield* run(
    `insert into event_days (kind, environment, day, received, reconciled)
    select kind, environment, day, sum(received), sum(reconciled) from ${d.rows(':rows', columns)} as listed group by kind, environment, day
    on conflict (day, kind, environment)
    do update set received = event_days.received + excluded.received, reconciled = event_days.reconciled + excluded.reconciled`,
    { rows: { rows: events } },
  )
  yield* keepMeta(THROUGH, String(through))
  yield* forgetSubjects(d, Math.max(0, ...subjects.map(({ receivedAt }) => receivedAt)) - FORGOTTEN_AFTER_MS)
  return true
}

/** Removes the oldest subjects that are not asked for any more. */
function* forgetSubjects({ time, using }: Dialect, before: number): Asked<void> {
  yield* run(
    `delete from known_subjects where (kind, environment, subject) in (
      select kind, environment, subject from known_subjects ${using('known_subjects_closed')}
      where next_ask_at is null and first_at < ${time(':before')} order by first_at limit :limit)`,
    { before, limit: FORGOTTEN_AT_ONCE },
  )
}

export function* expectSubjects(d: Dialect, subjects: readonly ExpectedSubject[], now: number): Asked<number> {
  const known = yield* readSubjects(d, subjects)
  let added = 0
  for (const { kind, environment, subject, type } of subjects) {
    const expected = { kind, environment, subject, type }
    const row = known.get(expected)
    if (row !== undefined && row.expectedAt !== null) continue
    known.set(subjectExpected(row, expected, now))
    added++
  }
  yield* writeSubjects(d, known.changed())
  return added
}

export function* keepUnknown(d: Dialect, counts: readonly UnknownCount[]): Asked<void> {
  const columns = columnsOf('kind:text environment:text day:text unknown:integer')
  yield* run(
    `insert into event_days (kind, environment, day, unknown) select * from ${d.rows(':rows', columns)} as listed
    where unknown > 0 or exists (
      select 1 from event_days d where d.day = listed.day and d.kind = listed.kind and d.environment = listed.environment)
    on conflict (day, kind, environment) do update set unknown = excluded.unknown`,
    { rows: { rows: counts } },
  )
}

/** null: it is not silent any more, or its silence was raised before. */
export function* raiseSilence({ time }: Dialect, { key, event }: SilentSubject): Asked<OwnEvent | null> {
  const { kind, environment, subject } = key
  const changed = yield* run(
    `update known_subjects set silence_raised_at = ${time(':now')}
    where ${OF_KEY} and expected_at is not null and event_at is null and silence_raised_at is null`,
    { kind, environment, subject, now: event.madeAt },
  )
  return changed > 0 ? event : null
}

/** The subjects of an answer, as all events have left them. */
export interface AnsweredSubjects extends SubjectRows {
  /** Those that `set` was given, and those that later events have changed. */
  changed(): KnownSubject[]
}

/** null: `noteSubjects` has to take up what came since, first. */
export function* answeredSubjects(d: Dialect, answer: SubjectAnswer): Asked<AnsweredSubjects | null> {
  const { kind, environment } = answer
  const through = yield* subjectsThrough(d)
  const { last } = yield* one<{ last: number }>(`select ${d.lastPosition} as last`)
  if (last - through > MOST_LATER) return null
  const types = new Map([...answer.asked, ...answer.told].map(({ subject, type }) => [subject, type]))
  const subjects = [...types.keys()]
  const keyOf = (subject: string) => ({ kind, environment, subject })
  const known = yield* readSubjects(d, subjects.map(keyOf))
  const later = yield* all<{ subject: string; status: string | null; receivedAt: number }>(
    `select subject, status, received_at as "receivedAt" from events
    where id > :through and ${OF_KIND} and subject in (select value from ${d.texts(':subjects')} as listed) order by id`,
    { through, kind, environment, subjects },
  )
  for (const { subject, status, receivedAt } of later) {
    const row = known.get(keyOf(subject))
    const type = row?.type ?? types.get(subject)
    if (type !== undefined)
      known.set(subjectSeen(row, { ...keyOf(subject), type, status, token: null, day: null, receivedAt }))
  }
  return {
    get: (subject) => known.get(keyOf(subject)),
    set: (row) => known.set(row),
    changed: () => known.changed(),
  }
}
