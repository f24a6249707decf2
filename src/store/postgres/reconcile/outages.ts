import type { OwnEvent } from '../../../domain/event.ts'
import { type GatewayRun, type Outage, RUNS_KEPT } from '../../../domain/reconcile/outages.ts'
import type { Sql } from '../database/sql.ts'
import type { Transaction } from '../writing/transaction.ts'

export function listRuns(sql: Sql, limit: number): Promise<GatewayRun[]> {
  return sql.all<GatewayRun>(
    `select id, node, started_at as "startedAt", seen_at as "seenAt", ended_at as "endedAt" from gateway_runs order by id desc limit :limit`,
    { limit },
  )
}

export function listOutages(sql: Sql, since: number): Promise<Outage[]> {
  return sql.all<Outage>(
    `select id, began_at as "beganAt", ended_at as "endedAt", cause, raised_at as "raisedAt", reconciled_at as "reconciledAt" from outages
    where ended_at is null or began_at > at_ms(:since) or ended_at > at_ms(:since) order by began_at desc, id desc`,
    { since },
  )
}

/** The transaction has the head locked, so no other one takes the same number. */
const NEXT = (table: string) => `(select coalesce(max(id), 0) + 1 from ${table})`

async function numberOf(sql: Sql, text: string, values: Parameters<Sql['get']>[1]): Promise<number> {
  return ((await sql.get<{ id: number }>(`${text} returning id`, values)) as { id: number }).id
}

export async function beginRun(_parts: unknown, { sql }: Transaction, node: string, now: number): Promise<number> {
  const newest = await numberOf(
    sql,
    `insert into gateway_runs (id, node, started_at, seen_at) values (${NEXT('gateway_runs')}, :node, at_ms(:now), at_ms(:now))`,
    { node, now },
  )
  await sql.run('delete from gateway_runs where id <= :last', { last: newest - RUNS_KEPT })
  return newest
}

export async function continueRun(
  _parts: unknown,
  { sql }: Transaction,
  id: number,
  now: number,
  isEnd: boolean,
): Promise<void> {
  await sql.run(
    'update gateway_runs set seen_at = at_ms(:now), ended_at = case when :isEnd then at_ms(:now) end where id = :id',
    { id, now, isEnd },
  )
}

export function beginOutage(
  _parts: unknown,
  { sql }: Transaction,
  { beganAt, endedAt, cause }: Pick<Outage, 'beganAt' | 'endedAt' | 'cause'>,
): Promise<number> {
  return numberOf(
    sql,
    `insert into outages (id, began_at, ended_at, cause) values (${NEXT('outages')}, at_ms(:beganAt), at_ms(:endedAt), :cause)`,
    { beganAt, endedAt, cause },
  )
}

export async function endOutage(_parts: unknown, { sql }: Transaction, id: number, now: number): Promise<void> {
  await sql.run('update outages set ended_at = at_ms(:now) where id = :id', { id, now })
}

/** false: it has an event, or is not there. */
export async function noteRaised({ sql }: Transaction, id: number, { madeAt }: OwnEvent): Promise<boolean> {
  const changed = await sql.run('update outages set raised_at = at_ms(:madeAt) where id = :id and raised_at is null', {
    id,
    madeAt,
  })
  return changed > 0
}

export async function outageReconciled(_parts: unknown, { sql }: Transaction, id: number, now: number): Promise<void> {
  await sql.run('update outages set reconciled_at = at_ms(:now) where id = :id', { id, now })
}
