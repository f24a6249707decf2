import type { SettledAnswer, SubjectAnswer } from '../../../domain/reconcile/answers.ts'
import type { SubjectKey } from '../../../domain/reconcile/subjects.ts'
import { subjectSeen } from '../../rules/known-subjects.ts'
import type { Sql } from '../database/sql.ts'
import { beginStoring, needsOfAnswer, type StoringOptions } from '../events/storing.ts'
import type { Transaction } from '../writing/transaction.ts'
import { subjectsThrough } from './subject-queries.ts'
import { readSubjects, type SubjectMap } from './subject-rows.ts'

/** Events that are read here at most; beyond, `noteSubjects` has to take them up first. */
const MOST_LATER = 5000

export async function settleAnswer(
  options: StoringOptions,
  transaction: Transaction,
  answer: SubjectAnswer,
): Promise<SettledAnswer | null> {
  const { sql } = transaction
  const through = await subjectsThrough(sql)
  const { position } = await transaction.head()
  if (position - through > MOST_LATER) return null
  const known = await readSubjects(sql, keysOf(answer))
  await seeLater(sql, answer, known, through)
  const storing = await beginStoring(transaction, needsOfAnswer(answer), options)
  const { kind, environment } = answer
  const rows = { get: (subject: string) => known.get({ kind, environment, subject }), set: known.set }
  const settled = storing.settleAnswer(answer, rows, storing.destinations)
  storing.write()
  known.write(sql)
  return settled
}

function keysOf({ kind, environment, asked, told }: SubjectAnswer): SubjectKey[] {
  const subjects = new Set([...asked, ...told].map(({ subject }) => subject))
  return [...subjects].map((subject) => ({ kind, environment, subject }))
}

async function seeLater(sql: Sql, answer: SubjectAnswer, known: SubjectMap, through: number): Promise<void> {
  const { kind, environment } = answer
  const types = new Map([...answer.asked, ...answer.told].map(({ subject, type }) => [subject, type]))
  const later = await sql.all<{ subject: string; status: string | null; receivedAt: number }>(
    `select subject, status, received_at as "receivedAt" from events
    where id > :through and kind = :kind and environment = :environment and subject = any(:subjects::text[]) order by id`,
    { through, kind, environment, subjects: [...types.keys()] },
  )
  for (const { subject, status, receivedAt } of later) {
    const key = { kind, environment, subject }
    const type = known.get(key)?.type ?? types.get(subject)
    if (type !== undefined)
      known.set(subjectSeen(known.get(key), { ...key, type, status, token: null, day: null, receivedAt }))
  }
}
