import type { SearchState } from '../../../domain/search/search-index.ts'
import type { SearchBounds, SearchSettings } from '../../../domain/search/search-work.ts'
import type { PayloadRow } from '../../rows/payload-row.ts'
import {
  advanced,
  EMPTY_INDEX,
  type IndexedRow,
  type IndexState,
  indexedTerms,
  isCurrent,
  type StepRange,
  toRebuild,
  withSettings,
} from '../../rules/search-index.ts'
import { readHead } from '../database/head.ts'
import { keepMeta, readMeta } from '../database/meta.ts'
import type { Sql, WriterSql } from '../database/sql.ts'
import { CONTENT_TYPE } from '../events/event-columns.ts'
import { BODY, createPayloads } from '../events/payloads.ts'
import type { Transaction } from '../writing/transaction.ts'
import { vectorOf } from './lexemes.ts'

const KEY = 'search_index'

async function readIndexState(sql: Sql): Promise<IndexState> {
  const text = await readMeta(sql, KEY)
  return text === undefined ? EMPTY_INDEX : (JSON.parse(text) as IndexState)
}

export async function readSearchSettings(sql: Sql): Promise<SearchSettings> {
  return (await readIndexState(sql)).settings
}

/** More events that are not indexed are not counted. */
const COUNTED = 10_000

export async function readSearchState(sql: Sql, now: number): Promise<SearchState> {
  const { through, rebuild } = await readIndexState(sql)
  const { position: latest } = await readHead(sql)
  const found = await sql.get<{ events: number; first: number | null; oldest: number | null; bytes: number }>(
    `with behind as (select id, received_at from events where id > :through order by id limit ${COUNTED} + 1)
    select count(*) as events, min(id) as first, (select received_at from behind order by id limit 1) as oldest,
      pg_total_relation_size('search_terms') as bytes from behind`,
    { through },
  )
  const { events = 0, first = null, oldest = null, bytes = 0 } = found ?? {}
  return {
    indexedThrough: through,
    latest,
    // Positions are as many as events, but for removed ones.
    lagEvents: events > COUNTED && first !== null ? latest - first + 1 : events,
    lagSeconds: oldest === null ? 0 : Math.max(0, Math.round((now - oldest) / 1000)),
    isRebuilding: rebuild !== null,
    rebuiltThrough: rebuild?.after ?? null,
    indexBytes: through === 0 ? 0 : bytes,
  }
}

/** Changes what the writer alone changes. @returns whether there was a change */
async function changeState({ sql }: Transaction, change: (state: IndexState) => IndexState | null): Promise<boolean> {
  const changed = change(await readIndexState(sql))
  if (changed !== null) await keepMeta(sql, KEY, JSON.stringify(changed))
  return changed !== null
}

export function configureSearch(_parts: unknown, transaction: Transaction, settings: SearchSettings): Promise<boolean> {
  return changeState(transaction, (state) => withSettings(state, settings))
}

export async function rebuildSearch(_parts: unknown, transaction: Transaction): Promise<void> {
  await changeState(transaction, toRebuild)
}

/** Terms that were computed beside the writer. */
export interface SearchStep extends StepRange {
  /** Events that were read. */
  readonly events: number
  readonly positions: readonly number[]
  /** Of each position, as text of the type `tsvector`. */
  readonly vectors: readonly string[]
}

/** Events of one step, whose terms this thread computes in some ms. */
const EVENTS_AT_ONCE = 250
/** Bodies that are in memory at once: those of so many events. */
const BODIES_AT_ONCE = 25

/**
 * Sorts new terms, which PostgreSQL keeps in a list beside the index. By itself it would do so inside a write when the list is long, and hold all writers
 * back for some 200 ms. Only who owns the index may: for others it stays so.
 */
export async function mergeNewTerms(sql: Sql): Promise<void> {
  await sql.run(
    "select gin_clean_pending_list(oid) from pg_class where oid = 'search_terms_terms'::regclass and pg_has_role(relowner, 'usage')",
  )
}

/** The next step of a task; null: nothing is to be done. */
export async function prepareStep(
  sql: Sql,
  task: StepRange['task'],
  { limit }: SearchBounds,
): Promise<SearchStep | null> {
  const state = await readIndexState(sql)
  if (task === 'rebuild' && state.rebuild === null) return null
  const after = (task === 'index' ? state.through : state.rebuild?.after) ?? 0
  const end = task === 'index' ? Number.MAX_SAFE_INTEGER : (state.rebuild?.through ?? 0)
  const next = await sql.get<{ through: number | null }>(
    'select max(id) as through from (select id from events where id > :after and id <= :end order by id limit :limit) next',
    { after, end, limit: Math.min(limit, EVENTS_AT_ONCE) },
  )
  const last = next?.through ?? null
  if (last === null && task === 'index') return null
  const through = last ?? end
  const range = { task, after, through, generation: state.generation, isLast: through >= end }
  return { ...range, ...(await computeVectors(sql, state.settings, range)) }
}

type SourceRow = IndexedRow & PayloadRow & { readonly id: number; readonly receivedAt: number }

async function computeVectors(sql: Sql, settings: SearchSettings, { after, through }: StepRange) {
  const positions: number[] = []
  const vectors: string[] = []
  const payloadsOf = createPayloads(sql)
  let events = 0
  for (let at: number | undefined = after; at !== undefined; ) {
    const rows: SourceRow[] = await sql.all<SourceRow>(
      `select e.id, e.kind, e.environment, e.status, e.subject, e.array_start, e.array_end, e.item_start, e.item_end, e.callback_id, e.received_at as "receivedAt",
        ${CONTENT_TYPE} as content_type, ${BODY} as body
      from events e join callbacks c on c.callback_id = e.callback_id
      where e.id > :at and e.id <= :through and e.payload_removed_at is null order by e.id limit ${BODIES_AT_ONCE}`,
      { at, through },
    )
    const payloadOf = await payloadsOf(rows)
    for (const row of rows) {
      const terms = indexedTerms(row, settings, payloadOf)
      if (terms === null) continue
      positions.push(row.id)
      vectors.push(vectorOf(row.id, row.receivedAt, terms))
    }
    events += rows.length
    at = rows.length < BODIES_AT_ONCE ? undefined : rows.at(-1)?.id
  }
  return { events, positions, vectors }
}

/**
 * False: another step has come between, and this one changes nothing. Events whose data was removed since are left out. The terms go together with the
 * commit: a node that is starved of processor would hold all others back between two turns.
 */
export async function performStep(_parts: unknown, transaction: Transaction, step: SearchStep): Promise<boolean> {
  const isDone = await changeState(transaction, (state) => (isCurrent(state, step) ? advanced(state, step) : null))
  if (isDone) writeVectors(transaction.sql, step)
  return isDone
}

function writeVectors(sql: WriterSql, { task, after, through, positions, vectors }: SearchStep): void {
  if (task === 'rebuild')
    sql.send('delete from search_terms where event_id > :after and event_id <= :through', { after, through })
  sql.send(
    `insert into search_terms (event_id, terms)
    select s.position, s.terms::tsvector from unnest(:positions::bigint[], :vectors::text[]) as s (position, terms)
    where exists (select from events e where e.id = s.position and e.payload_removed_at is null)`,
    { positions, vectors },
  )
}

/** Removes the terms of these events. */
export async function removeTerms(sql: Sql, positions: readonly number[]): Promise<void> {
  await sql.run('delete from search_terms where event_id = any(:positions::bigint[])', { positions })
}
