import { setTimeout as sleep } from 'node:timers/promises'
import { numberedId } from '../domain/public-id.ts'
import { lineOfReplay, type ReplayRecord } from '../domain/replay.ts'
import type { Store } from '../domain/store.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

export interface ReplayRunnerOptions {
  readonly store: Pick<Store, 'listReplays' | 'getReplay' | 'findReplayable' | 'advanceReplay'>
  /** These destinations have new pending deliveries. */
  readonly wake: (destinationIds: readonly number[]) => void
  readonly now: () => number
  /** False: another process runs the replays; default true. */
  readonly isMine?: () => boolean
  readonly log: Log
}

/** Creates the deliveries of replays in steps. The store knows how far each replay is. */
export interface ReplayRunner {
  /** Continues every replay that is running according to the store. */
  start(): void
  /** After the step under way. The next start continues with the rest. */
  stop(): Promise<void>
}

/** Deliveries in one transaction, during which nothing else is written. */
const STEP = 500
/** Limit of a replay's pending deliveries. The rest can be canceled without a trace, and no subject gets an endless queue. */
const WAITING_LIMIT = 2000
const SHORTEST_WAIT_MS = 50
const LONGEST_WAIT_MS = 2000

export function createReplayRunner(options: ReplayRunnerOptions): ReplayRunner {
  const { store, wake, now, isMine = () => true, log } = options
  const running = new Map<number, Promise<void>>()
  const stopping = new AbortController()
  /** The last start: `start` puts the next one behind it. */
  let starting: Promise<void> = Promise.resolve()

  async function beginAll(): Promise<void> {
    if (!isMine()) return
    for (let found = await listRunning(0); found.length > 0; found = await listRunning(found.at(-1)?.replayId ?? 0)) {
      for (const replay of found) begin(replay)
    }
  }

  function listRunning(after: number): Promise<ReplayRecord[]> {
    return store.listReplays({ state: 'running', after }, 100)
  }

  function begin(replay: ReplayRecord): void {
    const { replayId, position } = replay
    if (stopping.signal.aborted || running.has(replayId)) return
    log.info(lineOfReplay(replay), position === 0 ? 'replay.started' : 'replay.continued')
    const run = runToItsEnd(replayId).finally(() => running.delete(replayId))
    running.set(replayId, run)
  }

  async function runToItsEnd(replayId: number): Promise<void> {
    let waitMs = SHORTEST_WAIT_MS
    while (!stopping.signal.aborted && isMine()) {
      const made = await tryStep(replayId)
      if (made === 'ended') return
      waitMs = made === 'created' ? SHORTEST_WAIT_MS : Math.min(2 * waitMs, LONGEST_WAIT_MS)
      if (made !== 'created') await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  /** `full`: the limit of pending deliveries is reached. `failed`: the store refused the step, which is tried again. */
  async function tryStep(replayId: number): Promise<'created' | 'full' | 'failed' | 'ended'> {
    try {
      return await step(replayId)
    } catch (error) {
      log.warn({ replay: numberedId('rpl', replayId), error: messageOf(error) }, 'replay.delayed')
      return 'failed'
    }
  }

  async function step(replayId: number): Promise<'created' | 'full' | 'ended'> {
    const replay = await store.getReplay(replayId)
    if (replay?.state !== 'running') return 'ended'
    if (replay.waiting > WAITING_LIMIT - STEP) return 'full'
    const { positions, next: to } = await store.findReplayable({ ...replay, after: replay.position }, STEP)
    const change = await store.advanceReplay({ replayId, from: replay.position, to, positions }, now())
    wake(change.destinationIds)
    return change.replay.state === 'running' ? 'created' : logEnd(change.replay)
  }

  function logEnd(replay: ReplayRecord): 'ended' {
    if (replay.state === 'done') log.info(lineOfReplay(replay), 'replay.finished')
    else if (replay.state === 'failed') log.error(lineOfReplay(replay), 'replay.finished')
    return 'ended'
  }

  return {
    start() {
      starting = starting
        .then(beginAll)
        .catch((error: unknown) => log.error({ error: messageOf(error) }, 'replays.not_started'))
    },
    async stop() {
      stopping.abort()
      await starting
      await Promise.all(running.values())
    },
  }
}
