import type { KnownSubject, SubjectKey } from '../../../domain/reconcile/subjects.ts'
import { columnsOf, type Sql, upsertRows, type WriterSql } from '../database/sql.ts'

const COLUMNS = columnsOf(
  'kind:text environment:text subject:text type:text statuses:text token:text day:text first_at:time event_at:time expected_at:time asked_at:time asks:integer next_ask_at:time gap:text silence_raised_at:time',
)

export const SUBJECT_COLUMNS = `kind, environment, subject, type, statuses, token, day, first_at as "firstAt", event_at as "eventAt",
  expected_at as "expectedAt", asked_at as "askedAt", asks, next_ask_at as "nextAskAt", gap, silence_raised_at as "silenceRaisedAt"`

export type SubjectRow = Omit<KnownSubject, 'statuses'> & { readonly statuses: string }

export function subjectOfRow({ statuses, ...row }: SubjectRow): KnownSubject {
  return { ...row, statuses: JSON.parse(statuses) as string[] }
}

/** Subjects by their keys. What is not in the database is not in it. */
export interface SubjectMap {
  get(key: SubjectKey): KnownSubject | undefined
  set(subject: KnownSubject): void
  /** Writes what was set. */
  write(sql: WriterSql): void
}

/** Of one statement: the server limits how long it may wait for the next one. */
const AT_ONCE = 5000

export async function readSubjects(sql: Sql, keys: readonly SubjectKey[]): Promise<SubjectMap> {
  const known = new Map<string, KnownSubject>()
  for (const some of partsOf(keys))
    for (const row of await findRows(sql, some)) known.set(textOf(row), subjectOfRow(row))
  const changed = new Set<string>()
  return {
    get: (key) => known.get(textOf(key)),
    set(subject) {
      known.set(textOf(subject), subject)
      changed.add(textOf(subject))
    },
    write(writing) {
      const subjects = [...changed].map((key) => known.get(key) as KnownSubject)
      for (const some of partsOf(subjects)) writeSubjects(writing, some)
    },
  }
}

function partsOf<T>(all: readonly T[]): readonly T[][] {
  return Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, at) => all.slice(at * AT_ONCE, (at + 1) * AT_ONCE))
}

function findRows(sql: Sql, keys: readonly SubjectKey[]): Promise<SubjectRow[]> {
  return sql.all<SubjectRow>(
    `select ${SUBJECT_COLUMNS} from known_subjects
    join unnest(:kinds::text[], :environments::text[], :subjects::text[]) as k (kind, environment, subject) using (kind, environment, subject)`,
    {
      kinds: keys.map(({ kind }) => kind),
      environments: keys.map(({ environment }) => environment),
      subjects: keys.map(({ subject }) => subject),
    },
  )
}

function writeSubjects(sql: WriterSql, subjects: readonly KnownSubject[]): void {
  const rows = subjects.map((one) => {
    const { kind, environment, subject, type, statuses, token, day } = one
    const { firstAt, eventAt, expectedAt, askedAt, asks, nextAskAt, gap, silenceRaisedAt } = one
    const known = [kind, environment, subject, type, JSON.stringify(statuses), token, day, firstAt, eventAt, expectedAt]
    return [...known, askedAt, asks, nextAskAt, gap, silenceRaisedAt]
  })
  upsertRows(sql, { table: 'known_subjects', columns: COLUMNS, rows }, ['kind', 'environment', 'subject'])
}

function textOf({ kind, environment, subject }: SubjectKey): string {
  return JSON.stringify([kind, environment, subject])
}
