import type { Environment } from '../../../domain/event.ts'
import type { TokenBacklog, WaitingToken, WaitingTokenQuery } from '../../../domain/service/notification-token.ts'
import type { Connection } from '../database/connection.ts'

/** Of a callback `c`: the job of its token waits. */
export const IS_AWAITED = `
  exists (select 1 from notification_tokens t where t.callback_id = c.id and t.next_attempt_at is not null)`

type WaitingRow = Omit<WaitingToken, 'isUnresolved'> & { readonly isUnresolved: number }

/** By the partial index of waiting jobs, whose condition is repeated. */
export function listWaitingTokens(
  db: Connection,
  { environment, dueBy = Number.MAX_SAFE_INTEGER }: WaitingTokenQuery,
  limit: number,
): WaitingToken[] {
  return db
    .prepare<object, WaitingRow>(`
      select id, environment, token, version, waiting_since as waitingSince, attempts, next_attempt_at as nextAttemptAt, last_error as lastError,
        is_unresolved as isUnresolved
      from notification_tokens indexed by notification_tokens_waiting
      where environment = :environment and next_attempt_at is not null and next_attempt_at <= :dueBy
      order by next_attempt_at, id limit :limit`)
    .all({ environment, dueBy, limit })
    .map((row) => ({ ...row, isUnresolved: row.isUnresolved === 1 }))
}

export function countWaitingTokens(db: Connection): TokenBacklog[] {
  return db
    .prepare<[], TokenBacklog>(`
      select environment, count(*) as waiting, min(waiting_since) as oldestAt
      from notification_tokens indexed by notification_tokens_waiting
      where next_attempt_at is not null group by environment order by environment`)
    .all()
}

export function budgetUsed(db: Connection, environment: Environment, day: string): number {
  return (
    db
      .prepare<[string, string], number>('select used from service_budgets where environment = ? and day = ?')
      .pluck()
      .get(environment, day) ?? 0
  )
}
