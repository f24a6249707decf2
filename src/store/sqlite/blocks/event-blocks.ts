import { KINDS_BY_NAME_ONLY } from '../../../domain/event.ts'
import type { EventFilter, EventTraits } from '../../../domain/event-record.ts'
import type { Positions } from '../../rules/event-page.ts'
import { inEnvironment, ofInstitution } from '../../rules/realm-conditions.ts'
import type { Connection } from '../database/connection.ts'
import { lastGiven, prepareMark } from '../database/last-position.ts'
import type { SubjectWriter } from './subject-writer.ts'

/** Positions of one block differ only in their last ten bits. */
const BLOCK = 1024

/** The first position after the summarized blocks. */
export const AFTER_SUMMARIZED = `select coalesce(max(block) + 1, 0) * ${BLOCK} from event_blocks`

/** Summarizes each block of events when the next one begins: no event is added to it after that. */
export interface EventBlocks {
  /** Inside the transaction that creates an event at this position. */
  opened(position: number): void
  /** After a rollback: forgets the summaries of the transaction. */
  rolledBack(): void
}

export function createEventBlocks(db: Connection, subjects: SubjectWriter): EventBlocks {
  const firstOpen = db
    .prepare<[], number | null>(`select min(id) / ${BLOCK} from events where id >= (${AFTER_SUMMARIZED})`)
    .pluck()
  const summarize = [
    db.prepare(`
      insert into block_contents (block, kind, environment, status, earliest, latest, first, last)
      select :block, kind, environment, coalesce(status, ''), min(received_at), max(received_at), min(id), max(id)
      from events where id between :block * ${BLOCK} and :block * ${BLOCK} + ${BLOCK - 1} group by kind, environment, coalesce(status, '')`),
    db.prepare(`
      insert into event_blocks (block, earliest, latest)
      select block, min(earliest), max(latest) from block_contents where block = :block group by block`),
  ]
  // Summaries of the leading blocks that retention has emptied.
  const dropEmpty = ['event_blocks', 'block_contents'].map((table) =>
    db.prepare(`delete from ${table} where block < (select min(id) from events) / ${BLOCK}`),
  )
  const markLast = prepareMark(db)
  /** null: must be read from the database. */
  let open: number | null = blockOf(lastGiven(db))

  function summarizeBlock(block: number): void {
    for (const statement of summarize) statement.run({ block })
    for (const statement of dropEmpty) statement.run()
    markLast()
    subjects.sum(block)
  }

  // A restored backup continues far after its last event.
  db.transaction((last: number) => {
    for (let block = firstOpen.get() ?? last; block < last; block = firstOpen.get() ?? last) summarizeBlock(block)
  })(open)

  return {
    opened(position) {
      // The block before it contains the last assigned position.
      open ??= blockOf(position - 1)
      if (blockOf(position) === open) {
        // In another commit than a summary.
        if (position % BLOCK === BLOCK / 2) subjects.step(open)
        return
      }
      summarizeBlock(open)
      open = blockOf(position)
    },
    rolledBack() {
      open = null
    },
  }
}

function blockOf(position: number): number {
  return Math.floor(position / BLOCK)
}

/**
 * The parts of a range that may contain matching events, in the order of the filter: at most one per summarized block, and the rest that is not
 * summarized yet.
 */
export function* rangesOf(db: Connection, filter: EventFilter, { from, to }: Positions): Generator<Positions> {
  const tail = openPositions(db)
  const open = { from: Math.max(from, tail.from), to: Math.min(to, tail.to) }
  if (filter.newestFirst === true && open.from <= open.to) yield open
  const { where, values } = conditionsOf(filter)
  const sums = db
    .prepare<Record<string, unknown>, Positions>(`
      select min(c.first) as "from", max(c.last) as "to"
      from event_blocks b cross join block_contents c on c.block = b.block where ${where}
      group by b.block order by b.block ${filter.newestFirst === true ? 'desc' : 'asc'}`)
    .iterate({ ...values, first: blockOf(from), last: blockOf(to) })
  for (const sum of sums) {
    const range = { from: Math.max(from, sum.from), to: Math.min(to, sum.to) }
    if (range.from <= range.to) yield range
  }
  if (filter.newestFirst !== true && open.from <= open.to) yield open
}

