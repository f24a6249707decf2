import type { ReplayRecord, ReplayWish } from '../../../src/domain/replay.ts'
import type { Store } from '../../../src/domain/store.ts'

interface Run {
  /** Events up to this position are none of its. */
  readonly start?: number
  readonly now: number
  /** Events a step. */
  readonly step?: number
  readonly owner?: string | null
}

/** A replay as the gateway makes it, from its first step to its last. */
export async function runReplay(store: Store, wish: ReplayWish, run: Run): Promise<ReplayRecord> {
  const { start = 0, now, owner = null } = run
  const upTo = await store.latestPosition()
  const { replayId } = await store.createReplay({ ...wish, owner, matched: 0, leftOut: 0, upTo }, now)
  if (start > 0) await store.advanceReplay({ replayId, from: 0, to: start, positions: [] }, now)
  for (;;) {
    const replay = (await store.getReplay(replayId)) as ReplayRecord
    if (replay.state !== 'running') return replay
    await stepReplay(store, replay, run)
  }
}

export async function stepReplay(store: Store, replay: ReplayRecord, { now, step = 500 }: Run) {
  const { replayId, position: from } = replay
  const { positions, next: to } = await store.findReplayable({ ...replay, after: from }, step)
  return store.advanceReplay({ replayId, from, to, positions }, now)
}
