import type { NewReplay, ReplayFilter, ReplayQuery, ReplayRecord, ReplayState } from '../../domain/replay.ts'
import { knownReplay, refuseMoreReplays } from '../rules/replays.ts'
import { type Asked, all, get, one, run } from './asked.ts'
import type { Dialect } from './dialect.ts'
import { insertInto, selected } from './table-texts.ts'

/** A replay with its destination. */
interface ReplayRow extends Omit<ReplayRecord, 'replayId' | 'filter'> {
  readonly id: number
  readonly filter: string
}

function replayOf({ id: replayId, filter, ...row }: ReplayRow): ReplayRecord {
  return { replayId, ...row, filter: JSON.parse(filter) as ReplayFilter }
}

function replaysOf({ using }: Dialect): string {
  return `
    select ${selected('replays')}, (select name from destinations t where t.id = replays.destination_id) as "destinationName", (
      select count(*) from deliveries as d ${using('deliveries_of_replay')} where d.replay_id = replays.id and d.state in ('pending', 'blocked')) as waiting
    from replays`
}

/** Oldest first, unless the query says otherwise. */
export function* listReplays(d: Dialect, query: ReplayQuery, limit: number): Asked<ReplayRecord[]> {
  const { newestFirst = false, after, state, owner } = query
  const conditions = [
    ...(after === undefined ? [] : [`id ${newestFirst ? '<' : '>'} :after`]),
    ...(state === undefined ? [] : ['state = :state']),
    ...(owner === undefined ? [] : ['owner = :owner']),
  ]
  const rows = yield* all<ReplayRow>(
    `${replaysOf(d)} where ${['true', ...conditions].join(' and ')} order by id ${newestFirst ? 'desc' : 'asc'} limit :limit`,
    { after, state, owner, limit },
  )
  return rows.map(replayOf)
}

export function* getReplay(d: Dialect, id: number): Asked<ReplayRecord | null> {
  const row = yield* get<ReplayRow>(`${replaysOf(d)} where id = :id`, { id })
  return row === undefined ? null : replayOf(row)
}

/** @throws PortariaError `not_found` */
export function* needReplay(d: Dialect, id: number): Asked<ReplayRecord> {
  return knownReplay(id, yield* getReplay(d, id))
}

export function* createReplay(d: Dialect, { filter, ...replay }: NewReplay, now: number): Asked<ReplayRecord> {
  refuseMoreReplays((yield* one<{ n: number }>(`select count(*) as n from replays where state = 'running'`)).n)
  const isDone = replay.upTo === 0
  const made = { ...replay, filter: JSON.stringify(filter), state: isDone ? 'done' : 'running', createdAt: now }
  const { id } = yield* one<{ id: number }>(
    `${insertInto(d, 'replays', 'id', 'reason', 'requeued', 'position')} returning id`,
    { ...made, endedAt: isDone ? now : null },
  )
  return yield* needReplay(d, id)
}

/** How far it has come. It is done at its end. */
export function* noteProgress(
  d: Dialect,
  { replayId, upTo }: ReplayRecord,
  { to, requeued }: { readonly to: number; readonly requeued: number },
  now: number,
): Asked<ReplayRecord> {
  yield* run('update replays set position = :to, requeued = requeued + :requeued where id = :replayId', {
    replayId,
    to,
    requeued,
  })
  return yield* to < upTo ? needReplay(d, replayId) : endReplay(d, replayId, 'done', now)
}

export function* endReplay(
  d: Dialect,
  id: number,
  state: ReplayState,
  now: number,
  reason: string | null = null,
): Asked<ReplayRecord> {
  yield* run(`update replays set state = :state, reason = :reason, ended_at = ${d.time(':now')} where id = :id`, {
    id,
    state,
    reason,
    now,
  })
  return yield* needReplay(d, id)
}
