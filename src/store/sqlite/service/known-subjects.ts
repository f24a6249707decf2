import type { Realm } from '../../../domain/realm.ts'
import type { SubjectAnswer } from '../../../domain/reconcile/answers.ts'
import type {
  ExpectedSubject,
  OpenSubjectsQuery,
  SeenBatch,
  SilentSubject,
  UnknownCount,
} from '../../../domain/reconcile/reconcile-store.ts'
import type { KnownSubject, SubjectKey } from '../../../domain/reconcile/subjects.ts'
import { subjectExpected, subjectSeen } from '../../rules/known-subjects.ts'
import type { SubjectRows } from '../../rules/settle-answer.ts'
import type { Connection } from '../database/connection.ts'

type SubjectRow = Omit<KnownSubject, 'statuses'> & { readonly statuses: string }

const COLUMNS = `kind, environment, subject, type, statuses, token, day, first_at as firstAt, event_at as eventAt, expected_at as expectedAt,
  asked_at as askedAt, asks, next_ask_at as nextAskAt, gap, silence_raised_at as silenceRaisedAt`
const OF_KIND = 'kind = :kind and environment = :environment'
const OF_KEY = `${OF_KIND} and subject = :subject`
const SELECT = `select ${COLUMNS} from known_subjects where ${OF_KEY}`
/** Key of `meta`. */
const THROUGH = 'subjects_through'

function subjectOfRow({ statuses, ...row }: SubjectRow): KnownSubject {
  return { ...row, statuses: JSON.parse(statuses) as string[] }
}

export function subjectsThrough(db: Connection): number {
  const select = db.prepare<[string], string>('select value from meta where key = ?').pluck()
  return Number(select.get(THROUGH) ?? 0)
}

export function getKnownSubject(db: Connection, { kind, environment, subject }: SubjectKey): KnownSubject | null {
  const row = db.prepare<[SubjectKey], SubjectRow>(SELECT).get({ kind, environment, subject })
  return row === undefined ? null : subjectOfRow(row)
}

export function listOpenSubjects(
  db: Connection,
  { kind, environment, dueBy, since, after }: OpenSubjectsQuery,
  limit: number,
): KnownSubject[] {
  const conditions = [
    `${OF_KIND} and next_ask_at is not null`,
    ...(dueBy === undefined ? [] : ['next_ask_at <= :dueBy']),
    ...(since === undefined ? [] : ['first_at >= :since']),
    ...(after === undefined ? [] : ['(first_at, subject) < (:afterAt, :afterSubject)']),
  ]
  return db
    .prepare<[object], SubjectRow>(`
      select ${COLUMNS} from known_subjects indexed by known_subjects_open where ${conditions.join(' and ')}
      order by first_at desc, subject desc limit :limit`)
    .all({
      kind,
      environment,
      limit,
      ...(dueBy !== undefined && { dueBy }),
      ...(since !== undefined && { since }),
      ...(after !== undefined && { afterAt: after.firstAt, afterSubject: after.subject }),
    })
    .map(subjectOfRow)
}

export function countPayments(
  db: Connection,
  kind: string,
  environment: Realm,
  firstDay: string,
  lastDay: string,
): { day: string; count: number }[] {
  return db
    .prepare<[object], { day: string; count: number }>(`
      select day, count(*) as count from known_subjects where ${OF_KIND} and day between :firstDay and :lastDay group by day order by day`)
    .all({ kind, environment, firstDay, lastDay })
}

export function listSilentSubjects(
  db: Connection,
  kind: string,
  environment: Realm,
  before: number,
  limit: number,
): KnownSubject[] {
  return db
    .prepare<[object], SubjectRow>(`
      select ${COLUMNS} from known_subjects indexed by known_subjects_silent
      where ${OF_KIND} and expected_at is not null and expected_at < :before and event_at is null and silence_raised_at is null
      order by expected_at, subject limit :limit`)
    .all({ kind, environment, before, limit })
    .map(subjectOfRow)
}

/** An app may say what it expects after the first callback. */
export function listDelays(db: Connection, kind: string, environment: Realm, limit: number): number[] {
  return db
    .prepare<[object], number>(`
      select max(0, event_at - expected_at) from known_subjects where ${OF_KIND} and expected_at is not null and event_at is not null
      order by event_at desc limit :limit`)
    .pluck()
    .all({ kind, environment, limit })
}

/** Inside the transaction. */
export interface SubjectWriter {
  note(batch: SeenBatch): boolean
  expect(subjects: readonly ExpectedSubject[], now: number): number
  keepUnknown(counts: readonly UnknownCount[]): void
  /** false: it is not silent any more, or its silence was raised before. */
  noteSilence(silent: SilentSubject): boolean
  /** The subjects of an answer, as all events have left them. null: `note` has to take up what came since, first. */
  rowsOf(answer: SubjectAnswer): SubjectRows | null
}

