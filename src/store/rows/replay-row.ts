import type { ReplayFilter, ReplayMode, ReplayRecord, ReplayState } from '../../domain/replay.ts'

/** A replay with its destination. */
export interface ReplayRow {
  readonly id: number
  readonly destination_id: number
  readonly destination_name: string
  readonly owner: string | null
  readonly mode: ReplayMode
  readonly filter: string
  readonly state: ReplayState
  readonly reason: string | null
  readonly matched: number
  readonly left_out: number
  readonly requeued: number
  readonly waiting: number
  readonly position: number
  readonly up_to: number
  readonly created_at: number
  readonly ended_at: number | null
}

export function replayOfRow(row: ReplayRow): ReplayRecord {
  return {
    replayId: row.id,
    destinationId: row.destination_id,
    destinationName: row.destination_name,
    owner: row.owner,
    mode: row.mode,
    filter: JSON.parse(row.filter) as ReplayFilter,
    state: row.state,
    reason: row.reason,
    matched: row.matched,
    leftOut: row.left_out,
    requeued: row.requeued,
    waiting: row.waiting,
    position: row.position,
    upTo: row.up_to,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  }
}
