import type { SettledAnswer, SubjectAnswer } from '../../../domain/reconcile/answers.ts'
import { answeredSubjects, writeSubjects } from '../../sql/subjects.ts'
import { ask } from '../database/ask.ts'
import { beginStoring, needsOfAnswer, type StoringOptions } from '../events/storing.ts'
import type { Transaction } from '../writing/transaction.ts'

export async function settleAnswer(
  options: StoringOptions,
  transaction: Transaction,
  answer: SubjectAnswer,
): Promise<SettledAnswer | null> {
  const { sql } = transaction
  const subjects = await ask(sql, answeredSubjects, answer)
  if (subjects === null) return null
  const storing = await beginStoring(transaction, needsOfAnswer(answer), options)
  const settled = storing.settleAnswer(answer, subjects, storing.destinations)
  storing.write()
  await ask(sql, writeSubjects, subjects.changed())
  return settled
}
