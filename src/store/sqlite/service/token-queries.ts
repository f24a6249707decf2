import type { Realm } from '../../../domain/realm.ts'
import {
  READ_FOR_TURNS,
  type TokenBacklog,
  type WaitingToken,
  type WaitingTokenQuery,
} from '../../../domain/service/notification-token.ts'
import type { QuestionPurpose } from '../../../domain/service/question-purpose.ts'
import type { Connection } from '../database/connection.ts'

/** Of a callback `c`: the job of its token waits. */
export const IS_AWAITED = `
  exists (select 1 from notification_tokens t where t.callback_id = c.id and t.next_attempt_at is not null)`

interface WaitingRow extends Omit<WaitingToken, 'isUnresolved' | 'entries'> {
  readonly isUnresolved: number
  readonly through: number
  readonly beyond: string
}

/** By the partial indexes of waiting jobs, whose conditions are repeated word for word. */
export function listWaitingTokens(
  db: Connection,
  { environment, dueBy = Number.MAX_SAFE_INTEGER, isFresh, waitingSinceBy, inTurns }: WaitingTokenQuery,
  limit: number,
): WaitingToken[] {
  const index = waitingSinceBy === undefined ? 'notification_tokens_waiting' : 'notification_tokens_since'
  const overdue = waitingSinceBy === undefined ? '' : 'and is_unresolved = 0 and waiting_since <= :waitingSinceBy'
  const repeated = isFresh === undefined ? '(0, 1)' : isFresh ? '(0)' : '(1)'
  const matching = `
    from notification_tokens indexed by ${index}
    where environment = :environment and next_attempt_at is not null and (attempts > 0) in ${repeated} and next_attempt_at <= :dueBy ${overdue}`
  const listed = inTurns
    ? `from (${inTurnsOf(matching)}) join notification_tokens using (id) order by turn, next_attempt_at, id`
    : `${matching} order by next_attempt_at, id limit :limit`
  return db
    .prepare<object, WaitingRow>(`
      select id, environment, token, version, waiting_since as waitingSince, attempts, next_attempt_at as nextAttemptAt, last_error as lastError,
        is_unresolved as isUnresolved, entries_through as through, entries_beyond as beyond, ${SENDER} as sender
      ${listed}`)
    .all({ environment, dueBy, limit, ...(waitingSinceBy !== undefined && { waitingSinceBy }) })
    .map(({ through, beyond, ...row }) => ({
      ...row,
      isUnresolved: row.isUnresolved === 1,
      entries: { through, beyond: JSON.parse(beyond) as number[] },
    }))
}

const SENDER = '(select remote_address from callbacks c where c.id = callback_id)'

function inTurnsOf(matching: string): string {
  return `
    select id, min(number, count(*) over (partition by sender) + 1 - number) as turn
    from (
      select id, next_attempt_at, sender, row_number() over (partition by sender order by next_attempt_at, id) as number
      from (
        select id, next_attempt_at, ${SENDER} as sender from (
          select * from (select id, next_attempt_at, callback_id ${matching} order by next_attempt_at, id limit ${READ_FOR_TURNS})
          union
          select * from (select id, next_attempt_at, callback_id ${matching} order by next_attempt_at desc, id desc limit ${READ_FOR_TURNS}))))
    order by turn, next_attempt_at, id limit :limit`
}

/** Counts entries of an index and reads no row: 0.06 µs a job. */
export function countWaitingTokens(db: Connection): TokenBacklog[] {
  return db
    .prepare<[], TokenBacklog>(`
      select environment, waiting, (
        select min(o.waiting_since) from notification_tokens o indexed by notification_tokens_since
        where o.environment = w.environment and o.next_attempt_at is not null and o.is_unresolved = 0) as oldestAt
      from (
        select environment, count(*) as waiting from notification_tokens indexed by notification_tokens_waiting
        where next_attempt_at is not null group by environment) w
      order by environment`)
    .all()
}

export function budgetUsed(db: Connection, environment: Realm, purpose: QuestionPurpose, day: string): number {
  return (
    db
      .prepare<[string, string, string], number>(
        'select used from question_budgets where environment = ? and purpose = ? and day = ?',
      )
      .pluck()
      .get(environment, purpose, day) ?? 0
  )
}