/** As long as tokens. */
const FORGOTTEN_AFTER_MS = 400 * 86_400_000
const FORGOTTEN_AT_ONCE = 100
/** Events that are read here at most; beyond, `noteSubjects` has to take them up first. */
const MOST_LATER = 5000

export function createSubjectWriter(db: Connection): SubjectWriter {
  const statements = prepareStatements(db)

  function find({ kind, environment, subject }: SubjectKey): KnownSubject | undefined {
    const row = statements.find.get({ kind, environment, subject })
    return row === undefined ? undefined : subjectOfRow(row)
  }

  function write({ statuses, ...row }: KnownSubject): void {
    statements.write.run({ ...row, statuses: JSON.stringify(statuses) })
  }

  function seeLater(answer: SubjectAnswer, through: number): void {
    const { kind, environment } = answer
    for (const [subject, type] of new Map([...answer.asked, ...answer.told].map((one) => [one.subject, one.type])))
      for (const { status, receivedAt } of statements.later.all({ through, kind, environment, subject })) {
        const key = { kind, environment, subject }
        const row = find(key)
        write(subjectSeen(row, { ...key, type: row?.type ?? type, status, token: null, day: null, receivedAt }))
      }
  }

  return {
    note({ from, through, subjects, events }) {
      if (subjectsThrough(db) !== from) return false
      for (const seen of subjects) write(subjectSeen(find(seen), seen))
      for (const day of events) statements.count.run({ ...day })
      statements.keepThrough.run(THROUGH, String(through))
      const latest = Math.max(0, ...subjects.map(({ receivedAt }) => receivedAt))
      statements.forget.run({ before: latest - FORGOTTEN_AFTER_MS, limit: FORGOTTEN_AT_ONCE })
      return true
    },
    expect(subjects, now) {
      let added = 0
      for (const { kind, environment, subject, type } of subjects) {
        const expected = { kind, environment, subject, type }
        const row = find(expected)
        if (row !== undefined && row.expectedAt !== null) continue
        write(subjectExpected(row, expected, now))
        added++
      }
      return added
    },
    keepUnknown(counts) {
      for (const one of counts) statements.keepUnknown.run({ ...one })
    },
    noteSilence: ({ key: { kind, environment, subject }, event }) =>
      statements.raise.run({ kind, environment, subject, now: event.madeAt }).changes > 0,
    rowsOf(answer) {
      const through = subjectsThrough(db)
      if ((statements.newest.get() ?? 0) - through > MOST_LATER) return null
      seeLater(answer, through)
      const { kind, environment } = answer
      return { get: (subject) => find({ kind, environment, subject }), set: write }
    },
  }
}

function prepareStatements(db: Connection) {
  return {
    find: db.prepare<[SubjectKey], SubjectRow>(SELECT),
    write: db.prepare(`
      insert or replace into known_subjects (kind, environment, subject, type, statuses, token, day, first_at, event_at, expected_at, asked_at, asks,
        next_ask_at, gap, silence_raised_at)
      values (:kind, :environment, :subject, :type, :statuses, :token, :day, :firstAt, :eventAt, :expectedAt, :askedAt, :asks,
        :nextAskAt, :gap, :silenceRaisedAt)`),
    newest: db.prepare<[], number>('select max(id) from events').pluck(),
    later: db.prepare<[object], { status: string | null; receivedAt: number }>(`
      select status, received_at as receivedAt from events
      where id > :through and kind = :kind and environment = :environment and subject = :subject order by id`),
    count: db.prepare(`
      insert into event_days (kind, environment, day, received, reconciled) values (:kind, :environment, :day, :received, :reconciled)
      on conflict (day, kind, environment) do update set received = received + excluded.received, reconciled = reconciled + excluded.reconciled`),
    keepUnknown: db.prepare(`
      insert into event_days (kind, environment, day, unknown) select :kind, :environment, :day, :unknown
      where :unknown > 0 or exists (select 1 from event_days where day = :day and ${OF_KIND})
      on conflict (day, kind, environment) do update set unknown = excluded.unknown`),
    keepThrough: db.prepare(
      'insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
    ),
    forget: db.prepare(`
      delete from known_subjects where (kind, environment, subject) in (
        select kind, environment, subject from known_subjects indexed by known_subjects_closed
        where next_ask_at is null and first_at < :before order by first_at limit :limit)`),
    raise: db.prepare(`
      update known_subjects set silence_raised_at = :now
      where ${OF_KEY} and expected_at is not null and event_at is null and silence_raised_at is null`),
  }
}
