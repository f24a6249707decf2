import { type GatewayRun, type Outage, RUNS_KEPT } from '../../../domain/reconcile/outages.ts'
import type { OutageWrites } from '../../../domain/reconcile/reconcile-store.ts'
import type { Connection } from '../database/connection.ts'

export function listRuns(db: Connection, limit: number): GatewayRun[] {
  return db
    .prepare<[number], GatewayRun>(`
      select id, node, started_at as startedAt, seen_at as seenAt, ended_at as endedAt from gateway_runs
      order by id desc limit ?`)
    .all(limit)
}

export function listOutages(db: Connection, since: number): Outage[] {
  return db
    .prepare<[{ since: number }], Outage>(`
      select id, began_at as beganAt, ended_at as endedAt, cause, raised_at as raisedAt, reconciled_at as reconciledAt from outages
      where ended_at is null or began_at > :since or ended_at > :since order by began_at desc, id desc`)
    .all({ since })
}

type Awaiting = {
  readonly [M in Exclude<keyof OutageWrites, 'raiseOutage'>]: (
    ...args: Parameters<OutageWrites[M]>
  ) => Awaited<ReturnType<OutageWrites[M]>>
}

/** Inside the transaction. */
export interface OutageRecord extends Awaiting {
  /** false: the outage has an event, or is not there. */
  noteRaised(id: number, now: number): boolean
}

export function createOutageRecord(db: Connection): OutageRecord {
  const insertRun = db.prepare('insert into gateway_runs (node, started_at, seen_at) values (:node, :now, :now)')
  const forgetRuns = db.prepare('delete from gateway_runs where id <= :newest - :kept')
  const see = db.prepare(
    'update gateway_runs set seen_at = :now, ended_at = case when :isEnd then :now end where id = :id',
  )
  const insertOutage = db.prepare('insert into outages (began_at, ended_at, cause) values (:beganAt, :endedAt, :cause)')
  const end = db.prepare('update outages set ended_at = :now where id = :id')
  const raise = db.prepare('update outages set raised_at = :now where id = :id and raised_at is null')
  const reconcile = db.prepare('update outages set reconciled_at = :now where id = :id')
  return {
    beginRun(node, now) {
      const newest = Number(insertRun.run({ node, now }).lastInsertRowid)
      forgetRuns.run({ newest, kept: RUNS_KEPT })
      return newest
    },
    continueRun: (id, now, isEnd) => void see.run({ id, now, isEnd: Number(isEnd) }),
    beginOutage: (outage) => Number(insertOutage.run({ ...outage }).lastInsertRowid),
    endOutage: (id, now) => void end.run({ id, now }),
    noteRaised: (id, now) => raise.run({ id, now }).changes > 0,
    outageReconciled: (id, now) => void reconcile.run({ id, now }),
  }
}
