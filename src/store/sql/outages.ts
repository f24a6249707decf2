import type { OwnEvent } from '../../domain/event.ts'
import { type GatewayRun, type Outage, RUNS_KEPT } from '../../domain/reconcile/outages.ts'
import { type Asked, all, one, run } from './asked.ts'
import type { Dialect } from './dialect.ts'
import { selected } from './table-texts.ts'

export function* listRuns(_: Dialect, limit: number): Asked<GatewayRun[]> {
  return yield* all<GatewayRun>(`select ${selected('gateway_runs')} from gateway_runs order by id desc limit :limit`, {
    limit,
  })
}

export function* listOutages({ time }: Dialect, since: number): Asked<Outage[]> {
  return yield* all<Outage>(
    `select ${selected('outages')} from outages
    where ended_at is null or began_at > ${time(':since')} or ended_at > ${time(':since')} order by began_at desc, id desc`,
    { since },
  )
}

/** No other transaction takes the same number: one at a time writes. */
const NEXT = (table: string) => `(select coalesce(max(id), 0) + 1 from ${table})`

export function* beginRun({ time }: Dialect, node: string, now: number): Asked<number> {
  const { id } = yield* one<{ id: number }>(
    `insert into gateway_runs (id, node, started_at, seen_at) values (${NEXT('gateway_runs')}, :node, ${time(':now')}, ${time(':now')}) returning id`,
    { node, now },
  )
  if (id > RUNS_KEPT) yield* run('delete from gateway_runs where id <= :last', { last: id - RUNS_KEPT })
  return id
}

export function* continueRun({ time }: Dialect, id: number, now: number, isEnd: boolean): Asked<void> {
  const endedAt = isEnd ? now : null
  yield* run(`update gateway_runs set seen_at = ${time(':now')}, ended_at = ${time(':endedAt')} where id = :id`, {
    id,
    now,
    endedAt,
  })
}

export function* beginOutage(
  { time }: Dialect,
  { beganAt, endedAt, cause }: Pick<Outage, 'beganAt' | 'endedAt' | 'cause'>,
): Asked<number> {
  const { id } = yield* one<{ id: number }>(
    `insert into outages (id, began_at, ended_at, cause) values (${NEXT('outages')}, ${time(':beganAt')}, ${time(':endedAt')}, :cause) returning id`,
    { beganAt, endedAt, cause },
  )
  return id
}

export function* endOutage({ time }: Dialect, id: number, now: number): Asked<void> {
  yield* run(`update outages set ended_at = ${time(':now')} where id = :id`, { id, now })
}

/** null: it has an event, or is not there. */
export function* raiseOutage({ time }: Dialect, id: number, event: OwnEvent): Asked<OwnEvent | null> {
  const changed = yield* run(`update outages set raised_at = ${time(':madeAt')} where id = :id and raised_at is null`, {
    id,
    madeAt: event.madeAt,
  })
  return changed > 0 ? event : null
}

export function* outageReconciled({ time }: Dialect, id: number, now: number): Asked<void> {
  yield* run(`update outages set reconciled_at = ${time(':now')} where id = :id`, { id, now })
}
