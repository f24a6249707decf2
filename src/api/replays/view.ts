import { cursorAfter, numberedId } from '../../domain/public-id.ts'
import type { NewReplay, ReplayFilter, ReplayRecord } from '../../domain/replay.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { canceledReplaySchema, createdReplaySchema, replayCountSchema, replaySchema } from './schema.ts'

export function replayCountView({
  leftOut,
  ...replay
}: Selection & { readonly leftOut: number }): View<typeof replayCountSchema> {
  return { ...selectionView(replay), leftOut }
}

type Selection = NewReplay & Pick<ReplayRecord, 'destinationName'>

function selectionView({ destinationId, destinationName, mode, filter, matched }: Selection) {
  return { destination: numberedId('dst', destinationId), destinationName, mode, filter: filterView(filter), matched }
}

export function replayView(replay: ReplayRecord): View<typeof replaySchema> {
  const { state, reason, requeued: created, waiting } = replay
  return {
    id: numberedId('rpl', replay.replayId),
    ...selectionView(replay),
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

export function createdReplayView(replay: ReplayRecord, leftOut: number): View<typeof createdReplaySchema> {
  return { ...replayView(replay), leftOut }
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
