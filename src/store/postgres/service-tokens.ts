import type { Realm } from '../../domain/realm.ts'
import {
  type BudgetRequest,
  READ_FOR_TURNS,
  type TokenBacklog,
  type WaitingToken,
  type WaitingTokenQuery,
} from '../../domain/service/notification-token.ts'
import type { QuestionPurpose } from '../../domain/service/question-purpose.ts'
import type { Sql } from './database/sql.ts'
import { type StoredToken, tokenOfRow } from './events/token-rows.ts'
import type { Transaction } from './writing/transaction.ts'

export async function listWaitingTokens(
  sql: Sql,
  { environment, dueBy, isFresh, waitingSinceBy, inTurns }: WaitingTokenQuery,
  limit: number,
): Promise<WaitingToken[]> {
  const matching = `
    select * from notification_tokens
    where environment = :environment and next_attempt_at is not null
      and (:dueBy::bigint is null or next_attempt_at <= at_ms(:dueBy))
      and (:isFresh::boolean is null or (attempts = 0) = :isFresh)
      and (:waitingSinceBy::bigint is null or (not is_unresolved and waiting_since <= at_ms(:waitingSinceBy)))
    order by next_attempt_at`
  const jobs = inTurns
    ? `select *, least(number, count(*) over (partition by sender) + 1 - number) as turn
      from (
        select *, row_number() over (partition by sender order by next_attempt_at, id) as number
        from (
          select *, ${senderOf('ends')} as sender from (
            (${matching}, id limit ${READ_FOR_TURNS}) union (${matching} desc, id desc limit ${READ_FOR_TURNS})) ends) sent) numbered
      order by turn, next_attempt_at, id limit :limit`
    : `select *, ${senderOf('first')} as sender from (${matching}, id limit :limit) first order by next_attempt_at, id`
  const rows = await sql.all<StoredToken & Pick<WaitingToken, 'sender'>>(jobs, {
    environment,
    dueBy,
    isFresh,
    waitingSinceBy,
    limit,
  })
  return rows.map((row) => {
    const { callbackId: _callbackId, lastSeenAt: _lastSeenAt, nextAttemptAt, ...token } = tokenOfRow(row)
    return { ...token, nextAttemptAt: nextAttemptAt as number, sender: row.sender }
  })
}

const senderOf = (token: string) =>
  `(select remote_address from callbacks c where c.callback_id = ${token}.callback_id)`

export function countWaitingTokens(sql: Sql): Promise<TokenBacklog[]> {
  return sql.all<TokenBacklog>(
    `select environment, count(*) as waiting, min(waiting_since) filter (where not is_unresolved) as "oldestAt"
    from notification_tokens where next_attempt_at is not null group by environment order by environment`,
  )
}

export async function budgetUsed(sql: Sql, environment: Realm, purpose: QuestionPurpose, day: string): Promise<number> {
  const row = await sql.get<{ used: number }>(
    'select used from question_budgets where environment = :environment and purpose = :purpose and day = :day',
    { environment, purpose, day },
  )
  return row?.used ?? 0
}

/** Takes questions from the budget of a UTC day, for all nodes together, and forgets the days before it. */
export async function takeBudget(
  _parts: unknown,
  { sql }: Transaction,
  { environment, purpose, day, wanted, limit }: BudgetRequest,
): Promise<number> {
  const granted = Math.max(0, Math.min(wanted, limit - (await budgetUsed(sql, environment, purpose, day))))
  await sql.run('delete from question_budgets where environment = :environment and purpose = :purpose and day < :day', {
    environment,
    purpose,
    day,
  })
  if (granted > 0)
    await sql.run(
      `insert into question_budgets (environment, purpose, day, used) values (:environment, :purpose, :day, :granted)
      on conflict (environment, purpose, day) do update set used = question_budgets.used + excluded.used`,
      { environment, purpose, day, granted },
    )
  return granted
}
