import type { DestinationWorker } from '../destination-worker.ts'

/** Workers that stop while the others go on. */
export interface StoppingWorkers {
  /** Resolves as `DestinationWorker.stop`. */
  stop(workers: readonly DestinationWorker[], graceMs: number): Promise<void>
  /** Resolves when all of them have stopped, soon after the signal at the latest. */
  ended(signal: AbortSignal): Promise<void>
}

export function createStoppingWorkers(): StoppingWorkers {
  const ending = new AbortController()
  const stopping = new Set<Promise<unknown>>()
  return {
    async stop(workers, graceMs) {
      const grace = graceMs === 0 ? AbortSignal.abort() : AbortSignal.timeout(graceMs)
      const signal = AbortSignal.any([grace, ending.signal])
      const stopped = Promise.all(workers.map((worker) => worker.stop(signal)))
      stopping.add(stopped)
      await stopped
      stopping.delete(stopped)
    },
    async ended(signal) {
      signal.addEventListener('abort', () => ending.abort())
      await Promise.all(stopping)
    },
  }
}
