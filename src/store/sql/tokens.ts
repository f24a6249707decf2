import type { Realm } from '../../domain/realm.ts'
import {
  type BudgetRequest,
  READ_FOR_TURNS,
  type TokenBacklog,
  type WaitingToken,
  type WaitingTokenQuery,
} from '../../domain/service/notification-token.ts'
import type { QuestionPurpose } from '../../domain/service/question-purpose.ts'
import { type Asked, all, get, run } from './asked.ts'
import type { Dialect } from './dialect.ts'
import { selected } from './table-texts.ts'

interface WaitingRow extends Omit<WaitingToken, 'isUnresolved' | 'entries'> {
  readonly isUnresolved: boolean | number
  readonly entriesThrough: number
  readonly entriesBeyond: string
}

function waitingOf({ isUnresolved, entriesThrough: through, entriesBeyond: beyond, ...row }: WaitingRow): WaitingToken {
  return {
    ...row,
    isUnresolved: Boolean(isUnresolved),
    entries: { through, beyond: JSON.parse(beyond) as number[] },
  }
}

const COLUMNS = selected('notification_tokens', 'callback_id', 'last_seen_at')

/** By the partial indexes of waiting jobs, whose conditions are repeated word for word. */
export function* listWaitingTokens(
  d: Dialect,
  { environment, dueBy, isFresh, waitingSinceBy, inTurns }: WaitingTokenQuery,
  limit: number,
): Asked<WaitingToken[]> {
  const index = waitingSinceBy === undefined ? 'notification_tokens_waiting' : 'notification_tokens_since'
  const conditions = [
    'environment = :environment and next_attempt_at is not null',
    `(attempts > 0) in ${isFresh === undefined ? '(false, true)' : isFresh ? '(false)' : '(true)'}`,
    ...(dueBy === undefined ? [] : [`next_attempt_at <= ${d.time(':dueBy')}`]),
    ...(waitingSinceBy === undefined
      ? []
      : [`${d.isFalse('is_unresolved')} and waiting_since <= ${d.time(':waitingSinceBy')}`]),
  ]
  const matching = `from notification_tokens as t ${d.using(index)} where ${conditions.join(' and ')} order by next_attempt_at`
  const listed = inTurns
    ? `sender from (${inTurnsOf(d, matching)}) as turns join notification_tokens using (id) order by turn, next_attempt_at, id`
    : `${senderOf(d, 't')} as sender ${matching}, id limit :limit`
  const values = { environment, dueBy, waitingSinceBy, limit }
  return (yield* all<WaitingRow>(`select ${COLUMNS}, ${listed}`, values)).map(waitingOf)
}

function senderOf({ callbackId }: Dialect, token: string): string {
  return `(select remote_address from callbacks c where c.${callbackId} = ${token}.callback_id)`
}

function inTurnsOf(d: Dialect, matching: string): string {
  const columns = 'select id, next_attempt_at, callback_id'
  return `
    select id, sender, case when number <= rest then number else rest end as turn
    from (
      select id, next_attempt_at, sender, row_number() over (partition by sender order by next_attempt_at, id) as number,
        row_number() over (partition by sender order by next_attempt_at desc, id desc) as rest
      from (
        select id, next_attempt_at, ${senderOf(d, 'ends')} as sender from (
          select * from (${columns} ${matching}, id limit ${READ_FOR_TURNS}) as first
          union
          select * from (${columns} ${matching} desc, id desc limit ${READ_FOR_TURNS}) as last) as ends) as sent) as numbered
    order by turn, next_attempt_at, id limit :limit`
}

/** On SQLite it counts entries of an index and reads no row: 0.06 µs a job. */
export function* countWaitingTokens(d: Dialect): Asked<TokenBacklog[]> {
  return yield* all<TokenBacklog>(
    `select environment, waiting, (
        select min(o.waiting_since) from notification_tokens as o ${d.using('notification_tokens_since')}
        where o.environment = w.environment and o.next_attempt_at is not null and ${d.isFalse('o.is_unresolved')}) as "oldestAt"
      from (
        select environment, count(*) as waiting from notification_tokens ${d.using('notification_tokens_waiting')}
        where next_attempt_at is not null group by environment) as w
      order by environment`,
  )
}

const OF_PURPOSE = 'environment = :environment and purpose = :purpose'

export function* budgetUsed(_: Dialect, environment: Realm, purpose: QuestionPurpose, day: string): Asked<number> {
  const row = yield* get<{ used: number }>(`select used from question_budgets where ${OF_PURPOSE} and day = :day`, {
    environment,
    purpose,
    day,
  })
  return row?.used ?? 0
}

/** Takes questions from the budget of a UTC day, for all nodes together, and forgets the days before it. */
export function* takeBudget(d: Dialect, request: BudgetRequest): Asked<number> {
  const { environment, purpose, day, wanted, limit } = request
  const granted = Math.max(0, Math.min(wanted, limit - (yield* budgetUsed(d, environment, purpose, day))))
  yield* run(`delete from question_budgets where ${OF_PURPOSE} and day < :day`, { environment, purpose, day })
  if (granted > 0)
    yield* run(
      `insert into question_budgets (environment, purpose, day, used) values (:environment, :purpose, :day, :granted)
      on conflict (environment, purpose, day) do update set used = question_budgets.used + excluded.used`,
      { environment, purpose, day, granted },
    )
  return granted
}