/** The first position received at `time` or later; null: none. */
function firstSince(db: Connection, time: number): number | null {
  const summed = db.prepare<{ time: number }, number>(`
    select e.id from event_blocks b cross join events e not indexed on e.id between b.block * ${BLOCK} and b.block * ${BLOCK} + ${BLOCK - 1}
    where b.latest >= :time and e.received_at >= :time order by b.block, e.id limit 1`)
  const others = db.prepare<{ time: number }, number>(
    `select id from events not indexed where id >= (${AFTER_SUMMARIZED}) and received_at >= :time order by id limit 1`,
  )
  return summed.pluck().get({ time }) ?? others.pluck().get({ time }) ?? null
}

/** The positions from the first to the last event that may have been received in the period of the filter. */
export function periodPositions(db: Connection, { receivedFrom, receivedTo }: EventFilter): Positions {
  if (receivedFrom === undefined && receivedTo === undefined) return { from: 0, to: Number.MAX_SAFE_INTEGER }
  const period = { from: receivedFrom ?? 0, to: receivedTo ?? Number.MAX_SAFE_INTEGER }
  const { first, last } = db
    .prepare<object, { first: number | null; last: number | null }>(`
      select min(block) as first, max(block) as last from event_blocks where latest >= :from and earliest < :to`)
    .get(period) as Record<'first' | 'last', number | null>
  const open = openPositions(db)
  const isInOpen = db
    .prepare<object, number>(`
      select exists (select 1 from events not indexed where id between :first and :last and received_at >= :from and received_at < :to)`)
    .pluck()
    .get({ first: open.from, last: open.to, ...period })
  return {
    from: first === null ? open.from : first * BLOCK,
    to: isInOpen === 1 ? open.to : last === null ? -1 : last * BLOCK + BLOCK - 1,
  }
}

/** From the summaries, the events after them, and the removals. */
export function listEventTraits(db: Connection, after: number, limit: number): EventTraits[] {
  return db
    .prepare<{ after: number; limit: number }, EventTraits>(`
      select kind, environment, nullif(status, '') as status from (
        select kind, environment, status from block_contents where block >= :after >> 10
        union select kind, environment, coalesce(status, '') from events not indexed where id >= (${AFTER_SUMMARIZED}) and id > :after
        union select kind, environment, '' from removals where kind <> '')
      limit :limit`)
    .all({ after, limit })
}

/** The events after the summarized blocks. */
function openPositions(db: Connection): Positions {
  return db
    .prepare<[], Positions>(`
      with behind (position) as (${AFTER_SUMMARIZED})
      select coalesce((select min(id) from events where id >= position), 0) as "from",
        coalesce((select max(id) from events where id >= position), -1) as "to" from behind`)
    .get() as Positions
}

function conditionsOf(filter: EventFilter): { where: string; values: Record<string, unknown> } {
  const { kinds, environment, institution, status, receivedFrom, receivedTo } = filter
  const values: Record<string, unknown> = { environment, institution, status, receivedFrom, receivedTo }
  if (kinds !== undefined) values.kinds = JSON.stringify(kinds)
  const conditions = [
    'b.block between :first and :last',
    kinds === undefined ? `c.kind not in (${NAMED_ONLY})` : 'c.kind in (select value from json_each(:kinds))',
    environment !== undefined && inEnvironment('c.environment'),
    institution !== undefined && ofInstitution('c.environment'),
    status !== undefined && 'c.status = :status',
    receivedFrom !== undefined && 'b.latest >= :receivedFrom and c.latest >= :receivedFrom',
    receivedTo !== undefined && 'b.earliest < :receivedTo and c.earliest < :receivedTo',
  ]
  return { where: conditions.filter((one) => one !== false).join(' and '), values }
}

const NAMED_ONLY = KINDS_BY_NAME_ONLY.map((kind) => `'${kind}'`).join(', ')

/** The position directly before the first event received at `time` or later. */
export function positionAt(db: Connection, time: number): number {
  const first = firstSince(db, time)
  return first === null ? lastGiven(db) : first - 1
}
