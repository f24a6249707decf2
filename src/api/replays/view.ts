import { cursorAfter, numberedId } from '../../domain/public-id.ts'
import type { NewReplay, ReplayFilter, ReplayRecord } from '../../domain/replay.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { canceledReplaySchema, replayCountSchema, replaySchema } from './schema.ts'

type Selection = NewReplay & Pick<ReplayRecord, 'destinationName'>

export function replayCountView(selection: Selection): View<typeof replayCountSchema> {
  const { destinationId, destinationName, mode, filter, matched, leftOut } = selection
  const destination = numberedId('dst', destinationId)
  return { destination, destinationName, mode, filter: filterView(filter), matched, leftOut }
}

export function replayView(replay: ReplayRecord): View<typeof replaySchema> {
  const { state, reason, requeued: created, waiting } = replay
  return {
    id: numberedId('rpl', replay.replayId),
    ...replayCountView(replay),
    state,
    reason,
    created,
    waiting,
    position: cursorAfter(replay.position),
    askedBy: replay.owner,
    createdAt: iso(replay.createdAt),
    endedAt: isoOrNull(replay.endedAt),
  }
}

export function canceledReplayView(replay: ReplayRecord, underWay: number): View<typeof canceledReplaySchema> {
  return { ...replayView(replay), underWay }
}

function filterView({ receivedFrom, receivedTo, ...filter }: ReplayFilter) {
  return {
    ...filter,
    ...(receivedFrom !== undefined && { from: iso(receivedFrom) }),
    ...(receivedTo !== undefined && { to: iso(receivedTo) }),
  }
}
