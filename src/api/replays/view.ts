import { cursorAfter, numberedId } from '../../domain/public-id.ts'
import type { NewReplay, ReplayFilter, ReplayRecord } from '../../domain/replay.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { canceledReplaySchema, replayCountSchema, replaySchema } from './schema.ts'

export function replayCountView(
  replay: NewReplay & Pick<ReplayRecord, 'destinationName'>,
): View<typeof replayCountSchema> {
  const { destinationId, destinationName, mode, filter, matched } = replay
  return { destination: numberedId('dst', destinationId), destinationName, mode, filter: filterView(filter), matched }
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
