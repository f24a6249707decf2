/**
 * Sums of the deliveries that wait, kept in the writer's memory: counting them takes the longer the more wait. Triggers on the writer's own connection
 * call a function for each row that enters or leaves a sum, so no statement can forget it. A trigger costs as much as the row, even where its condition is
 * false. So the two most frequent changes are reported by who makes them: a new delivery, and a claim.
 * A delivery that is handed over with the commit of its callback and then succeeds is claimed all the time: claimed deliveries are few, and counted from
 * their index.
 */

import { type KeptBacklog, QUARANTINE } from '../../../domain/store-snapshot.ts'
import type { Connection } from '../database/connection.ts'

export interface BacklogSums {
  /** Inside the transaction: a new delivery waits. */
  added(destinationId: number, id: number, state: 'pending' | 'blocked', isReplay: boolean): void
  /** Inside the transaction: a waiting delivery was claimed. */
  claimed(destinationId: number, id: number, isReplay: boolean): void
  /** The sums that have changed since the last call; `from`: of the deliveries that have begun to wait since then. */
  changed(): KeptBacklog[]
  committed(): void
  /** The changes of the transaction never happened. */
  rolledBack(): void
}

/** Where a row counts. */
const [NOWHERE, WAITING, REPLAYED, BLOCKED, BLOCKED_REPLAY, HELD] = [0, 1, 2, 3, 4, 5] as const

const placeOf = (row: 'old' | 'new') => `case ${row}.state
  when 'pending' then case when ${row}.claimed_by is not null then ${NOWHERE} when ${row}.replay_id is null then ${WAITING} else ${REPLAYED} end
  when 'blocked' then case when ${row}.replay_id is null then ${BLOCKED} else ${BLOCKED_REPLAY} end
  when 'exhausted' then case when ${row}.order_key is null then ${NOWHERE} else ${HELD} end
  else ${NOWHERE} end`

/** Cheaper than the place, and true wherever a row counts. */
const mayCount = (row: 'old' | 'new') =>
  `(${row}.claimed_by is null and ${row}.state = 'pending' or ${row}.state in ('blocked', 'exhausted'))`

const isClaim = `old.state = 'pending' and old.claimed_by is null and new.claimed_by is not null`

const isHeldBack = (row: 'old' | 'new') => `${row}.state = 'quarantined'`

const TRIGGERS = `
  create temp trigger if not exists backlog_update after update of state, claimed_by, replay_id, order_key on main.deliveries
    when (${mayCount('old')} or ${mayCount('new')}) and not (${isClaim})
    begin select backlog_move(new.destination_id, new.id, ${placeOf('old')}, ${placeOf('new')}); end;
  create temp trigger if not exists backlog_delete after delete on main.deliveries when ${mayCount('old')}
    begin select backlog_move(old.destination_id, old.id, ${placeOf('old')}, ${NOWHERE}); end;
  create temp trigger if not exists quarantine_insert after insert on main.quarantine when ${isHeldBack('new')}
    begin select backlog_move(${QUARANTINE}, new.id, ${NOWHERE}, ${WAITING}); end;
  create temp trigger if not exists quarantine_update after update of state on main.quarantine when (${isHeldBack('old')}) <> (${isHeldBack('new')})
    begin select backlog_move(${QUARANTINE}, new.id, ${isHeldBack('old')}, ${isHeldBack('new')}); end;
  create temp trigger if not exists quarantine_delete after delete on main.quarantine when ${isHeldBack('old')}
    begin select backlog_move(${QUARANTINE}, old.id, ${WAITING}, ${NOWHERE}); end;`

/** The oldest pending delivery is searched without replays of many events. */
const isSearched = (place: number) => place === WAITING || place === BLOCKED || place === HELD
const NONE = Number.POSITIVE_INFINITY

interface Sums {
  /** The number of rows in each place. */
  readonly counts: number[]
  from: number
  isChanged: boolean
}

/** Counts what waits, in a time proportional to it: some 0.1 µs a delivery. Outside a transaction, before the first write. */
export function keepBacklogSums(db: Connection): BacklogSums {
  const sums = new Map<number, Sums>()
  /** Four numbers for each change of the transaction. */
  const journal: number[] = []

  function sumsOf(destinationId: number): Sums {
    const known = sums.get(destinationId)
    if (known !== undefined) return known
    const none = { counts: Array<number>(HELD + 1).fill(0), from: NONE, isChanged: true }
    sums.set(destinationId, none)
    return none
  }

  function move(destinationId: number, id: number, from: number, to: number): void {
    const changed = sumsOf(destinationId)
    const { counts } = changed
    counts[from] = (counts[from] ?? 0) - 1
    counts[to] = (counts[to] ?? 0) + 1
    changed.isChanged = true
    if (isSearched(to)) changed.from = Math.min(changed.from, id)
  }

  function record(destinationId: number, id: number, from: number, to: number): null {
    if (from === to) return null
    journal.push(destinationId, id, from, to)
    move(destinationId, id, from, to)
    return null
  }

  db.function('backlog_move', record)
  db.exec(TRIGGERS)
  for (const { destinationId, place, count, oldest } of countAll(db)) {
    const counted = sumsOf(destinationId)
    counted.counts[place] = (counted.counts[place] ?? 0) + count
    if (isSearched(place)) counted.from = Math.min(counted.from, oldest)
  }

  return {
    added(destinationId, id, state, isReplay) {
      const blocked = isReplay ? BLOCKED_REPLAY : BLOCKED
      const pending = isReplay ? REPLAYED : WAITING
      record(destinationId, id, NOWHERE, state === 'blocked' ? blocked : pending)
    },
    claimed(destinationId, id, isReplay) {
      record(destinationId, id, isReplay ? REPLAYED : WAITING, NOWHERE)
    },
    changed() {
      const changed: KeptBacklog[] = []
      for (const [destinationId, one] of sums) {
        if (!one.isChanged) continue
        one.isChanged = false
        const at = (place: number) => one.counts[place] ?? 0
        changed.push({
          destinationId,
          waiting: at(WAITING) + at(REPLAYED),
          blocked: at(BLOCKED) + at(BLOCKED_REPLAY),
          held: at(HELD),
          from: one.from,
        })
        one.from = NONE
      }
      return changed
    },
    committed() {
      journal.length = 0
    },
    rolledBack() {
      for (let at = journal.length - 4; at >= 0; at -= 4) {
        const [destinationId = 0, id = 0, from = 0, to = 0] = journal.slice(at, at + 4)
        move(destinationId, id, to, from)
      }
      journal.length = 0
    },
  }
}

interface Counted {
  readonly destinationId: number
  readonly place: number
  readonly count: number
  /** The lowest id. */
  readonly oldest: number
}

function countAll(db: Connection): Counted[] {
  return db
    .prepare<[], Counted>(`
      select destination_id as destinationId, case when replay_id is null then ${WAITING} else ${REPLAYED} end as place, count(*) as count, min(id) as oldest
        from deliveries indexed by deliveries_due where state = 'pending' and claimed_by is null group by destination_id, replay_id is not null
      union all select destination_id, case when replay_id is null then ${BLOCKED} else ${BLOCKED_REPLAY} end, count(*), min(id)
        from deliveries indexed by deliveries_order where order_key is not null and state = 'blocked' group by 1, 2
      union all select destination_id, ${HELD}, count(*), min(id)
        from deliveries indexed by deliveries_holding where state = 'exhausted' and order_key is not null group by 1
      union all select ${QUARANTINE}, ${WAITING}, count(*), 0 from quarantine where state = 'quarantined'`)
    .all()
}
