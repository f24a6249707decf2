import type { PublishedEvent } from '../../../domain/event-bus.ts'
import type { ForeignListener } from '../../../domain/nodes/foreign-changes.ts'
import type { Sql } from '../database/sql.ts'
import { hasChanges, joined, NO_CHANGES } from './changes.ts'
import type { Notice } from './notice.ts'

interface Span {
  readonly after: number
  readonly upTo: number
}

const PAGE = 1000

/** What one connection has heard of others, and not given to the listener yet. */
export interface PendingChanges {
  take(heard: Pick<Notice, 'after' | 'position' | 'changes'>): void
  /** Gives all to the listener; events are read first. Once it has failed, it is of no use any more. */
  handOn(sql: Sql): Promise<void>
}

export function createPendingChanges(listener: Pick<ForeignListener, 'onChanges'>): PendingChanges {
  let changes = NO_CHANGES
  let spans: Span[] = []

  async function handOnEvents(sql: Sql): Promise<void> {
    const taken = [...spans]
    const events = await readEvents(sql, taken)
    const last = events.at(-1)?.position
    const isAll = events.length < PAGE || last === undefined
    const left = isAll ? [] : taken.filter(({ upTo }) => upTo > last)
    spans = [
      ...left.map(({ after, upTo }) => ({ after: Math.max(after, last ?? 0), upTo })),
      ...spans.slice(taken.length),
    ]
    if (events.length > 0) listener.onChanges({ ...NO_CHANGES, events })
  }

  return {
    take({ after, position, changes: more }) {
      changes = joined(changes, more)
      if (position > after) spans.push({ after, upTo: position })
    },
    async handOn(sql) {
      // First: they do not depend on reading the events.
      const taken = changes
      changes = NO_CHANGES
      if (hasChanges(taken)) listener.onChanges({ ...taken, events: [] })
      while (spans.length > 0) await handOnEvents(sql)
    },
  }
}

/** Of a span, but few at once, in the order of their positions. */
function readEvents(sql: Sql, spans: readonly Span[]): Promise<(PublishedEvent & { readonly position: number })[]> {
  return sql.all(
    `select e.id as position, e.kind, e.environment, e.subject, e.status, (extract(epoch from e.received_at) * 1000)::bigint as "receivedAt"
    from unnest(:afters::bigint[], :upTos::bigint[]) as s (after, up_to) join events e on e.id > s.after and e.id <= s.up_to order by e.id limit ${PAGE}`,
    { afters: spans.map(({ after }) => after), upTos: spans.map(({ upTo }) => upTo) },
  )
}
